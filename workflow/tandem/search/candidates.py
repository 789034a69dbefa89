"""What is searched: every different sentence once, with all the places where it stands.

Copies of a sentence would be its own nearest neighbours' neighbours: with as many as a margin looks
at, the margin of a true pair is 1, that of any pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tandem.search.margins import MinedPairs, Retrieval, ordered
from tandem.search.neighbours import NOBODY, Lists, Neighbours, row_blocks


@dataclass(frozen=True)
class Candidates:
    """Different items, in the order in which they first stand.

    Attributes:
        keys: 64 bits that tell them apart, uint64 (c,).
        places: where they stand, from 0, int64 (n,): those of an item together, in order.
        starts: where the places of each item begin and the last ones end, int64 (c + 1,).
    """

    keys: np.ndarray
    places: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def firsts(self) -> np.ndarray:
        """The first place of each item, int64 (c,)."""
        return self.places[self.starts[:-1]]

    @property
    def counts(self) -> np.ndarray:
        """How often each item stands, int64 (c,)."""
        return np.diff(self.starts)

    def take(self, wanted: np.ndarray) -> Candidates:
        """Return the items where `wanted`, bool (c,), is true."""
        counts = self.counts
        starts = np.append(0, np.cumsum(counts[wanted]))
        return Candidates(self.keys[wanted], self.places[np.repeat(wanted, counts)], starts)


def candidates(keys: np.ndarray) -> Candidates:
    """Return the different items of a sequence, by their keys, uint64 (n,); memory is linear."""
    different, first, item = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    item = rank[item]
    starts = np.append(0, np.cumsum(np.bincount(item, minlength=len(order))))
    return Candidates(different[order], np.argsort(item, kind="stable"), starts)


def spread(
    pairs: MinedPairs, source: Candidates, target: Candidates, retrieval: Retrieval
) -> MinedPairs:
    """Return pairs of items as pairs of places, best first.

    The first place of one goes with the first of the other, the second with the second, and where
    one has fewer its places are taken again in turn: all places come back, in as many pairs as the
    item that is there oftener has. A forward search gives a pair for each place of the source, a
    backward one for each of the target, so that their number is linear, too.
    """
    rows = next(spread_in_parts(pairs, source, target, retrieval))
    return ordered(rows.source, rows.target, rows.score)


def spread_in_parts(
    pairs: MinedPairs, source: Candidates, target: Candidates, retrieval: Retrieval,
    rows: int | None = None,
) -> Iterator[MinedPairs]:  # fmt: skip
    """Yield what `spread` returns in any order, `rows` pairs of places at a time, or all at once.

    Memory is linear in the pairs and in `rows`, however often an item stands.
    """
    sides = (source, pairs.source), (target, pairs.target)
    starts = [side.starts[items] for side, items in sides]
    counts = [side.starts[items + 1] - side.starts[items] for side, items in sides]
    one_way = {Retrieval.FORWARD: counts[0], Retrieval.BACKWARD: counts[1]}
    ends = np.cumsum(one_way.get(retrieval, np.maximum(*counts)))
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, max(1, total), rows or max(1, total)):
        numbers = np.arange(start, min(total, start + (rows or total)))
        pair = np.searchsorted(ends, numbers, side="right")
        turn = numbers - np.append(0, ends)[pair]
        left, right = (
            side.places[first[pair] + turn % count[pair]]
            for (side, _), first, count in zip(sides, starts, counts, strict=True)
        )
        yield MinedPairs(left, right, pairs.score[pair])


def without_copies(near: Neighbours, source: Candidates, target: Candidates, k: int) -> Neighbours:
    """Take out of the lists of each item the one of the other side that has the same key.

    Lists of k + 1 neighbours become, where they are, lists of the k nearest others.
    """
    _, left, right = np.intersect1d(
        source.keys, target.keys, assume_unique=True, return_indices=True
    )
    copies = np.full(len(source), NOBODY), np.full(len(target), NOBODY)
    copies[0][left], copies[1][right] = right, left
    forward, backward = (_without(*both, k) for both in zip(near, copies, strict=True))
    return Neighbours(forward, backward)


def _without(lists: Lists, copies: np.ndarray, k: int) -> Lists:
    """Return lists of k without the one index of each, `copies` (n,), that is not wanted."""
    for rows in row_blocks(lists):
        hit = lists.indices[rows] == copies[rows, None]
        lists.indices[rows][hit], lists.scores[rows][hit] = NOBODY, -np.inf
        order = np.argsort(hit, axis=1, kind="stable")
        for part in lists:
            part[rows] = np.take_along_axis(part[rows], order, axis=1)
    return Lists(lists.indices[:, :k], lists.scores[:, :k])
