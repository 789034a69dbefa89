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
    """SentencePieces to learn at most, or most frequent words or trigrams to keep. The paper has
    20,000 pieces, learned from far more text, and 200,000 words or trigrams."""
    separate: bool = False
    """Learn one SentencePiece model for each language rather than one for all; pieces that are
    spelt alike still share an id."""
    marked: tuple[str, ...] = ()
    """Languages whose every token is marked, so that it shares no id with another's (wieting2019,
    section 4.2)."""
    character_coverage: Annotated[float, Field(ge=0.98, le=1)] = 1.0
    """Share of characters that SentencePiece models; the rest is unknown."""
    sample: PositiveInt = 5_000_000
    """Lines of each side that SentencePiece learns from at most."""
    threads: PositiveInt = 1
    """Threads of SentencePiece's trainer: they change the last digits of what is learned."""

    def token_mark(self, language: str) -> str:
        """Return what the tokens of a language begin with in the vocabulary, if it is marked."""
        return f"<{language}>" if language in self.marked else ""


def language_of(side: str) -> str:
    """Return the language of a side of a bitext: `en-bt` (back-translated English) is `en`."""
    return side.removesuffix("-bt")
