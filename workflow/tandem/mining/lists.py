"""Neighbour lists of groups of shards: searched, joined, filtered."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.files.atomic import atomic_path
from tandem.mining.vectors import joined_vectors
from tandem.search.neighbours import NOBODY, IndexKind, Lists, Neighbours, search

_ROWS = 1 << 16
"""Sentences whose lists are joined at a time."""


class Group(NamedTuple):
    """Some shards of a side: the files of their vectors, and of their sentences' numbers."""

    vectors: Sequence[str]
    numbers: Sequence[str]

    @property
    def rows(self) -> NDArray[np.int64]:
        """The numbers of the sentences that have a vector, ascending, (c,)."""
        return np.concatenate([np.load(path) for path in self.numbers])


def search_groups(
    first: Group, second: Group, width: int, index: IndexKind, memory_bytes: int, device: str,
    scratch: str | Path,
) -> Neighbours:  # fmt: skip
    """Search two groups in each other; lists have the numbers that sentences have in their side.

    Exact search scores what it finds again, pair by pair, so that neither lists nor scores depend
    on what a sentence is searched together with.
    """
    rows = first.rows, second.rows
    if not (len(rows[0]) and len(rows[1])):
        return Neighbours(*(empty(len(numbers), width) for numbers in rows))
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        paths = [
            joined_vectors(group.vectors, Path(folder) / name)
            for group, name in ((first, "first.npy"), (second, "second.npy"))
        ]
        lists = search(
            paths[0], paths[1], width, index=index, memory_bytes=memory_bytes, device=device
        )
    return Neighbours(*(
        wide(Lists(np.where(near.indices == NOBODY, NOBODY, numbers[near.indices]), near.scores),
             width)
        for near, numbers in zip(lists, rows[::-1], strict=True)
    ))  # fmt: skip


def empty(rows: int, width: int) -> Lists:
    """Return lists without neighbours."""
    return Lists(
        np.full((rows, width), NOBODY, np.int64), np.full((rows, width), -np.inf, np.float32)
    )


def wide(lists: Lists, width: int) -> Lists:
    """Return lists of this width, filled up with nobody."""
    rest = empty(len(lists.indices), width - lists.indices.shape[1])
    return Lists(*(np.append(part, more, axis=1) for part, more in zip(lists, rest, strict=True)))


def join(parts: Sequence[Lists], width: int) -> Lists:
    """Return the best of several lists of the same sentences: by score, then the lowest number."""
    rows, columns = len(parts[0].indices), sum(part.indices.shape[1] for part in parts)
    best = empty(rows, min(width, columns))
    for start in range(0, rows, _ROWS):
        some = slice(start, start + _ROWS)
        indices = np.concatenate([part.indices[some] for part in parts], axis=1)
        scores = np.concatenate([part.scores[some] for part in parts], axis=1)
        order = np.lexsort((indices, -scores), axis=1)[:, :width]
        best.indices[some] = np.take_along_axis(indices, order, axis=1)
        best.scores[some] = np.take_along_axis(scores, order, axis=1)
    return best


def read_lists(paths: Sequence[str], half: str, width: int) -> Lists:
    """Join the lists of the same sentences of a side from the files of searches."""
    lists = None
    for path in paths:
        with np.load(path) as arrays:
            part = Lists(arrays[f"{half}_indices"], arrays[f"{half}_scores"])
        lists = join([lists, part] if lists else [part], width)
    assert lists is not None
    return lists


def without(lists: Lists, refused: NDArray[np.bool_], k: int) -> Lists:
    """Return the k best of lists (n, w) without those neighbours that are refused, bool (n, w)."""
    indices = np.where(refused, NOBODY, lists.indices)
    scores = np.where(refused, np.float32(-np.inf), lists.scores)
    return join([Lists(indices, scores)], k)


def save(path: str, **arrays: NDArray) -> None:
    """Write arrays as one file, whole or not at all; equal arrays give equal bytes."""
    with atomic_path(path) as place, open(place, "wb") as out:
        np.savez(out, **arrays)  # type: ignore[arg-type]  # the stub takes a flag among the names
