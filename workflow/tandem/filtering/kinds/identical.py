"""Sides that were never translated."""

from __future__ import annotations

from tandem.filtering.filter import Filter, Scores


class IdenticalSides(Filter):
    """1 for sides that are the same except for case and white space, else 0."""

    maximum: float | None = 0.0
    """Highest score of a pair that is kept: 0 keeps sides that differ."""

    def score(self, left: str, right: str) -> Scores:
        """Return 1 for sides that are the same, else 0."""
        return (float(left.casefold() == right.casefold()),)
