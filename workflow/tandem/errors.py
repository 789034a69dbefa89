"""The errors that Tandem raises for invalid input: each names the place and the remedy."""

from __future__ import annotations

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
