"""Hard negatives of pairs: similar sentences that do not say the same."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.bitext import meanings
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError, writing
from tandem.files.scratch import StoredLines, scratch
from tandem.progress import progress_bar
from tandem.search.neighbours import Lists, nearest, row_blocks
from tandem.search.rows import UnitRows, forget
from tandem.statistics.cosine import cosine_similarity, unit_length
from tandem.text import Pair
from tandem.text.spelling import exact_key, key

BEYOND = 20
"""Neighbours that are looked at beyond those asked for: some are too near, or say the same. Where
these do not suffice, all are looked at."""
_ROWS = 1 << 12
"""Most pairs, and most sentences, whose cosines are in memory where all are looked at."""

Rows = NDArray[np.int64]
_Found = tuple[Rows, Rows, NDArray[np.floating]]
"""Pairs, those that their negatives are of, and cosines; each pair's nearest first."""


class StoredPairs:
    """Pairs in a file, read by their number: 16 bytes of each are held in memory."""

    def __init__(self, pairs: Iterable[Pair], file: BinaryIO) -> None:
        """Write pairs to an empty file, a line for each side."""
        self._lines = StoredLines(file)
        with writing("the pairs", file.fileno(), file.tell):
            for pair in pairs:
                for side in pair:
                    self._lines.append(side.encode())
            file.flush()

    def __len__(self) -> int:
        return len(self._lines) // 2

    def __getitem__(self, number: int) -> Pair:
        return self._lines[2 * number].decode(), self._lines[2 * number + 1].decode()

    def __iter__(self) -> Iterator[Pair]:
        return (self[number] for number in range(len(self)))


class Mined(NamedTuple):
    """Negatives, pair by pair: (negatives,) numbers of pairs, and of those whose second side it is.

    Attributes:
        pairs: the pair whose first sentence it is a negative of, rising.
        negatives: the first pair that it is the second sentence of.
        cosines: of the two.
        unlike: how many pairs have a cosine of 0 or below, and hence no negatives.
    """

    pairs: Rows
    negatives: Rows
    cosines: NDArray[np.float64]
    unlike: int


@dataclass(frozen=True)
class _Bounds:
    """What a negative is, of p pairs and d different second sentences.

    Attributes:
        groups: (p,) numbers, equal for pairs that say the same.
        distinct: (d,) the first pair that has each of the second sentences.
        limits: (p,) the highest cosine of a negative.
        number: most negatives of a pair.
    """

    groups: Rows
    distinct: Rows
    limits: NDArray[np.float64]
    number: int

    def allow(self, rows: Rows, columns: Rows, cosines: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Tell which second sentences are negatives of some pairs, (rows, k).

        `columns` are these sentences, (k,) the same ones of all pairs or (rows, k).
        """
        apart = self.groups[self.distinct[columns]] != self.groups[rows][:, None]
        return apart & (cosines <= self.limits[rows][:, None])


def mined(
    encoder: SentenceEncoder,
    pairs: Sequence[Pair] | StoredPairs,
    languages: Sequence[str],
    number: int,
    margin: float,
    memory_bytes: int | None = None,
    place: Path | None = None,
) -> Mined:
    """Return at most `number` negatives of every pair, the most similar first.

    They are second sentences of other pairs, whose cosine with the pair's first sentence is at most
    1 - `margin` times the pair's own; none says the same as a side of the pair but for case and
    white space, or by way of other pairs; and of equal sentences one is taken. A pair has fewer, or
    none, where no more of all second sentences are such; and none where its own cosine is 0 or
    below, of which a share means nothing.

    Vectors are on disk, in files without a name; in memory are some 200 bytes of a pair, and 24 for
    each neighbour that is looked at, of which the search wants to know the bound.

    Args:
        memory_bytes: see `search`.
        place: the folder on whose disk the vectors are; None: where the system has such files.

    Raises:
        TandemError: there are fewer than two pairs, or too little memory or room.
    """
    if len(pairs) < 2:
        raise TandemError(f"{len(pairs)} pairs. Negatives are sentences of other pairs: give more")
    groups, distinct, seconds = _texts(pairs)
    with contextlib.ExitStack() as stack:
        left = _encoded(encoder, (a for a, _ in pairs), languages[0], len(pairs), stack, place)
        others = (pairs[n][1] for n in distinct.tolist())
        right = _encoded(encoder, others, languages[1], len(distinct), stack, place)
        cosines = _own_cosines(left, right, seconds)
        bounds = _Bounds(groups, distinct, (1 - margin) * cosines, number)
        parts: list[_Found] = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
        if (like := cosines > 0).any():
            with progress_bar(total=100, unit="%", desc="search") as bar:
                near = nearest(
                    left, right, number + BEYOND, memory_bytes=memory_bytes, device=encoder.device,
                    progress=lambda share: bar.update(int(100 * share) - bar.n),
                )  # fmt: skip
            parts += _nearest(near, like, bounds, left, right)
    rows, negatives, scores = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return Mined(rows[order], negatives[order], scores[order], int((~like).sum()))


def _texts(pairs: Iterable[Pair]) -> tuple[Rows, Rows, Rows]:
    """Return what is equal in pairs.

    These are (p,) groups, equal for pairs that say the same; (d,) the first pair that has each of
    the different second sentences; and (p,) which of these every pair has.
    """
    keys, texts = array("Q"), array("Q")
    for first, second in pairs:
        keys.extend((key(first), key(second)))
        texts.append(exact_key(second))
    groups = meanings(*np.frombuffer(keys, np.uint64).reshape(-1, 2).T)
    # copies would fill the lists of neighbours
    _, distinct, seconds = np.unique(
        np.frombuffer(texts, np.uint64), return_index=True, return_inverse=True
    )
    order = np.argsort(distinct)
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return groups, distinct[order], places[seconds]


def _encoded(
    encoder: SentenceEncoder, sentences: Iterable[str], language: str, count: int,
    stack: contextlib.ExitStack, place: Path | None,
) -> np.memmap:  # fmt: skip
    """Return the vectors of `count` sentences, float32 (count, d); `stack` closes their file."""
    file = stack.enter_context(scratch(place))
    shown = progress_bar(sentences, total=count, unit=" sentence", unit_scale=True, desc="encoding")
    width = 0
    with writing("the vectors of the pairs", file.fileno(), file.tell):
        for part in encoder.encode_stream(shown, language):
            width = part.shape[1]
            file.write(np.ascontiguousarray(part, np.float32).data)
        file.flush()
    return np.memmap(file, np.float32, "r", shape=(count, width))


def _own_cosines(left: np.ndarray, right: np.ndarray, seconds: Rows) -> NDArray[np.float64]:
    """Return the cosine of each pair, (p,), whose second sentence has the row `seconds`, (p,)."""
    cosines = np.zeros(len(left))
    for block in _blocks(len(left)):
        cosines[block] = cosine_similarity(left[block], right[seconds[block]])
        for side in (left, right):
            forget(side)
    return cosines


def _blocks(count: int) -> Iterator[slice]:
    return (slice(start, start + _ROWS) for start in range(0, count, _ROWS))


def _nearest(
    near: Lists, like: NDArray[np.bool_], bounds: _Bounds, left: np.ndarray, right: np.ndarray
) -> Iterator[_Found]:
    """Yield the negatives of pairs.

    Args:
        near: of every first sentence the nearest of the different second ones.
        like: (p,) the pairs that may have negatives.
        left: the vectors of first sentences, (p, d); `right`: of the different second ones.
    """
    rest = []
    for block in row_blocks(near):
        some = np.arange(len(like))[block]
        taken = bounds.allow(some, near.indices[block], near.scores[block]) & like[block, None]
        taken &= taken.cumsum(1) <= bounds.number  # the nearest
        complete = taken.sum(1) == min(bounds.number, len(right))
        rest.append(some[like[block] & ~complete])
        rows, columns = np.nonzero(taken & complete[:, None])
        rows = some[rows]
        yield rows, bounds.distinct[near.indices[rows, columns]], near.scores[rows, columns]
    several = np.concatenate(rest)
    blocks = [several[block] for block in _blocks(len(several))]
    for some in progress_bar(blocks, desc="looking at all", unit="part"):
        yield _among_all(some, bounds, left, right)


def _among_all(some: Rows, bounds: _Bounds, left: np.ndarray, right: np.ndarray) -> _Found:
    """Return the negatives of some pairs, having looked at all second sentences."""
    first, number = unit_length(left[some]), min(bounds.number, len(right))
    forget(left)
    columns = np.zeros((len(some), number), np.int64)
    cosines = np.full((len(some), number), -np.inf, np.float32)
    for start, block in UnitRows(right).blocks(_ROWS):
        scores = first @ block.T
        scores[~bounds.allow(some, np.arange(start, start + len(block)), scores)] = -np.inf
        best, highest = _highest(scores, min(number, len(block)))
        columns = np.concatenate([columns, start + best], 1)
        cosines = np.concatenate([cosines, highest], 1)
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :number]
        columns = np.take_along_axis(columns, order, 1)
        cosines = np.take_along_axis(cosines, order, 1)
    rows, places = np.nonzero(np.isfinite(cosines))
    return some[rows], bounds.distinct[columns[rows, places]], cosines[rows, places]


def _highest(scores: NDArray[np.float32], number: int) -> tuple[Rows, NDArray[np.float32]]:
    """Return the columns of the highest scores of each row, the highest first, and these.

    Both are (rows, number). Of equal scores the first is taken; in `scores` -infinity is left in
    their place. For a few this is faster than sorting.
    """
    rows, best = np.arange(len(scores)), np.empty((len(scores), number), np.int64)
    highest = np.empty(best.shape, np.float32)
    for place in range(number):
        best[:, place] = columns = scores.argmax(1)
        highest[:, place] = scores[rows, columns]
        scores[rows, columns] = -np.inf
    return best, highest
