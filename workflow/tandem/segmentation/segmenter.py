"""Segmenters: sentences of some languages to the ids of one vocabulary, learned or loaded.

A token that two languages share has one id, and so one embedding (wieting2019, section 2).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator, model_validator

from tandem.errors import TandemError
from tandem.files import saved
from tandem.files.io import write_json
from tandem.progress import progress_bar
from tandem.registry import Named, Settings
from tandem.segmentation.ragged import save_stream
from tandem.segmentation.segmentation import (
    ANY,
    SEGMENTATIONS,
    Encode,
    Segmentation,
    Texts,
    batches,
    side_language,
)
from tandem.text.languages import remedy

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Name = Annotated[str, Field(pattern=r"^[\w-]+$")]
"""Name of a language: folders are named after it."""


class Saved(Settings):
    """What segmentation.json holds."""

    segmentation: Annotated[Segmentation, Named(SEGMENTATIONS), Field(alias="scheme")]
    models: Annotated[dict[Name, str | None], Field(min_length=1)]
    vocabulary: Annotated[list[str], Field(min_length=1)]

    @field_validator("segmentation", mode="before")
    @classmethod
    def _without_other_kinds(cls, segmentation: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        """Leave out the settings of other kinds, which the first models were written with."""
        kind = segmentation.get("kind") if isinstance(segmentation, dict) else None
        if not isinstance(kind, str) or kind not in SEGMENTATIONS.modules():
            return segmentation
        fields = {"kind", *SEGMENTATIONS.kind(kind).model_fields}
        if segmentation.keys() <= fields:  # as a rule; to import the other kinds takes time
            return segmentation
        others = {
            key for name in SEGMENTATIONS.modules() for key in SEGMENTATIONS.kind(name).model_fields
        } - fields
        return {key: value for key, value in segmentation.items() if key not in others}

    @model_validator(mode="after")
    def _consistent(self) -> Saved:
        if len({*self.vocabulary}) < len(self.vocabulary) or "" in self.vocabulary:
            raise ValueError("a token of the vocabulary is empty, or there twice")
        needed = self.segmentation.has_models
        if any((name is not None) != needed for name in self.models.values()):
            lacking = "a model for each language" if needed else "no models"
            raise ValueError(f"{self.segmentation.kind} needs {lacking}")
        return self


class Segmenter:
    """Maps sentences of its languages to ids of one vocabulary.

    Unknown tokens are left out, as in the authors' released code (its `zero-unk`), so a sentence
    may have no ids.

    Attributes:
        segmentation: how text becomes ids.
        vocabulary: the token of each id.
        models: the SentencePiece model of each language, None where the segmentation has none.
    """

    def __init__(
        self,
        segmentation: Segmentation,
        vocabulary: Sequence[str],
        models: Mapping[str, Path | None],
    ) -> None:
        self.segmentation = segmentation
        self.vocabulary = list(vocabulary)
        self.models = dict(models)
        self._encoders: dict[tuple[Path | None, str], Encode] = {}

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def languages(self) -> list[str]:
        """The languages it segments."""
        return sorted(self.models)

    @property
    def groups(self) -> list[list[str]]:
        """The languages, in groups that have the same model and the same mark."""
        together: dict[tuple[Path | None, str], list[str]] = {}
        for language in self.languages:
            together.setdefault(self._key(language), []).append(language)
        return list(together.values())

    def encoder(self, language: str) -> Encode:
        """Return the function from sentences to ids for a language; it remembers words."""
        language = ANY if self.segmentation.any_language else side_language(language)
        if language not in self.models:
            problem = f"no segmentation for language {language!r}"
            raise TandemError(f"{problem}; {remedy(language, self.models)}")
        return self._encoder(language)

    def _encoder(self, language: str) -> Encode:
        key = self._key(language)
        if key not in self._encoders:
            ids, model = self.units(language), self.models[language]
            self._encoders[key] = self.segmentation.encoder(ids, model)
        return self._encoders[key]

    def units(self, language: str) -> dict[str, int]:
        """Return the vocabulary's tokens for a language, without its mark, and their ids."""
        mark = self.segmentation.token_mark(language)
        return {
            token.removeprefix(mark): index
            for index, token in enumerate(self.vocabulary)
            if token.startswith(mark)
        }

    def _key(self, language: str) -> tuple[Path | None, str]:
        return self.models[language], self.segmentation.token_mark(language)

    def save(self, folder: Path) -> None:
        """Write the vocabulary and copies of the models into an existing folder."""
        names = {}
        for language, model in self.models.items():
            names[language] = None if model is None else model.name
            if model is not None and model.parent.resolve() != folder.resolve():
                shutil.copyfile(model, folder / model.name)
        stored = {"scheme": SEGMENTATIONS.dump(self.segmentation), "models": names}
        write_json(folder / "segmentation.json", stored | {"vocabulary": self.vocabulary})
        saved.seal(folder, ["segmentation.json", *filter(None, names.values())])

    @classmethod
    def load(cls, folder: str | Path) -> Segmenter:
        """Read what `save` wrote; InputError if it is not that."""
        folder = Path(folder)
        saved.check(folder, "segmentation.json")
        stored = saved.read(folder / "segmentation.json", Saved.model_validate)
        saved.check(folder, *filter(None, stored.models.values()))
        names = stored.models.items()
        models = {language: None if name is None else folder / name for language, name in names}
        segmenter = cls(stored.segmentation, stored.vocabulary, models)
        for language, *_ in segmenter.groups:
            if models[language] is not None:
                segmenter._encoder(language)  # which refuses a model of another vocabulary
        return segmenter

    def stock_tokenizer(self, language: str) -> tuple[Tokenizer, list[int]]:
        """Return a tokeniser of the library `tokenizers`, and our id for each of its ids.

        It serves all languages of the same group (`groups`).

        Raises:
            TandemError: that library cannot do what the segmentation does.
        """
        ids = self.units(language)
        tokenizer, tokens = self.segmentation.tokenizer(ids, self.models[language])
        return tokenizer, [ids[token] for token in tokens]


def learn(segmentation: Segmentation, texts: Texts, folder: Path) -> Segmenter:
    """Learn a segmentation from training sentences and save it into an existing folder."""
    segmenter = Segmenter(segmentation, *segmentation.learn(texts, folder))
    segmenter.save(folder)
    return segmenter


def segment_lines(segmenter: Segmenter, lines: Iterable[str], side: str, stem: str | Path) -> int:
    """Segment lines into `<stem>.ids.npy` and `<stem>.offsets.npy`; return their number.

    One process: reading lines takes most of the time, and handing them to others takes longer than
    segmenting them. Memory: a batch of lines, and 8 bytes for each line. `side` is a language, or a
    side such as en-bt.
    """
    shown = progress_bar(lines, desc=Path(stem).name, unit="line", unit_scale=True)
    rows = map(segmenter.encoder(side), batches(shown))
    return save_stream(stem, rows, len(segmenter) - 1)
