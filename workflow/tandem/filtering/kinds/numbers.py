"""Scores of pairs that something else computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tandem.errors import InputError
from tandem.files.io import read_lines
from tandem.filtering.filter import Filter, Scores


class GivenNumbers(Filter):
    """A number for each pair, from a file: a translator's cost, or a score of another tool."""

    reads: ClassVar[tuple[str, ...]] = ("file",)
    file: str
    """Text with a number on each line, the first for the first pair; packed or not."""

    def read(self) -> Iterator[Scores]:
        """Yield the numbers; InputError where a line is none."""
        for number, line in enumerate(read_lines(self.file), start=1):
            try:
                score = float(line)
            except ValueError as error:
                problem = f"{line[:40]!r} is no number"
                raise InputError(self.file, number, problem, "Give one a line") from error
            yield (score,)
