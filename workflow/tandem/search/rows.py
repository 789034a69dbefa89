"""The vectors of one side of a search, read a block of rows at a time and brought to length 1."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np

from tandem.errors import InputError, TandemError
from tandem.files.untrusted import refusing


class UnitRows:
    """Vectors (n, d) in an array or in a `.npy` file, which may be larger than memory."""

    def __init__(self, source: np.ndarray | str | Path) -> None:
        """Open an array or a file; anything but a C-ordered matrix is refused."""
        self.name = "the array" if isinstance(source, np.ndarray) else str(source)
        self._source = source if isinstance(source, np.ndarray) else _map(source)
        shape = self._source.shape
        if len(shape) != 2:
            raise TandemError(f"{self.name} is no matrix (shape {shape}). Give a row per sentence")
        if not all(shape):
            raise TandemError(f"{self.name} is empty (shape {shape}). Give some sentences")
        self.dimension = shape[1]
        kind = self._source.dtype
        floats = kind.kind == "f" and kind.itemsize <= 8
        self.dtype = np.dtype(kind.type if floats else np.float64)
        """What `copy` gives: the floats of this machine that hold the values as they are."""

    def __len__(self) -> int:
        return len(self._source)

    def blocks(
        self, rows: int, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of a first row, and so many rows from it at length 1, float32 (rows, d).

        Rows of zeros stay zeros; a value that is not finite is refused.
        """
        stop = min(len(self), stop or len(self))
        for first in range(start, stop, rows):
            values = self._read(first, min(first + rows, stop)).astype(np.float64)
            lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
            if not np.isfinite(lengths).all():
                self.refuse(first + int(np.argmin(np.isfinite(lengths))))
            values /= np.where(lengths > 0, lengths, 1)[:, None]
            yield first, values.astype(np.float32)

    def copy(self, start: int, out: np.ndarray) -> None:
        """Copy the rows from `start` on, at the length they have, into `out`, (rows, d)."""
        np.copyto(out, self._source[start : start + len(out)], casting="unsafe")
        forget(self._source)

    def refuse(self, row: int) -> NoReturn:
        """Raise the TandemError of a row that holds a value which is not finite."""
        problem = f"{self.name}: row {row} (from 0) holds a value that is not finite"
        raise TandemError(f"{problem}. Encode the sentences again, or drop that row")

    def _read(self, start: int, stop: int) -> np.ndarray:
        """Return rows as they are; a file's are copied, since mapped pages count as memory."""
        rows = self._source[start:stop]
        if isinstance(rows, np.memmap):
            rows = np.array(rows)
            forget(self._source)
        return rows


def forget(vectors: np.ndarray) -> None:
    """Let go of the pages of a mapped file that were read, which count as memory."""
    if isinstance(vectors, np.memmap):
        vectors._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]  # no stub


def _map(path: str | Path) -> np.memmap:
    with refusing(path, "not a readable .npy array", "Write it again with numpy.save"):
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(vectors, np.memmap) or not vectors.flags.c_contiguous:
        remedy = "Save one matrix (rows, columns) as .npy"
        raise InputError(path, None, "not a C-ordered matrix", remedy)
    return vectors
