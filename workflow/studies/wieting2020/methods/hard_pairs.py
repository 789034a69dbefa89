"""Hard pairs of STS: those whose word overlap is no indication of their similarity.

The paper (footnote 7) gives the symmetric word error rate of sentences a and b,
SWER(a, b) = (WER(a, b) + WER(b, a)) / 2. It does not say what a word is; its released code
evaluates lower-cased sentences that Moses has tokenised, and footnote 9's negation "'t" is a token
of Moses. Here words are Tandem's tokens, lower-cased with marks apart, whose counts of pairs in
Table 6's splits are as near to the paper's as those of Moses.

Section 4.3 and Table 1 contradict each other. The section's text puts into Hard+ the pairs of low
SWER whose score is 0 to 1, and into Hard- those of high SWER whose score is 4 to 5. In Table 1 the
example of Hard+ has dissimilar words and a high score (4.5), that of Hard- similar words and a low
score (1.0), which is also what section 4.4 says of positive and negative examples. Figure 3 and
Table 6 agree with Table 1: BGT's 22.5 of Hard+ lies with Table 6's splits of high SWER (18.1 and
20.0) and its 46.6 of Hard- with those of low SWER (47.1 and 63.6), and SP's 19.1 and 29.8 likewise.
So Hard+ is here the top of SWER with scores 4 to 5, and Hard- the bottom with scores 0 to 1; the
reading of the text, which is the same two sets under each other's names, is scored as
`hard-plus-as-printed` and `hard-minus-as-printed`.

Shares are of all pairs: Table 6's counts of the bottom 20% with scores 0 to 2 and 3 to 5, 404 and
2,079, leave 122 of the 2,605 for the scores between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tandem.text.tokens import tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.statistics.correlation import FloatArray

_NEGATION = re.compile(r"\bnot\b|['\u2019]t\b")
"""Footnote 9: "one sentence contained not or 't and the other did not"."""


@dataclass(frozen=True)
class Split:
    """Pairs at one end of the error rates whose human score is in a range, bounds included."""

    label: str
    """What a table calls it."""
    end: str
    """top (few words shared), bottom (most words shared)."""
    share: float
    """Share of all pairs that is at that end."""
    low: float
    """Lowest human score, 0 to 5."""
    high: float
    """Highest human score."""

    @property
    def quantile(self) -> float:
        """The quantile of the error rates that bounds it."""
        return self.share if self.end == "bottom" else 1 - self.share


ALL, NEGATION = "all", "negation"
SPLITS = {
    "bottom20-0-2": Split("Bottom 20% SWER, label 0 to 2", "bottom", 0.2, 0, 2),
    "bottom10-0-1": Split("Bottom 10% SWER, label 0 to 1", "bottom", 0.1, 0, 1),
    "top20-3-5": Split("Top 20% SWER, label 3 to 5", "top", 0.2, 3, 5),
    "top10-4-5": Split("Top 10% SWER, label 4 to 5", "top", 0.1, 4, 5),
    "top20-0-2": Split("Top 20% SWER, label 0 to 2", "top", 0.2, 0, 2),
    "bottom20-3-5": Split("Bottom 20% SWER, label 3 to 5", "bottom", 0.2, 3, 5),
    "hard-plus": Split("Hard+: top 20% SWER, label 4 to 5", "top", 0.2, 4, 5),
    "hard-minus": Split("Hard-: bottom 20% SWER, label 0 to 1", "bottom", 0.2, 0, 1),
}
"""Table 6's splits and the two of Figure 3, by unit."""
AS_PRINTED = {"hard-plus-as-printed": "hard-minus", "hard-minus-as-printed": "hard-plus"}
"""The names that the text of section 4.3 gives to the two sets."""
HARD_MEAN = "hard-mean"
HARD = ("hard-plus", "hard-minus")
"""What Figure 3's second average is the mean of."""


def error_rate(first: str, second: str) -> float:
    """Return the symmetric word error rate of two sentences; one without words counts as one."""
    left, right = tokens(first), tokens(second)
    shares = 1 / max(len(left), 1) + 1 / max(len(right), 1)
    return edit_distance(left, right) * shares / 2


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Count the words to insert, delete or replace, at least, to make `right` of `left`."""
    row = list(range(len(right) + 1))
    for place, word in enumerate(left, start=1):
        corner, row[0] = row[0], place
        for column, other in enumerate(right, start=1):
            changed = corner + (word != other)
            corner, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, changed)
    return row[-1]


def negation(first: str, second: str) -> bool:
    """Whether one of two sentences holds a negation and the other does not."""
    left, right = (_NEGATION.search(text.lower()) is not None for text in (first, second))
    return left != right


def bound(rates: FloatArray, split: Split) -> float:
    """Return the error rate that bounds a split; pairs that have it belong to it."""
    return float(np.quantile(rates, split.quantile))


def members(
    unit: str, gold: FloatArray, rates: FloatArray, negated: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which pairs a unit is measured on; all (pairs,)."""
    if unit == ALL:
        return np.ones(len(gold), np.bool_)
    if unit == NEGATION:
        return negated
    split = SPLITS[AS_PRINTED.get(unit, unit)]
    limit = bound(rates, split)
    at_end = rates <= limit if split.end == "bottom" else rates >= limit
    return at_end & (gold >= split.low) & (gold <= split.high)
