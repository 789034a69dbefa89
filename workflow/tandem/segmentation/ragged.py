"""Ragged arrays: one flat array of ids and where each row begins, mapped from disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.errors import InputError
from tandem.io import atomic_path
from tandem.npy import write_npy


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
        """Return the number of rows."""
        return len(self.offsets) - 1

    def row(self, index: int) -> NDArray[np.integer]:
        """Return the ids of one row."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def head(self, rows: int) -> Ragged:
        """Return the first rows, as views."""
        offsets = self.offsets[: rows + 1]
        return Ragged(self.ids[: offsets[-1]], offsets)

    def lengths(self) -> NDArray[np.int64]:
        """Return the length of each row, (rows,)."""
        return np.diff(self.offsets)

    def gather(self, rows: NDArray[np.integer]) -> Ragged:
        """Copy the given rows, in the order given, into a new ragged array in memory."""
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        positions = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return Ragged(self.ids[positions], offsets)


def from_rows(rows: Iterable[Sequence[int]]) -> Ragged:
    """Build a ragged array (int32) in memory."""
    ids: list[int] = []
    offsets = [0]
    for row in rows:
        ids.extend(row)
        offsets.append(len(ids))
    return Ragged(np.array(ids, np.int32), np.array(offsets, np.int64))


def concatenate(parts: Sequence[Ragged]) -> Ragged:
    """Join ragged arrays row after row."""
    lengths = np.concatenate([part.lengths() for part in parts])
    offsets = np.append(0, np.cumsum(lengths))
    return Ragged(np.concatenate([part.ids for part in parts]), offsets)


def load(stem: str | Path) -> Ragged:
    """Map a ragged array that `save_stream` wrote.

    Raises:
        InputError: the two files do not belong together.
    """
    ids, offsets = (
        np.load(f"{stem}.{part}.npy", mmap_mode="r", allow_pickle=False)
        for part in ("ids", "offsets")
    )
    if offsets[-1] != len(ids):
        problem = "its length contradicts its offsets"
        raise InputError(f"{stem}.ids.npy", None, problem, "Segment it again")
    return Ragged(ids, offsets)


def save_stream(stem: str | Path, chunks: Iterable[Ragged], largest_id: int) -> int:
    """Write `<stem>.ids.npy` and `<stem>.offsets.npy`, chunk by chunk; return the number of rows.

    Ids are uint16 where `largest_id` allows, else int32. Memory: one chunk and the offsets
    (8 bytes a row).
    """
    dtype = np.uint16 if largest_id < 2**16 else np.int32
    ends = [np.zeros(1, np.int64)]

    def ids() -> Iterator[NDArray[np.integer]]:
        for chunk in chunks:
            ends.append(chunk.offsets[1:] + ends[-1][-1])
            yield chunk.ids

    offsets_path, ids_path = f"{stem}.offsets.npy", f"{stem}.ids.npy"
    with atomic_path(offsets_path) as offsets_file, atomic_path(ids_path) as ids_file:
        with open(ids_file, "wb") as stream:
            write_npy(stream, ids(), dtype)
        with open(offsets_file, "wb") as stream:
            return write_npy(stream, ends, np.int64) - 1
