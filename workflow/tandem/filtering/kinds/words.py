"""Length in words."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tandem.filtering.filter import Filter, Scores
from tandem.text.spelling import word_count


class WordCount(Filter):
    """Words of each side (see `tandem.text.spelling.word_count`), between two bounds."""

    minimum: int | None = Field(1, ge=1)
    """Fewest words in a side."""
    maximum: int | None = Field(100, ge=1)
    """Most words in a side."""
    side: Literal["left", "right"] | None = None
    """The side whose words count; null: both, and each must be within the bounds."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The side that counts, or both."""
        return (self.side,) if self.side else ("left", "right")

    def score(self, left: str, right: str) -> Scores:
        """Return the words of each side that counts."""
        if self.side is None:
            return word_count(left), word_count(right)
        return (word_count(left if self.side == "left" else right),)
