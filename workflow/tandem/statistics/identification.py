"""How well scores tell pairs that say the same from pairs that do not.

Scores that are equal are treated as equal: a threshold lies between two different scores, and a tie
of a positive with a negative counts as half.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError

Array = NDArray[np.floating]
Labels = NDArray[np.integer]


class _Cuts(NamedTuple):
    """What is at least as high as each different score, from the highest on; first, nothing is.

    Attributes:
        scores: (cuts,) the different scores; the first one is infinite.
        positive, negative: (cuts,) how many pairs of either label.
    """

    scores: Array
    positive: Labels
    negative: Labels

    @classmethod
    def of(cls, scores: Array, labels: Labels) -> _Cuts:
        return Ranked(scores, labels).cuts()


class Ranked:
    """Labelled pairs from the highest score on, sorted once for figures of many resamples."""

    def __init__(self, scores: Array, labels: Labels) -> None:
        self._order = np.argsort(-scores, kind="stable")
        ranked, self._right = scores[self._order].astype(np.float64), labels[self._order] == 1
        self._last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
        self._scores = np.append(np.inf, ranked[self._last])

    def cuts(self, times: Labels | None = None) -> _Cuts:
        """Return the cuts, of pairs that count so many times, (pairs,); None: each once."""
        weights = 1 if times is None else times[self._order]
        counts = (np.append(0, np.cumsum(side * weights)[self._last])
                  for side in (self._right, ~self._right))  # fmt: skip
        return _Cuts(self._scores, *counts)

    def figures(self, threshold: float, times: Labels | None = None) -> Array:
        """Return `FIGURES`, (5,), of pairs that count so many times, (pairs,); None: each once."""
        cuts = self.cuts(times)
        # scores fall from cut to cut; the last one that is high enough
        place = len(cuts.scores) - 1 - np.searchsorted(cuts.scores[::-1], threshold)
        both, wrong = cuts.positive[place], cuts.negative[place]
        every = cuts.positive[-1] + cuts.negative[-1]
        right = (both + cuts.negative[-1] - wrong) / every
        told = both + wrong + cuts.positive[-1]
        return np.array([
            right, 2 * both / told if told else 0.0, _average_precision(cuts), _area(cuts),
            _equal_error(cuts),
        ])  # fmt: skip


FIGURES = ("accuracy", "f1", "average_precision", "auc", "equal_error")
"""Names of the figures of labelled pairs, in the order of `Ranked.figures`."""


def drawn_figures(
    ranked: Ranked, threshold: float, groups: Labels, resamples: int, seed: int
) -> Array:
    """Return `FIGURES` of resamples of whole groups of pairs: (resamples, 5).

    `groups` has the number of each pair's group, from 0 on, (pairs,). Memory grows with the pairs
    alone.
    """
    random, count = np.random.default_rng(seed), int(groups.max()) + 1
    draws = np.empty((resamples, len(FIGURES)))
    for row in draws:
        # equal in distribution to a multinomial, which takes ten times as long of many groups
        times = np.bincount(random.integers(count, size=count), minlength=count)
        row[:] = ranked.figures(threshold, times[groups])
    return draws


def best_accuracy(scores: Array, labels: Labels) -> tuple[float, float]:
    """Return the threshold with the highest accuracy, and that accuracy (0 to 1).

    A pair is taken for the same where its score is at least the threshold, which lies in the middle
    between two scores; of equally good ones the one in the middle is taken.

    Raises:
        TandemError: there are no pairs.
    """
    _check(scores, labels)
    cuts = _Cuts.of(scores, labels)
    right = cuts.positive + cuts.negative[-1] - cuts.negative
    best = np.flatnonzero(right == right.max())
    place = best[len(best) // 2]
    if place == 0:  # nothing is taken
        threshold = np.nextafter(cuts.scores[1], np.inf)
    elif place == len(cuts.scores) - 1:  # everything is
        threshold = cuts.scores[place]
    else:
        threshold = (cuts.scores[place] + cuts.scores[place + 1]) / 2
    return float(threshold), float(right.max() / len(labels))


def area(scores: Array, labels: Labels) -> float:
    """Return the area under the curve of the receiver: how often a positive is above a negative."""
    return _area(_Cuts.of(scores, labels))


def _area(cuts: _Cuts) -> float:
    rates = (side / max(side[-1], 1) for side in (cuts.negative, cuts.positive))
    return float(np.trapezoid(*reversed([*rates])))


def equal_error(scores: Array, labels: Labels) -> float:
    """Return the error at which as large a share of positives as of negatives is misjudged."""
    return _equal_error(_Cuts.of(scores, labels))


def _equal_error(cuts: _Cuts) -> float:
    missed = 1 - cuts.positive / max(cuts.positive[-1], 1)
    false = cuts.negative / max(cuts.negative[-1], 1)
    after = int(np.argmax(false >= missed))
    before = max(after - 1, 0)
    gap = [missed[n] - false[n] for n in (before, after)]
    share = gap[0] / (gap[0] - gap[1]) if gap[0] != gap[1] else 0.0
    return float(false[before] + share * (false[after] - false[before]))


def average_precision(scores: Array, labels: Labels) -> float:
    """Return the mean precision at the ranks of the positives, ties taken together."""
    return _average_precision(_Cuts.of(scores, labels))


def _average_precision(cuts: _Cuts) -> float:
    taken = cuts.positive[1:] + cuts.negative[1:]
    gained = np.diff(cuts.positive) / max(cuts.positive[-1], 1)
    # pairs that are drawn no time may come first
    return float(np.sum(gained * cuts.positive[1:] / np.maximum(taken, 1)))


def f1(predicted: NDArray[np.bool_], labels: Labels) -> float:
    """Return the harmonic mean of precision and recall of the positives."""
    both = np.count_nonzero(predicted & (labels == 1))
    total = np.count_nonzero(predicted) + np.count_nonzero(labels == 1)
    return float(2 * both / total) if total else 0.0


def _check(scores: Array, labels: Labels) -> None:
    if not len(scores):
        raise TandemError("no labelled pairs. A threshold needs some of either label")
    if not np.isfinite(scores).all():
        raise TandemError("a score is no finite number: training diverged; lower the learning rate")
