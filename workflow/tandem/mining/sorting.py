"""Records of numbers sorted on disk: memory is a setting, whatever their number."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tandem.files.atomic import beside

Records = NDArray[np.uint64]
"""Records of numbers, (n, columns)."""
_COLUMN_BYTES = 32
"""What a number of a record takes while it is sorted: itself, its copy, its part of the record's
place in the order and of what waits."""
_LEAST_ROWS = 64


class Sorter:
    """Takes records in any order, and gives them back sorted by all their numbers in turn.

    Sorted runs are written to disk and merged block by block.
    """

    def __init__(self, folder: Path, memory_bytes: int, columns: int = 2) -> None:
        """Sort records of so many numbers in files of an existing folder, within so many bytes."""
        self._folder, self._columns = folder, columns
        self._rows = max(_LEAST_ROWS, memory_bytes // (_COLUMN_BYTES * columns))
        self._waiting: list[Records] = []
        self._count = 0
        self._runs: list[Path] = []

    def add(self, *columns: NDArray[np.uint64]) -> None:
        """Add records by their columns, (n,); n is small beside what fits the memory."""
        self._waiting.append(np.stack(columns, axis=1))
        self._count += len(columns[0])
        if self._count >= self._rows:
            self._write_run()

    def blocks(self) -> Iterator[Records]:
        """Yield all records in order, block by block; the runs are removed at the end."""
        if self._count:
            self._write_run()
        size = max(_LEAST_ROWS, self._rows // (2 * max(1, len(self._runs))))
        runs = [_Run(path, size, self._columns) for path in self._runs]
        while runs := [run for run in runs if run.fill()]:
            last = min(tuple(run.block[-1]) for run in runs)
            yield in_order(np.concatenate([run.until(last) for run in runs]))
        for path in self._runs:
            path.unlink()

    def _write_run(self) -> None:
        path = self._folder / f"run{len(self._runs)}"
        with open(path, "wb") as run:
            write_numbers(run, in_order(np.concatenate(self._waiting)))
        self._runs.append(path)
        self._waiting, self._count = [], 0


class _Run:
    """A sorted file, of which a block is in memory."""

    def __init__(self, path: Path, rows: int, columns: int) -> None:
        self._path, self._rows, self._columns, self._read = path, rows, columns, 0
        self.block: Records = np.zeros((0, columns), np.uint64)

    def fill(self) -> bool:
        """Read on where the block is used up; return whether there is one."""
        if not len(self.block):
            count, start = self._columns * self._rows, 8 * self._columns * self._read
            self.block = np.fromfile(self._path, np.uint64, count, offset=start)
            self.block = self.block.reshape(-1, self._columns)
            self._read += len(self.block)
        return len(self.block) > 0

    def until(self, last: tuple[np.uint64, ...]) -> Records:
        """Take the records of the block that are not above this one."""
        below = np.ones(len(self.block), bool)
        for column, number in zip(self.block.T[::-1], last[::-1], strict=True):
            below = (column < number) | ((column == number) & below)
        count = int(below.sum())
        taken, self.block = self.block[:count], self.block[count:]
        return taken


def write_numbers(stream: BinaryIO, numbers: NDArray) -> None:
    """Write numbers as they are, row by row.

    NumPy's `tofile` would lose the last of them on a full disk, and say nothing.
    """
    stream.write(np.ascontiguousarray(numbers).data)


def in_order(records: Records) -> Records:
    """Return records sorted by the first number, then by the second, and so on."""
    return records[np.lexsort(records.T[::-1])]


def scratch_folder(path: str | Path) -> contextlib.AbstractContextManager[Path]:
    """Yield a folder beside the file `path` to sort in; it is removed at the end.

    What a killed run has left is removed first. TandemError where the disk is full.
    """
    path = Path(path)
    # not the beginning of the names that atomic_path(path) removes
    return beside(path.with_name(f"scratch.{path.name}"), Path.mkdir, lambda *_: None)


def sorted_on_disk(
    blocks: Iterable[Records], columns: int, scratch: Path, memory_bytes: int
) -> Iterator[Records]:
    """Yield records in order, block by block, sorted in files of a folder within `scratch`."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        sorter = Sorter(Path(folder), memory_bytes, columns)
        for block in blocks:
            sorter.add(*block.T)
        yield from sorter.blocks()
