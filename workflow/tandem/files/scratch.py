"""Files without a name, of which nothing is left however the process ends."""

from __future__ import annotations

import contextlib
import os
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def scratch(place: Path | None = None) -> Iterator[BinaryIO]:
    """Open a file without a name on the disk of a folder; None: where the system has such files.

    It is closed also where the disk has no room for its rest.
    """
    file = tempfile.TemporaryFile(dir=place)
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):  # what waits to be written is not wanted any more
            file.close()


class StoredLines:
    """Lines in a file, read by their number, from 0: 8 bytes of each are held in memory."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin with none, in an open and empty file."""
        self.file = file
        self._starts = array("q", [0])

    def append(self, line: bytes) -> None:
        """Add a line, which holds no newline."""
        self._starts.append(self._starts[-1] + self.file.write(line + b"\n"))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> bytes:
        """Return a line without its newline; `file` is flushed after the last one was added."""
        start, end = self._starts[number : number + 2]
        return os.pread(self.file.fileno(), end - start - 1, start)
