"""A translator that others trained and released."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field, PositiveInt

from tandem.translation.translator import Translator

if TYPE_CHECKING:
    from tandem.translation.marian import MarianTranslator


class Released(Translator):
    """A Marian model of transformers, decoded with CTranslate2."""

    trained: ClassVar[bool] = False

    model: str = Field(min_length=1)
    """A name on the model hub, or a folder."""
    revision: str | None = None
    """A commit of a model on the hub. Give one, so that every run fetches the same weights."""
    prefix: str | None = None
    """Language token that a multilingual model needs before each sentence, such as `>>ces<<`."""
    beam: PositiveInt = 5
    """Beam size of decoding."""

    def train(self, corpus: str | Path, folder: str | Path, device: str = "auto") -> None:
        """Fetch the model and convert it; the bitext only measures it, the device does nothing."""
        from tandem.translation.marian import adopt_marian

        adopt_marian(self, folder)

    def load(self, folder: Path, threads: int, device: str) -> MarianTranslator:
        """Load the converted model; auto is a GPU where CTranslate2 sees one."""
        from tandem.translation.marian import MarianTranslator

        return MarianTranslator(folder, self, threads, device)
