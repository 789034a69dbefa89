"""Sentence pairs out of neighbour lists: scores by cosine or margin, and four ways to choose.

Artetxe and Schwenk (2019, "Margin-based Parallel Corpus Mining with Multilingual Sentence
Embeddings", section 3) score a pair by its cosine a against b, half the mean cosine of x to its k
neighbours plus half that of y to its own; Yang et al. (2019, section 6.1) add a once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tandem.search.lists import NOBODY, Lists, Neighbours

_BLOCK = 1 << 16


class Score(StrEnum):
    """How a pair (x, y) is scored, from its cosine a and the mean b of its neighbourhoods.

    ABSOLUTE is the name Artetxe and Schwenk give to the cosine alone. YANG_9 and YANG_10 are
    equations 9 and 10 of Yang et al. (2019): the latter's b is the mean cosine of the query to its
    own neighbours alone, x in a forward search and y in a backward one.
    """

    COSINE = "cosine"
    ABSOLUTE = "absolute"
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
class Pairs:
    """Mined pairs, best first: rows of the source, rows of the target, scores float64; each (p,).

    Equal scores are ordered by source, then by target.
    """

    source: np.ndarray
    target: np.ndarray
    score: np.ndarray

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.source)

    def above(self, threshold: float) -> Pairs:
        """Return the pairs that score `threshold` or more."""
        count = int(np.searchsorted(-self.score, -threshold, side="right"))
        return Pairs(self.source[:count], self.target[:count], self.score[:count])


def mine(neighbours: Neighbours, score: Score, retrieval: Retrieval) -> Pairs:
    """Choose and score pairs of sentences from their neighbour lists.

    Memory is linear in the number of sentences; the lists themselves are read in blocks. A pair
    whose ratio is undefined, since its neighbourhood has no positive mean, is not proposed.

    Args:
        neighbours: lists of k in both directions; their k is the k of the margin.
        score: how pairs are scored.
        retrieval: which pairs are proposed.
    """
    means = mean_cosines(neighbours.forward), mean_cosines(neighbours.backward)
    forward = backward = None
    if retrieval is not Retrieval.BACKWARD:
        forward = _best(neighbours.forward, *means, score)
    if retrieval is not Retrieval.FORWARD:
        turned = _best(neighbours.backward, *reversed(means), score)
        backward = Pairs(turned.target, turned.source, turned.score)
    if backward is None:
        return _ordered(forward)
    if forward is None:
        return _ordered(backward)
    if retrieval is Retrieval.INTERSECTION:
        return _ordered(_union(forward, backward, least=2))
    return _greedy(_ordered(_union(forward, backward)))


def mean_cosines(lists: Lists) -> np.ndarray:
    """Return the mean score of each list, float64 (n,); 0 for a list without neighbours."""
    means = np.zeros(lists.scores.shape[0])
    for start in range(0, len(means), _BLOCK):
        scores = np.array(lists.scores.block(start, min(len(means), start + _BLOCK)), np.float64)
        there = np.isfinite(scores)
        total = np.where(there, scores, 0).sum(1)
        means[start : start + len(scores)] = total / np.maximum(there.sum(1), 1)
    return means


def score_pairs(
    cosine: np.ndarray, query: np.ndarray, answer: np.ndarray, score: Score
) -> np.ndarray:
    """Score pairs, float64; minus infinity where a ratio has no positive denominator.

    Args:
        cosine: cosine of each pair.
        query: mean cosine of the query to its k neighbours, broadcast against `cosine`.
        answer: mean cosine of the answer to its own.
        score: the formula.
    """
    if score in (Score.COSINE, Score.ABSOLUTE):
        return np.asarray(cosine, np.float64)
    margin = query + np.zeros_like(answer) if score is Score.YANG_10 else query / 2 + answer / 2
    if score is Score.DISTANCE:
        return cosine - margin
    sound = margin > 0
    ratio = np.where(sound, cosine / np.where(sound, margin, 1), -np.inf)
    return ratio if score is Score.RATIO else ratio + cosine


def _best(lists: Lists, own: np.ndarray, other: np.ndarray, score: Score) -> Pairs:
    """Return the best-scored neighbour of each query; ties go to the lower index."""
    queries, answers, scores = [], [], []
    rows = lists.indices.shape[0]
    for start in range(0, rows, _BLOCK):
        stop = min(rows, start + _BLOCK)
        indices = np.array(lists.indices.block(start, stop))
        cosine = np.array(lists.scores.block(start, stop), np.float64)
        there = indices != NOBODY
        cosine[~there] = 0
        values = score_pairs(cosine, own[start:stop, None], other[indices], score)
        values[~there] = -np.inf
        high = values.max(1)
        tied = np.where(values == high[:, None], indices, np.iinfo(np.int64).max)
        keep = np.flatnonzero(np.isfinite(high))
        queries.append(start + keep)
        answers.append(tied.min(1)[keep])
        scores.append(high[keep])
    return Pairs(np.concatenate(queries), np.concatenate(answers), np.concatenate(scores))


def _ordered(pairs: Pairs) -> Pairs:
    order = np.lexsort((pairs.target, pairs.source, -pairs.score))
    return Pairs(pairs.source[order], pairs.target[order], pairs.score[order])


def _union(forward: Pairs, backward: Pairs, least: int = 1) -> Pairs:
    """Return each pair once, at the higher of its scores, if proposed `least` times."""
    source = np.concatenate([forward.source, backward.source])
    target = np.concatenate([forward.target, backward.target])
    score = np.concatenate([forward.score, backward.score])
    order = np.lexsort((-score, target, source))
    source, target, score = source[order], target[order], score[order]
    first = np.ones(len(source), bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    starts = np.flatnonzero(first)
    times = np.diff(np.append(starts, len(source)))
    chosen = starts[times >= least]
    return Pairs(source[chosen], target[chosen], score[chosen])


def _greedy(pairs: Pairs) -> Pairs:
    """Go down the ordered pairs and take each whose two sentences are both still free."""
    used: tuple[set[int], set[int]] = (set(), set())
    keep = np.zeros(len(pairs), bool)
    for place, (i, j) in enumerate(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)):
        if i not in used[0] and j not in used[1]:
            keep[place] = True
            used[0].add(i)
            used[1].add(j)
    return Pairs(pairs.source[keep], pairs.target[keep], pairs.score[keep])
