"""Paraphrases that repeat each other teach little: shared n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from tandem.filtering.filter import Filter, Scores
from tandem.text.tokens import tokens


class Overlap(Filter):
    """N-grams that two texts of one language share, over those of the text with fewer.

    wieting2017, section 5.7. N-grams are of tokens and are counted as often as they occur. A text
    of too few tokens has none and shares none: the score is 0.
    """

    minimum: float | None = Field(None, ge=0, le=1)
    maximum: float | None = Field(None, ge=0, le=1)
    order: int = Field(1, ge=1)
    """Tokens in an n-gram; 1 to 3 in the paper."""

    def score(self, left: str, right: str) -> Scores:
        """Return the share of n-grams in common, 0 to 1."""
        return (ngram_overlap(tokens(left), tokens(right), self.order),)


def ngram_overlap(left: Sequence[str], right: Sequence[str], order: int) -> float:
    """Return the n-grams in common over those of the side with fewer, 0 to 1."""
    ours, theirs = ngrams(left, order), ngrams(right, order)
    fewer = min(ours.total(), theirs.total())
    return (ours & theirs).total() / fewer if fewer else 0.0


def ngrams(units: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of a text."""
    return Counter(zip(*(units[start:] for start in range(order)), strict=False))
