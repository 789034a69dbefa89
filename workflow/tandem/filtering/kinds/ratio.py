"""Sides of very different lengths are seldom translations."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from statistics import median

from pydantic import Field, PositiveFloat

from tandem.filtering.filter import Filter, Scores
from tandem.text import Pair

MEASURED = 10_000
"""Pairs that the usual ratio is measured on, the first ones."""


class LengthRatio(Filter):
    """How far the ratio of the lengths of the two sides, in characters, is from the usual one."""

    maximum: float | None = Field(3.0, ge=1)
    """Largest ratio of a pair that is kept, of the longer side over the shorter."""
    usual: PositiveFloat | None = 1.0
    """Characters of the right side for each of the left one that are usual: 0.3 in Chinese for
    English. The ratio of a pair is taken relative to it, either way. Null: of a collection, what is
    usual in each corpus and language; elsewhere 1."""

    def score(self, left: str, right: str) -> Scores:
        """Return the ratio; an empty side counts as one character."""
        shorter, longer = sorted(((self.usual or 1) * (len(left) or 1), float(len(right) or 1)))
        return (longer / shorter,)

    def fitted(self, pairs: Iterable[Pair]) -> LengthRatio:
        """Return the filter with the usual ratio of these pairs, if it names none."""
        return self if self.usual else self.model_copy(update={"usual": usual_ratio(pairs)})


def usual_ratio(pairs: Iterable[Pair]) -> float:
    """Return the median of the ratios of the right sides' lengths to the left ones'.

    Of the first pairs with text on both sides; 1 where there is none.
    """
    lengths = ((len(left.strip()), len(right.strip())) for left, right in islice(pairs, MEASURED))
    ratios = [right / left for left, right in lengths if left and right]
    return median(ratios) if ratios else 1.0
