"""Many lines to ids at once: what `ChunkTokenizer` does, at several times the speed.

Python handles a chunk only when it is new. All chunks of a batch are found, hashed and looked up
with NumPy, on the UTF-8 bytes of the batch. The hash has 64 bits and nothing but the hash is
compared: among a million chunks two share one with a probability of 3e-8.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tandem.ragged import Ragged, from_rows
from tandem.tokenization import AFTER, BEFORE, EDGES, ChunkTokenizer, stand_in

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

MEMORY_LIMIT = 500_000
"""Distinct chunks remembered before the memory is emptied: about 100 MB."""
_IDS_LIMIT = 20_000_000
_BESIDE = [(before, after) for before in (BEFORE, "") for after in AFTER]
_CONTEXTS, _ALONE = len(_BESIDE), _BESIDE.index(("", ""))
_AT_ONCE = 512
"""Chunks converted at a time: at 700 lists of ids Python's garbage collector would begin to look
through whatever the process holds, which takes longer than the conversion."""
_UNKNOWN = -1
_NEW = array("i", [_UNKNOWN] * _CONTEXTS)
_SPACES = [chr(code) for code in range(128, 0x3001) if chr(code).isspace()]
_IS_SPACE = np.array([chr(code).isspace() and code < 128 for code in range(256)])
_IS_EDGE = np.isin(np.arange(256), [ord(mark) for mark in EDGES])
_NEWLINE = 10
_BASE = 0x9E3779B97F4A7C15
_SCRAMBLE = np.uint64(0xD6E8FEB86659FD93)
_BYTES = np.random.default_rng(0).integers(1, 2**63, 256, np.uint64)


class BatchTokenizer:
    """Maps many lines to the ids that a `ChunkTokenizer` gives them one by one.

    Each distinct chunk has a number and, for each kind of context, a row in a table of ids.
    """

    def __init__(self, chunks: ChunkTokenizer[int]) -> None:
        """Take the ids of chunks from `chunks`."""
        self._chunks = chunks
        self._hasher = _Hasher()
        self._forget()

    def __call__(self, lines: Sequence[str]) -> Ragged:
        """Return the ids of the lines (int32)."""
        if len(self._kinds) > MEMORY_LIMIT or len(self._ids) > _IDS_LIMIT:
            self._forget()
        if not lines:
            return from_rows([])
        data = _bytes(lines)
        starts, ends, rows = _find_chunks(data)
        spans = _Spans(data, starts, ends)
        numbers = self._number(spans, self._hasher(data, starts, ends))
        places = _CONTEXTS * numbers + self._contexts(numbers, rows)
        found = np.frombuffer(self._rows, np.int32)[places]
        if (unknown := np.flatnonzero(found == _UNKNOWN)).size:
            self._learn(spans, unknown, places)
            found = np.frombuffer(self._rows, np.int32)[places]
        table = Ragged(np.frombuffer(self._ids, np.int32), np.frombuffer(self._ends, np.int64))
        gathered = table.gather(found)
        return Ragged(gathered.ids, gathered.offsets[rows])

    def _number(self, spans: _Spans, hashes: Hashes) -> Integers:
        """Return the number of each chunk, giving new ones the next numbers."""
        numbers = self._index.find(hashes)
        new = np.flatnonzero(numbers == _UNKNOWN)
        if new.size:
            fresh, first = np.unique(hashes[new], return_index=True)
            self._index.add(fresh, len(self._kinds))
            self._kinds.extend(_kind(chunk[0]) for chunk in spans.texts(new[first]))
            self._rows.extend(_NEW * len(fresh))
            numbers[new] = self._index.find(hashes[new])
        return numbers

    def _contexts(self, numbers: Integers, rows: Integers) -> NDArray[np.int8]:
        """Return the context of each chunk: the kind of the next one, 4 more if it is first."""
        contexts = np.zeros(len(numbers) + 1, np.int8)
        contexts[:-2] = np.frombuffer(self._kinds, np.int8)[numbers[1:]]
        contexts[rows[1:] - 1] = 0
        first = np.zeros(len(numbers) + 1, np.int8)
        first[rows[:-1]] = len(AFTER)
        return (contexts + first)[:-1]

    def _learn(self, spans: _Spans, unknown: Integers, places: Integers) -> None:
        """Add the ids of chunks not yet seen in their context."""
        alone = ~spans.depend_on_context(unknown)
        wanted = np.where(alone, places[unknown] // _CONTEXTS * _CONTEXTS, places[unknown])
        wanted, first = np.unique(wanted, return_index=True)
        alone = alone[first]
        contexts = [_BESIDE[kind] for kind in np.where(alone, _ALONE, wanted % _CONTEXTS).tolist()]
        tokens = self._chunks.tokens(spans.texts(unknown[first]), contexts)
        rows = len(self._ends) - 1 + np.arange(len(tokens), dtype=np.int32)
        table = np.frombuffer(self._rows, np.int32).reshape(-1, _CONTEXTS)
        table[wanted[alone] // _CONTEXTS] = rows[alone, None]
        table.reshape(-1)[wanted[~alone]] = rows[~alone]
        for start in range(0, len(tokens), _AT_ONCE):
            for ids in self._chunks.convert(tokens[start : start + _AT_ONCE]):
                self._ids.extend(ids)
                self._ends.append(len(self._ids))

    def _forget(self) -> None:
        self._index = _Index()
        # per chunk: which of AFTER it is when it follows another; per chunk and context: its row
        self._kinds, self._rows = array("b"), array("i")
        # the ids of all rows, and where those of each row end
        self._ids, self._ends = array("i"), array("q", [0])


@cache
def _kind(letter: str) -> int:
    """Return which of AFTER a chunk is that begins with the letter and follows another."""
    return AFTER.index(stand_in(letter))


class _Spans:
    """The chunks of a batch: chunk i is data[starts[i]:ends[i]], and white space follows it."""

    def __init__(self, data: NDArray[np.uint8], starts: Integers, ends: Integers) -> None:
        self._data, self._starts, self._ends = data, starts, ends

    def texts(self, indices: Integers) -> list[str]:
        """Return chunks."""
        starts, lengths = self._starts[indices], self._ends[indices] - self._starts[indices] + 1
        ends = np.cumsum(lengths)
        places = np.arange(lengths.sum()) + np.repeat(starts - ends + lengths, lengths)
        data = self._data[places]
        data[ends - 1] = _NEWLINE
        return data[:-1].tobytes().decode("utf-8", "surrogatepass").split("\n")

    def depend_on_context(self, indices: Integers) -> NDArray[np.bool_]:
        """Tell which chunks depend on what stands beside them."""
        edges = self._data[self._starts[indices]], self._data[self._ends[indices] - 1]
        return _IS_EDGE[edges[0]] | _IS_EDGE[edges[1]]


def _bytes(lines: Sequence[str]) -> NDArray[np.uint8]:
    """Return the lines as UTF-8, each with a newline after it and only ASCII white space."""
    text = "\n".join(lines) + "\n"
    if text.count("\n") != len(lines):  # a line with newlines inside
        text = "\n".join(" ".join(line.split()) for line in lines) + "\n"
    if not text.isascii():
        for space in _SPACES:
            text = text.replace(space, " ")
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def _find_chunks(data: NDArray[np.uint8]) -> tuple[Integers, Integers, Integers]:
    """Return where chunks start and end, and the number of chunks before each line and in all."""
    space = _IS_SPACE[data]
    edges = np.flatnonzero(space[1:] != space[:-1]) + 1
    if not space[0]:
        edges = np.concatenate([np.zeros(1, np.int64), edges])
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(data == _NEWLINE)
    rows = np.zeros(len(newlines) + 1, np.int64)
    rows[1:] = np.searchsorted(starts, newlines)
    return starts, ends, rows


class _Hasher:
    """Polynomial hashes modulo 2**64 of spans of bytes, from differences of a running sum."""

    def __init__(self) -> None:
        self._powers = self._inverses = np.ones(1, np.uint64)

    def __call__(self, data: NDArray[np.uint8], starts: Integers, ends: Integers) -> Hashes:
        """Return the hash of each span, never 0."""
        if len(data) > len(self._powers):
            self._powers = _powers(_BASE, 2 * len(data))
            self._inverses = _powers(pow(_BASE, -1, 2**64), 2 * len(data))
        sums = np.zeros(len(data) + 1, np.uint64)
        np.cumsum(_BYTES[data] * self._powers[: len(data)], out=sums[1:])
        hashes = (sums[ends] - sums[starts]) * self._inverses[starts]
        hashes ^= hashes >> np.uint64(32)
        hashes *= _SCRAMBLE
        return hashes | np.uint64(1)


def _powers(base: int, count: int) -> Hashes:
    """Return base**0, base**1, ... modulo 2**64, (count,)."""
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)


class _Index:
    """A hash table with linear probing from hashes to numbers, looked up many at a time."""

    def __init__(self) -> None:
        self._bits, self._count = 16, 0
        self._clear()

    def find(self, hashes: Hashes) -> Integers:
        """Return the number of each hash, _UNKNOWN where it has none."""
        slots = self._slots(hashes)
        numbers = self._numbers[slots].astype(np.int64)
        keys = self._keys[slots]
        pending = np.flatnonzero((keys != hashes) & (keys != 0))
        numbers[keys == 0] = _UNKNOWN
        slots = slots[pending]
        while pending.size:
            slots = (slots + 1) & self._mask
            keys, wanted = self._keys[slots], hashes[pending]
            numbers[pending] = np.where(keys == wanted, self._numbers[slots], _UNKNOWN)
            on = (keys != wanted) & (keys != 0)
            pending, slots = pending[on], slots[on]
        return numbers

    def add(self, hashes: Hashes, first: int) -> None:
        """Give new, distinct hashes the numbers from `first` on."""
        numbers = np.arange(first, first + len(hashes), dtype=np.int32)
        self._count += len(hashes)
        if 4 * self._count > len(self._keys):
            held = self._keys != 0
            hashes = np.concatenate([self._keys[held], hashes])
            numbers = np.concatenate([self._numbers[held], numbers])
            self._bits = (4 * self._count).bit_length()
            self._clear()
        slots = self._slots(hashes)
        while len(hashes):
            free = np.flatnonzero(self._keys[slots] == 0)
            _, chosen = np.unique(slots[free], return_index=True)
            taken = free[chosen]
            self._keys[slots[taken]], self._numbers[slots[taken]] = hashes[taken], numbers[taken]
            left = np.ones(len(hashes), bool)
            left[taken] = False
            hashes, numbers, slots = hashes[left], numbers[left], (slots[left] + 1) & self._mask

    def _slots(self, hashes: Hashes) -> Integers:
        return (hashes >> np.uint64(64 - self._bits)).astype(np.int64)

    def _clear(self) -> None:
        self._mask = (1 << self._bits) - 1
        self._keys = np.zeros(1 << self._bits, np.uint64)
        self._numbers = np.zeros(1 << self._bits, np.int32)
