"""How text becomes ids: the settings of a segmentation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from tandem.registry import Settings

Unit = Literal["sentencepiece", "words", "trigrams"]


class Segmentation(Settings):
    """How text becomes ids (wieting2019, section 3.1)."""

    kind: Unit = "sentencepiece"
    """What sentences are divided into: SentencePieces (unigram), words or character trigrams."""
    size: PositiveInt = 4000
    """Most SentencePieces to learn, or number of the most frequent words or trigrams to keep. The
    paper has 20,000 pieces, learned from far more text, and 200,000 words or trigrams."""
    separate: bool = False
    """Learn one SentencePiece model for each language rather than one for all; pieces with
    the same spelling still share an id."""
    marked: tuple[str, ...] = ()
    """Languages all of whose tokens get a marker, so that they share no id with another language
    (wieting2019, section 4.2)."""
    character_coverage: Annotated[float, Field(ge=0.98, le=1)] = 1.0
    """Share of the text's characters that SentencePiece covers; other characters are unknown."""
    sample: PositiveInt = 5_000_000
    """Most lines of each side that SentencePiece learns from."""
    threads: PositiveInt = 1
    """Threads of SentencePiece's trainer: they change the last digits of what is learned."""

    def token_mark(self, language: str) -> str:
        """Return what the tokens of a language begin with in the vocabulary, if it is marked."""
        return f"<{language}>" if language in self.marked else ""


def language_of(side: str) -> str:
    """Return the language of a side of a bitext: `en-bt` (back-translated English) is `en`."""
    return side.removesuffix("-bt")
