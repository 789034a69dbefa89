"""Ragged arrays: one flat array of ids and where each row begins, mapped from disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tandem.errors import InputError
from tandem.files.atomic import atomic_path
from tandem.files.io import sha256
from tandem.files.npy import write_npy

_REMEDY = "Delete it and run what made it again: the text is segmented anew"
_SUM = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Ragged:
    """Rows of ids of differing length.

    Attributes:
        ids: (tokens,) uint16 or int32, all rows one after the other.
        offsets: (rows + 1,) int64; row i is ids[offsets[i]:offsets[i + 1]].
    """

    ids: NDArray[np.integer]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, index: int) -> NDArray[np.integer]:
        """Return the ids of one row."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def part(self, start: int, end: int) -> Ragged:
        """Return the rows from `start` to before `end`; their ids are a view."""
        offsets = self.offsets[start : end + 1]
        return Ragged(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def lengths(self) -> NDArray[np.int64]:
        """Return the length of each row, (rows,)."""
        return np.diff(self.offsets)

    def check_below(self, vocabulary: int) -> None:
        """Refuse ids beyond a vocabulary of this size: the text was segmented with another."""
        if len(self.ids) and not 0 <= self.ids.min() <= self.ids.max() < vocabulary:
            name = getattr(self.ids, "filename", "segmented text")
            ids = f"ids from {self.ids.min()} to {self.ids.max()}"
            raise InputError(name, None, f"{ids} in a vocabulary of {vocabulary}", _REMEDY)

    def gather(self, rows: NDArray[np.integer]) -> Ragged:
        """Copy the given rows, in the order given, into a new ragged array in memory."""
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        offsets = np.append(0, np.cumsum(lengths))
        positions = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return Ragged(self.ids[positions], offsets)


def from_rows(rows: Iterable[Sequence[int]]) -> Ragged:
    """Build a ragged array (int32) in memory."""
    rows = list(rows)
    ids = np.fromiter(chain.from_iterable(rows), np.int32)
    return Ragged(ids, np.cumsum([0, *map(len, rows)]))


def concatenate(parts: Sequence[Ragged]) -> Ragged:
    """Join ragged arrays row after row."""
    lengths = [part.lengths() for part in parts]
    offsets = np.append(0, np.cumsum(np.concatenate(lengths)))
    return Ragged(np.concatenate([part.ids for part in parts]), offsets)


def joined(first: Ragged, second: Ragged) -> Ragged:
    """Return rows that are one after the other: row i of the first, then row i of the second."""
    count = len(first)
    order = np.arange(2 * count).reshape(2, count).T.ravel()
    both = concatenate([first, second]).gather(order)
    return Ragged(both.ids, both.offsets[::2])


def load(stem: str | Path) -> Ragged:
    """Map a ragged array that `save_stream` wrote.

    Raises:
        InputError: a file is missing or damaged, or the two do not belong together.
    """
    ids = load_array(f"{stem}.ids.npy", (np.uint16, np.int32))
    offsets = load_array(f"{stem}.offsets.npy", (np.int64,))
    falls = (offsets[1:] < offsets[:-1]).any()
    if not len(offsets) or falls or (offsets[0], offsets[-1]) != (0, len(ids)):
        raise InputError(f"{stem}.ids.npy", None, "its length contradicts its offsets", _REMEDY)
    return Ragged(ids, offsets)


def load_sides(folder: str | Path, split: str, sides: Sequence[str]) -> tuple[Ragged, Ragged]:
    """Map both sides of a segmented split; InputError if they have not as many rows."""
    left, right = (load(Path(folder) / f"{split}.{side}") for side in sides)
    if len(left) != len(right):
        problem = f"the sides {' and '.join(sides)} have {len(left):,} and {len(right):,} sentences"
        raise InputError(Path(folder) / f"{split}.{sides[0]}.ids.npy", None, problem, _REMEDY)
    return left, right


def load_array(path: str | Path, kinds: Sequence[DTypeLike]) -> NDArray:
    """Map an array of one dimension and of one of these types, whose checksum is right."""
    try:
        raw = np.memmap(path, np.uint8, "r")
        if hashlib.sha256(raw[:-_SUM].data).digest() != raw[-_SUM:].tobytes():
            raise ValueError("its checksum is another")
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        if array.ndim != 1 or array.dtype not in kinds:
            raise ValueError(f"{array.dtype} of shape {array.shape}")
    except (OSError, ValueError) as error:
        raise InputError(path, None, f"missing or damaged ({error})", _REMEDY) from error
    return array


def save_stream(stem: str | Path, chunks: Iterable[Ragged], largest_id: int) -> int:
    """Write `<stem>.ids.npy` and `<stem>.offsets.npy`, chunk by chunk; return the number of rows.

    Ids are uint16 where `largest_id` allows, else int32. Each file ends in the SHA-256 of what is
    before it, which NumPy does not read. Memory: one chunk and the offsets (8 bytes a row).
    """
    dtype = np.uint16 if largest_id < 2**16 else np.int32
    ends = [np.zeros(1, np.int64)]

    def ids() -> Iterator[NDArray[np.integer]]:
        for chunk in chunks:
            ends.append(chunk.offsets[1:] + ends[-1][-1])
            yield chunk.ids

    offsets_path, ids_path = f"{stem}.offsets.npy", f"{stem}.ids.npy"
    with atomic_path(offsets_path) as offsets_file, atomic_path(ids_path) as ids_file:
        _write(ids_file, ids(), dtype)
        return _write(offsets_file, ends, np.int64) - 1


def save_array(path: str | Path, parts: Iterable[NDArray], dtype: DTypeLike) -> int:
    """Write arrays of one dimension as one, for `load_array`; return its length."""
    with atomic_path(path) as temporary:
        return _write(temporary, parts, dtype)


def _write(path: Path, parts: Iterable[NDArray], dtype: DTypeLike) -> int:
    """Write arrays as one, and after it the SHA-256 of the file; return its length."""
    with open(path, "wb") as stream:
        rows = write_npy(stream, parts, dtype)
    digest = sha256(path)
    with open(path, "ab") as stream:
        stream.write(bytes.fromhex(digest))
    return rows
