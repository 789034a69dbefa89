"""The errors that Tandem raises for invalid input: each names the place and the remedy."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path


class TandemError(Exception):
    """An error that the user can fix; the message says how."""


class InputError(TandemError):
    """A file whose content is refused."""

    def __init__(self, path: str | Path, line: int | None, problem: str, remedy: str) -> None:
        """Name the file, the line (1-based; None when the whole file is meant) and the remedy."""
        self.path, self.line = str(path), line
        where = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(f"{where}: {problem}. {remedy}")


class DiskFull(TandemError):
    """A disk, a quota or a limit leaves no room for what is written."""

    def __init__(self, path: str | Path, reason: str, needed: int, free: int) -> None:
        """Name what was written, the bytes that it needs at least (0: unknown), and those free."""
        more = f"more than {needed:,} bytes are needed, " if needed else ""
        super().__init__(
            f"{path}: cannot be written ({reason}): {more}{free:,} bytes are free. Make room, and "
            "give the same command again"
        )


def full_disk(error: Exception) -> str | None:
    """Return the words for a lack of room on a disk, if this error comes of one."""
    number = _number(error)
    return os.strerror(number) if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else None


def explained(error: Exception, settings: str) -> str | None:
    """Return what a person can do about an error; None: it is the program's own.

    `settings` are those that lower the memory that is needed.
    """
    if isinstance(error, TandemError):
        return str(error)
    if isinstance(error, MemoryError) or _number(error) == errno.ENOMEM or _NO_MEMORY(str(error)):
        words = str(error).split("\n")[0] or "the process got no more"
        return (
            f"out of memory ({words}). Lower {settings}, or allow the process more (ulimit -v, its "
            "cgroup, mem_mb of its job)"
        )
    return str(error) if isinstance(error, OSError) else None


_NO_MEMORY = re.compile(
    "allocate memory|bad_alloc|out of memory|failed to map|start new thread", re.IGNORECASE
).search
"""How libraries in C++ and CUDA say it."""


def _number(error: Exception) -> int | None:
    """Return the system's number of an error, which libraries hide in their words."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    if "unexpected pos " in str(error):  # PyTorch's words
        return errno.ENOSPC
    found = re.search(r"(?:os error|errno) (\d+)", str(error), re.IGNORECASE)
    return int(found[1]) if found else None
