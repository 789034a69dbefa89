"""Sides of very different lengths are seldom translations."""

from __future__ import annotations

from pydantic import Field

from tandem.filtering import Filter


class LengthRatio(Filter):
    """Ratio of the lengths of the two sides in characters, the longer over the shorter."""

    maximum: float = Field(3.0, ge=1)
    """Largest ratio of a pair that is kept."""

    def keeps(self, left: str, right: str) -> bool:
        """Whether the ratio is small enough."""
        shorter, longer = sorted((len(left), len(right)))
        return longer / (shorter or 1) <= self.maximum
