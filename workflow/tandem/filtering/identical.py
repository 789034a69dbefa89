"""Sides that were never translated."""

from __future__ import annotations

from tandem.filtering import Filter, Scores


class IdenticalSides(Filter):
    """Removes pairs whose sides are the same except for case and white space."""

    def score(self, left: str, right: str) -> Scores:
        """Return 1 where they are the same, else 0."""
        return (left.casefold() == right.casefold(),)

    def accept(self, score: Scores) -> bool:
        """Whether the sides differ."""
        return not score[0]
