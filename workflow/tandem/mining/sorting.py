"""Pairs of numbers sorted on disk: memory is a setting, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.uint64]
"""Pairs of numbers, (n, 2)."""
_ROW_BYTES = 64
"""What a pair takes while it is sorted: itself, its copy, its place in the order and its parts."""
_LEAST_ROWS = 64


class Sorter:
    """Takes pairs of numbers in any order, and gives them back sorted by both.

    Sorted runs are written to disk and merged block by block.
    """

    def __init__(self, folder: Path, memory_bytes: int) -> None:
        """Sort in files of an existing folder, within so many bytes."""
        self._folder, self._rows = folder, max(_LEAST_ROWS, memory_bytes // _ROW_BYTES)
        self._waiting: list[Records] = []
        self._count = 0
        self._runs: list[Path] = []

    def add(self, major: NDArray[np.uint64], minor: NDArray[np.uint64]) -> None:
        """Add pairs, (n,) each; n is small beside what fits the memory."""
        self._waiting.append(np.stack([major, minor], axis=1))
        self._count += len(major)
        if self._count >= self._rows:
            self._write_run()

    def blocks(self) -> Iterator[Records]:
        """Yield all pairs in order, block by block; the runs are removed at the end."""
        if self._count:
            self._write_run()
        size = max(_LEAST_ROWS, self._rows // (2 * max(1, len(self._runs))))
        runs = [_Run(path, size) for path in self._runs]
        while runs := [run for run in runs if run.fill()]:
            last = min(tuple(run.block[-1]) for run in runs)
            yield in_order(np.concatenate([run.until(*last) for run in runs]))
        for path in self._runs:
            path.unlink()

    def _write_run(self) -> None:
        path = self._folder / f"run{len(self._runs)}"
        in_order(np.concatenate(self._waiting)).tofile(path)
        self._runs.append(path)
        self._waiting, self._count = [], 0


class _Run:
    """A sorted file, of which a block is in memory."""

    def __init__(self, path: Path, rows: int) -> None:
        self._path, self._rows, self._read = path, rows, 0
        self.block: Records = np.zeros((0, 2), np.uint64)

    def fill(self) -> bool:
        """Read on where the block is used up; return whether there is one."""
        if not len(self.block):
            start = self._read * 16
            self.block = np.fromfile(self._path, np.uint64, 2 * self._rows, offset=start)
            self.block = self.block.reshape(-1, 2)
            self._read += len(self.block)
        return len(self.block) > 0

    def until(self, major: np.uint64, minor: np.uint64) -> Records:
        """Take the pairs of the block that are not above this one."""
        first, second = self.block.T
        count = int(((first < major) | ((first == major) & (second <= minor))).sum())
        taken, self.block = self.block[:count], self.block[count:]
        return taken


def in_order(records: Records) -> Records:
    """Return pairs sorted by the first number, then by the second."""
    return records[np.lexsort((records[:, 1], records[:, 0]))]
