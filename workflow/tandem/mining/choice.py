"""Which proposals become pairs: as `tandem.search.margins.mine` chooses, in bounded memory.

Proposals are sorted on disk, the best first, and go by once, past one bit for each sentence. A pair
is a record of four numbers, which sort as `MinedPairs` are ordered: its score as `_turned` bits,
source, target, and a mark. The mark has the sign of the score, since 0 and -0 are equal but are not
written alike, and tells which side proposes, so that the first one's pair is before an equal one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.mining.sorting import Records, sorted_on_disk
from tandem.search.margins import MinedPairs, Retrieval

_CHUNK = 1 << 16
"""Proposals that are handed on to be sorted at a time."""
_COLUMNS = 4
_SIGN = np.uint64(1 << 63)


def read_proposals(paths: Sequence[str]) -> Iterator[MinedPairs]:
    """Read the proposals of a side, group by group, from files of source, target and score."""
    for path in paths:
        with np.load(path) as part:
            yield MinedPairs(*(part[name] for name in ("source", "target", "score")))


def choose(
    sides: Sequence[Iterable[MinedPairs]], sizes: Sequence[int], retrieval: Retrieval,
    scratch: Path, memory_bytes: int,
) -> Iterator[MinedPairs]:  # fmt: skip
    """Yield the pairs that are chosen from what the sentences of both sides propose, best first.

    Args:
        sides: proposals of the first and of the second side, the proposing sentence first.
        sizes: the numbers of sentences of both.
        retrieval: which proposals are chosen.
        scratch: a folder in which they are sorted.
        memory_bytes: most bytes that are sorted at a time; a bit for each sentence and a part of
            the proposals as they come are held besides.
    """
    records = _proposed(sides, retrieval)
    if retrieval is Retrieval.INTERSECTION:
        by_pair = (block[:, [1, 2, 0, 3]] for block in records)
        # the first sort ends when the second begins to give back
        memory_bytes //= 2
        records = _mutual(sorted_on_disk(by_pair, _COLUMNS, scratch, memory_bytes))
    chosen = sorted_on_disk(records, _COLUMNS, scratch, memory_bytes)
    for block in _greedy(chosen, sizes) if retrieval is Retrieval.MAX else chosen:
        yield _pairs(block)


def in_order(parts: Iterable[MinedPairs], scratch: Path, memory_bytes: int) -> Iterator[MinedPairs]:
    """Yield pairs in the order of `MinedPairs`, sorted in a folder within so many bytes."""
    records = (_records(part) for part in parts)
    for block in sorted_on_disk(records, _COLUMNS, scratch, memory_bytes):
        yield _pairs(block)


def _proposed(sides: Sequence[Iterable[MinedPairs]], retrieval: Retrieval) -> Iterator[Records]:
    """Yield the records of what is proposed by the sides that a retrieval method listens to."""
    unheard = {Retrieval.FORWARD: 1, Retrieval.BACKWARD: 0}.get(retrieval)
    for side, parts in enumerate(sides):
        for part in parts if side != unheard else ():
            for start in range(0, len(part), _CHUNK):
                some = part.take(slice(start, start + _CHUNK))
                if side:
                    some = MinedPairs(some.target, some.source, some.score)
                yield _records(some, side)


def _records(pairs: MinedPairs, side: int = 0) -> Records:
    """Return the records of pairs that a side proposes, (p, 4)."""
    bits = (pairs.score + 0.0).view(np.uint64)  # the sum turns -0 into 0
    mark = 2 * side + np.signbit(pairs.score)
    columns = _turned(bits), pairs.source, pairs.target, mark
    return np.stack([column.astype(np.uint64) for column in columns], axis=1)


def _pairs(records: Records) -> MinedPairs:
    """Return the pairs of records."""
    key, source, target, mark = records.T
    score = np.copysign(_turned(key).view(np.float64), np.where(mark & np.uint64(1), -1, 1))
    return MinedPairs(source.astype(np.int64), target.astype(np.int64), score)


def _turned(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turn the bits of doubles into numbers that ascend as these descend, or such numbers back."""
    return np.where(bits & _SIGN, bits, bits ^ ~_SIGN)


def _mutual(blocks: Iterable[Records]) -> Iterator[Records]:
    """Yield the pairs that both sides propose, at the higher score, from records by pair."""
    last = np.zeros((0, _COLUMNS), np.uint64)
    for block in blocks:
        rows = np.concatenate([last, block])
        twice = (rows[1:, :2] == rows[:-1, :2]).all(1)  # the better one comes first
        yield rows[:-1][twice][:, [2, 0, 1, 3]]
        last = block[-1:]


def _greedy(blocks: Iterable[Records], sizes: Sequence[int]) -> Iterator[Records]:
    """Go down the records and take each whose two sentences are both still free."""
    sources, targets = (bytearray(size // 8 + 1) for size in sizes)
    for block in blocks:
        keep = np.zeros(len(block), bool)
        columns = (column.data for column in block[:, 1:3].T)
        for row, (i, j) in enumerate(zip(*columns, strict=True)):
            source, target = 1 << (i & 7), 1 << (j & 7)
            if not (sources[i >> 3] & source or targets[j >> 3] & target):
                sources[i >> 3] |= source
                targets[j >> 3] |= target
                keep[row] = True
        yield block[keep]
