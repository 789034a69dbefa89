"""The tokeniser of a pretrained encoder, as the library `tokenizers` keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import PositiveInt

from tandem.errors import InputError, SettingsError
from tandem.files.saved import REMEDY
from tandem.segmentation.segmentation import Encode, Segmentation, Stock, Texts, Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

    from tandem.segmentation.ragged import Ragged


class Tokenizer(Segmentation):
    """Pieces of a tokeniser that came with a pretrained encoder, with the marks that it adds.

    It is never learned, and serves any language. Unknown text has the tokeniser's own id for it.
    """

    unit: ClassVar[str] = "pieces"
    has_models: ClassVar[bool] = True
    any_language: ClassVar[bool] = True
    learnable: ClassVar[bool] = False

    longest: PositiveInt = 512
    """Most pieces of a sentence, marks included; those beyond are left out."""

    def learn(self, texts: Texts, folder: Path) -> Vocabulary:
        """Refuse: SettingsError."""
        raise SettingsError(
            "a tokenizer comes with a pretrained encoder and cannot be learned. Start from such an "
            "encoder, or give another segmentation"
        )

    def encoder(self, ids: Mapping[str, int], model: Path | None) -> Encode:
        """Let the tokeniser divide each sentence."""
        from tandem.segmentation.ragged import from_rows

        assert model is not None
        library = load(model)
        if library.get_vocab() != ids:
            raise InputError(model, None, "its pieces are not those of the vocabulary", REMEDY)
        library.no_padding()
        library.enable_truncation(self.longest)

        def encode(sentences: Sequence[str]) -> Ragged:
            return from_rows(e.ids for e in library.encode_batch_fast(list(sentences)))

        return encode

    def tokenizer(self, ids: Mapping[str, int], model: Path | None) -> Stock:
        """Return the tokeniser itself."""
        assert model is not None
        return load(model), list(ids)


def load(model: Path) -> Library:
    """Read a tokeniser; InputError if it is none."""
    from tokenizers import Tokenizer as Library

    try:
        return Library.from_file(str(model))
    except Exception as error:  # that library raises nothing more narrow
        problem = f"not a readable tokenizer ({str(error).splitlines()[0]})"
        raise InputError(model, None, problem, REMEDY) from error
