"""Sides of very different lengths are seldom translations."""

from __future__ import annotations

from pydantic import Field

from tandem.filtering.filter import Filter, Scores


class LengthRatio(Filter):
    """Ratio of the lengths of the two sides in characters, the longer over the shorter."""

    maximum: float | None = Field(3.0, ge=1)
    """Largest ratio of a pair that is kept."""

    def score(self, left: str, right: str) -> Scores:
        """Return the ratio; an empty side counts as one character."""
        shorter, longer = sorted((len(left), len(right)))
        return (longer / (shorter or 1),)
