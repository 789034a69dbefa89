"""Sentence pairs out of neighbour lists: scores by cosine or margin, and four ways to choose.

Artetxe and Schwenk (2019, "Margin-based Parallel Corpus Mining with Multilingual Sentence
Embeddings", section 3) score a pair by its cosine a against b, half the mean cosine of x to its k
neighbours plus half that of y to its own; Yang et al. (2019, section 6.1) add a once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tandem.search.neighbours import NOBODY, Lists, Neighbours, row_blocks


class Score(StrEnum):
    """How a pair (x, y) is scored, from its cosine a and the mean b of its neighbourhoods.

    COSINE is what Artetxe and Schwenk call absolute. YANG_9 and YANG_10 are
    equations 9 and 10 of Yang et al. (2019): the latter's b is the mean cosine of the query to its
    own neighbours alone, x in a forward search and y in a backward one.
    """

    COSINE = "cosine"
    DISTANCE = "distance"
    RATIO = "ratio"
    YANG_9 = "yang-9"
    YANG_10 = "yang-10"


class Retrieval(StrEnum):
    """Which pairs are proposed (Artetxe and Schwenk, 2019, section 3.2).

    FORWARD: the best target of each source. BACKWARD: the best source of each target.
    INTERSECTION: the pairs that both propose, at the higher of the two scores. MAX: from what
    either proposes, the best pair first, each sentence in one pair at most.
    """

    FORWARD = "forward"
    BACKWARD = "backward"
    INTERSECTION = "intersection"
    MAX = "max"


@dataclass(frozen=True)
class MinedPairs:
    """Pairs, best first: rows of the source, rows of the target, scores float64; each (p,).

    Equal scores are ordered by source, then by target.
    """

    source: np.ndarray
    target: np.ndarray
    score: np.ndarray

    def __len__(self) -> int:
        return len(self.source)

    def take(self, places: slice | np.ndarray) -> MinedPairs:
        """Return the pairs at some places."""
        return MinedPairs(self.source[places], self.target[places], self.score[places])

    def above(self, threshold: float) -> MinedPairs:
        """Return the pairs that score `threshold` or more."""
        count = int(np.searchsorted(-self.score, -threshold, side="right"))
        return self.take(slice(count))


def mine(neighbours: Neighbours, score: Score, retrieval: Retrieval) -> MinedPairs:
    """Choose and score pairs of sentences from their neighbour lists.

    The k of the lists is that of the margin. Memory is linear in the number of sentences. A pair
    whose ratio is undefined, since its neighbourhood has no positive mean, is not proposed.
    """
    left, right = map(mean_cosines, neighbours)
    source, target, high = _best(neighbours.forward, left, right, score)
    second, first, higher = _best(neighbours.backward, right, left, score)
    if retrieval is Retrieval.FORWARD:
        return ordered(source, target, high)
    if retrieval is Retrieval.BACKWARD:
        return ordered(first, second, higher)
    both = ordered(np.append(source, first), np.append(target, second), np.append(high, higher))
    if retrieval is Retrieval.MAX:
        return _greedy(both)
    pairs = both.source * len(right) + both.target
    _, places, times = np.unique(pairs, return_index=True, return_counts=True)
    return both.take(np.sort(places[times == 2]))


def mean_cosines(lists: Lists) -> np.ndarray:
    """Return the mean score of each list, float64 (n,); 0 for a list without neighbours."""
    means = np.zeros(len(lists.indices))
    for rows in row_blocks(lists):
        there = lists.indices[rows] != NOBODY
        total = lists.scores[rows].sum(1, dtype=np.float64, where=there)
        means[rows] = total / np.maximum(there.sum(1), 1)
    return means


def score_pairs(
    cosine: np.ndarray, query: np.ndarray, answer: np.ndarray, score: Score
) -> np.ndarray:
    """Score pairs, float64; minus infinity where a ratio has no positive denominator.

    `query` is the mean cosine of the query to its k neighbours, broadcast against `cosine`, and
    `answer` that of the answer to its own.
    """
    if score is Score.COSINE:
        return np.asarray(cosine, np.float64)
    margin = query + np.zeros_like(answer) if score is Score.YANG_10 else query / 2 + answer / 2
    if score is Score.DISTANCE:
        return cosine - margin
    sound = margin > 0
    ratio = np.where(sound, cosine / np.where(sound, margin, 1), -np.inf)
    return ratio if score is Score.RATIO else ratio + cosine


def _best(
    lists: Lists, query: np.ndarray, answer: np.ndarray, score: Score
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each query, its best-scored neighbour and their score; ties go to the lower index."""
    high, tied = np.empty(len(query)), np.empty(len(query), np.int64)
    for rows in row_blocks(lists):
        indices, cosines = lists.indices[rows], lists.scores[rows].astype(np.float64)
        values = score_pairs(cosines, query[rows, None], answer[indices], score)
        values[indices == NOBODY] = -np.inf
        high[rows] = values.max(1)
        tied[rows] = np.where(values == high[rows, None], indices, len(answer)).min(1)
    sound = np.flatnonzero(np.isfinite(high))
    return sound, tied[sound], high[sound]


def ordered(source: np.ndarray, target: np.ndarray, score: np.ndarray) -> MinedPairs:
    """Return pairs in the order of `MinedPairs`."""
    return MinedPairs(source, target, score).take(np.lexsort((target, source, -score)))


def _greedy(pairs: MinedPairs) -> MinedPairs:
    """Go down the ordered pairs and take each whose two sentences are both still free."""
    sides = pairs.source, pairs.target
    sources, targets = (bytearray(side.max(initial=-1) + 1) for side in sides)
    keep = np.zeros(len(pairs), bool)
    for place, (i, j) in enumerate(zip(*(side.data for side in sides), strict=True)):
        if not (sources[i] or targets[j]):
            keep[place] = sources[i] = targets[j] = True
    return pairs.take(keep)
