"""Documents: their mean vectors, which of them are neighbours, and a search among those alone.

A pair of documents is searched by itself, so that the work grows with the documents and not with
their pairs, and nothing that is found depends on which pairs a job has.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.files.atomic import atomic_path
from tandem.files.npy import write_npy
from tandem.mining.lists import Group, Lists, empty, join, wide
from tandem.mining.sentences import Sentences
from tandem.mining.sorting import Sorter, scratch_folder
from tandem.search.neighbours import NOBODY, SPARE, IndexKind, Neighbours, search

_CHUNK = 1 << 16
"""Lines whose documents are handed on at a time."""
_ROWS = 1 << 11
"""Sentences of a document that are compared at a time."""
_LISTS = 1 << 17
"""Lists that are held, at least, before those of one sentence are joined."""


class Vectors:
    """The vectors of a side, by the numbers of its sentences, read where they are needed."""

    def __init__(self, side: Sentences, group: Group) -> None:
        """Map the files of all shards of a side."""
        self._firsts = np.append(0, np.cumsum(side.shards))
        self._shards = [np.load(path, mmap_mode="r") for path in group.vectors]
        self._numbers = [np.load(path, mmap_mode="r") for path in group.numbers]
        self.dimension = self._shards[0].shape[1]

    def unit(self, sentences: NDArray[np.int64]) -> tuple[NDArray, NDArray[np.float32]]:
        """Return those of some ascending sentences that have a vector, and it, (n, d), length 1."""
        numbers, rows = [np.zeros(0, np.int64)], [np.zeros((0, self.dimension))]
        bounds = np.searchsorted(sentences, self._firsts)
        for shard in np.flatnonzero(np.diff(bounds)):
            wanted = sentences[bounds[shard] : bounds[shard + 1]]
            there = self._numbers[shard]
            places = np.searchsorted(there, wanted)
            inside = places < len(there)
            places, wanted = places[inside], wanted[inside]
            places = places[there[places] == wanted]
            numbers.append(np.asarray(there[places]))
            rows.append(self._shards[shard][places].astype(np.float64))
        values = np.concatenate(rows)
        values /= np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
        return np.concatenate(numbers), values.astype(np.float32)


class Documents:
    """Which sentences of a side stand in each document: members from one start to the next."""

    def __init__(self, path: str) -> None:
        """Read what `write_documents` wrote."""
        with np.load(path) as arrays:
            self.members, self.starts = arrays["members"], arrays["starts"]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, document: int) -> NDArray[np.int64]:
        """Return the numbers of a document's sentences, ascending."""
        return self.members[self.starts[document] : self.starts[document + 1]]


def members(side: Sentences, scratch: str | Path, memory_bytes: int) -> tuple[NDArray, NDArray]:
    """Return the sentences of each document, and where those of each begin and the last ones end.

    Documents are numbered as they first stand. A sentence is in every document that has one of its
    places. Names, and 8 bytes for each sentence of each document, are held in memory.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        path = Path(folder) / "documents"
        count = _number_lines(side, path)
        of_lines = np.memmap(path, np.uint64, "r")
        (Path(folder) / "sorted").mkdir()
        sorter = Sorter(Path(folder) / "sorted", memory_bytes)
        places, starts = side.places.places, side.places.starts
        for first in range(0, len(places), _CHUNK):
            some = places[first : first + _CHUNK]
            numbers = np.arange(first, first + len(some))
            sentences = np.searchsorted(starts, numbers, "right") - 1
            sorter.add(of_lines[some], sentences.astype(np.uint64))
        del of_lines  # network file systems keep a file that is mapped, and so its folder
        parts, counts = [], np.zeros(count, np.int64)
        last = np.full((1, 2), 2**64 - 1, np.uint64)
        for block in sorter.blocks():
            new = (block != np.concatenate([last, block[:-1]])).any(1)
            counts += np.bincount(block[new, 0].astype(np.int64), minlength=count)
            parts.append(block[new, 1].astype(np.int64))
            last = block[-1:]
    return np.concatenate(parts), np.append(0, np.cumsum(counts))


def _number_lines(side: Sentences, path: Path) -> int:
    """Write the number of the document of each line; return how many documents there are."""
    column = 1 + side.labels.index("document")
    names: dict[str, int] = {}
    with open(path, "wb") as out, open(side.folder / "lines", "rb") as lines:
        for line in lines:
            name = line[:-1].decode().rsplit("\t", len(side.labels))[column]
            number = names.setdefault(name, len(names))
            out.write(number.to_bytes(8, "little"))
    return len(names)


def write_documents(
    side: Sentences, group: Group, members_path: str, means_path: str, memory_bytes: int
) -> int:
    """Write the members of documents, and the mean of their sentences' unit vectors, (n, d).

    A document of unknown words only has a vector of zeros. Return how many documents there are.
    """
    with scratch_folder(means_path) as scratch:
        listed, starts = members(side, scratch, memory_bytes)
    vectors = Vectors(side, group)

    def means() -> Iterator[NDArray[np.float32]]:
        for start, end in zip(starts[:-1], starts[1:], strict=True):
            total, count = np.zeros(vectors.dimension), 0
            for first in range(start, end, _ROWS):
                _, rows = vectors.unit(listed[first : min(end, first + _ROWS)])
                total += rows.sum(0, dtype=np.float64)
                count += len(rows)
            yield (total / max(1, count)).astype(np.float32)[None]

    with atomic_path(means_path) as place, open(place, "wb") as out:
        write_npy(out, means(), np.float32, vectors.dimension)
    with atomic_path(members_path) as place, open(place, "wb") as out:
        np.savez(out, members=listed, starts=starts)
    return len(starts) - 1


def pair_documents(
    first: str, second: str, count: int, index: IndexKind, memory_bytes: int, device: str
) -> NDArray[np.int64]:
    """Return the pairs of documents of which either is among the `count` nearest of the other.

    `first` and `second` are files of mean vectors. The pairs, (p, 2), are sorted.
    """
    near = search(first, second, count, index=index, memory_bytes=memory_bytes, device=device)
    pairs = []
    for lists, forward in zip(near, (True, False), strict=True):
        row, column = np.nonzero(lists.indices != NOBODY)
        both = np.stack([row, lists.indices[row, column]], axis=1)
        pairs.append(both if forward else both[:, ::-1])
    return np.unique(np.concatenate(pairs), axis=0)


def slice_of(pairs: NDArray[np.int64], number: int, slices: int) -> NDArray[np.int64]:
    """Return one of so many slices of sorted pairs."""
    return pairs[number * len(pairs) // slices : (number + 1) * len(pairs) // slices]


def search_pairs(
    pairs: NDArray[np.int64], documents: Sequence[Documents], vectors: Sequence[Vectors], width: int
) -> tuple[tuple[NDArray[np.int64], Lists], ...]:
    """Search the sentences of documents in those of their neighbours.

    Returns:
        The numbers, (n,), and the lists, (n, width), of the sentences of the first side, and those
        of the second; a sentence without a neighbour is missing.
    """
    gathering = Gathering(width), Gathering(width)
    for i, j in pairs.tolist():
        sides = [
            list(_blocks(side, texts.of(number)))
            for side, texts, number in zip(vectors, documents, (i, j), strict=True)
        ]
        for left, right in itertools.product(*sides):
            near = _search(left, right, width)
            for numbers, lists, some in zip((left[0], right[0]), near, gathering, strict=True):
                some.add(numbers, lists)
    return tuple(some.gathered() for some in gathering)


def _blocks(
    vectors: Vectors, sentences: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Yield the sentences of a document that have a vector, some at a time, and their vectors."""
    for first in range(0, len(sentences), _ROWS):
        block = vectors.unit(sentences[first : first + _ROWS])
        if len(block[0]):
            yield block


def _search(
    left: tuple[NDArray, NDArray[np.float32]], right: tuple[NDArray, NDArray], width: int
) -> Neighbours:
    """Search two documents in each other; scores are summed as `tandem.search` sums them."""
    products = left[1] @ right[1].T
    both = []
    for scores, queries, corpus in ((products, left, right), (products.T, right, left)):
        columns = min(width + SPARE, len(corpus[0]))
        near = np.argpartition(-scores, columns - 1, axis=1)[:, :columns]
        exact = np.empty(near.shape, np.float32)
        for column, rows in enumerate(near.T):
            products_of = np.multiply(queries[1], corpus[1][rows], dtype=np.float64)
            exact[:, column] = products_of.sum(1)
        both.append(wide(join([Lists(corpus[0][near], exact)], width), width))
    return Neighbours(*both)


class Gathering:
    """Lists that come one after the other, joined as often as they have doubled."""

    def __init__(self, width: int) -> None:
        """Begin with nothing; lists have `width` neighbours."""
        self._width = width
        self._parts: list[tuple[NDArray[np.int64], Lists]] = []
        self._held, self._bound = 0, _LISTS

    def add(self, numbers: NDArray[np.int64], lists: Lists) -> None:
        """Add the lists (n, w) of the sentences `numbers` (n,)."""
        self._parts.append((numbers, lists))
        self._held += len(numbers)
        if self._held > self._bound:
            self._parts = [self.gathered()]
            self._held = len(self._parts[0][0])
            self._bound = max(_LISTS, 2 * self._held)

    def gathered(self) -> tuple[NDArray[np.int64], Lists]:
        """Return all sentences so far, ascending, and their best neighbours."""
        return gathered(self._parts, self._width)


def gathered(
    parts: Sequence[tuple[NDArray[np.int64], Lists]], width: int
) -> tuple[NDArray[np.int64], Lists]:
    """Join lists of sentences that may stand in several parts, with neighbours in several lists."""
    if not parts:
        return np.zeros(0, np.int64), empty(0, width)
    rows = np.concatenate([np.repeat(numbers, lists.indices.shape[1]) for numbers, lists in parts])
    indices, scores = (
        np.concatenate([lists[field].ravel() for _, lists in parts]) for field in (0, 1)
    )
    there = indices != NOBODY
    rows, indices, scores = rows[there], indices[there], scores[there]
    order = np.lexsort((indices, -scores, rows))
    rows, indices, scores = rows[order], indices[order], scores[order]
    # a neighbour that two lists have stands twice in a row, with the same score
    new = np.append(True, (rows[1:] != rows[:-1]) | (indices[1:] != indices[:-1]))[: len(rows)]
    rows, indices, scores = rows[new], indices[new], scores[new]
    numbers, starts, row = np.unique(rows, return_index=True, return_inverse=True)
    place = np.arange(len(rows)) - starts[row]
    lists = empty(len(numbers), width)
    best = place < width
    lists.indices[row[best], place[best]] = indices[best]
    lists.scores[row[best], place[best]] = scores[best]
    return numbers, lists


def read_lists(paths: Sequence[str], half: str, rows: NDArray[np.int64], width: int) -> Lists:
    """Return the lists of the ascending sentences `rows` of a side from the files of searches."""
    some = Gathering(width)
    for path in paths:
        with np.load(path) as arrays:
            numbers = arrays[f"{half}_numbers"]
            wanted = np.isin(numbers, rows, assume_unique=True)
            lists = Lists(arrays[f"{half}_indices"][wanted], arrays[f"{half}_scores"][wanted])
        some.add(numbers[wanted], lists)
    return on_rows(rows, *some.gathered())


def on_rows(rows: NDArray[np.int64], numbers: NDArray[np.int64], lists: Lists) -> Lists:
    """Return the lists of the sentences `rows`, both ascending; those without one have nobody."""
    chosen = empty(len(rows), lists.indices.shape[1])
    _, places, others = np.intersect1d(rows, numbers, assume_unique=True, return_indices=True)
    chosen.indices[places], chosen.scores[places] = lists.indices[others], lists.scores[others]
    return chosen
