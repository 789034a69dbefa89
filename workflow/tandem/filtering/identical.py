"""Sides that were never translated."""

from __future__ import annotations

from tandem.filtering import Filter


class IdenticalSides(Filter):
    """Removes pairs whose sides are the same except for case and white space."""

    def keeps(self, left: str, right: str) -> bool:
        """Whether the sides differ."""
        return left.casefold() != right.casefold()
