"""Tab-separated pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import NonNegativeInt

from tandem.corpora.readers import Reader
from tandem.errors import InputError
from tandem.files.io import read_lines
from tandem.text import Pair


class TsvReader(Reader):
    """Two columns of a plain or gzipped TSV; quotes mean nothing, empty lines are skipped."""

    by_language: ClassVar[str] = "columns"
    columns: dict[str, NonNegativeInt]
    """Number of the column of each language; the first is 0."""
    header: bool
    """Whether the first line names the columns."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a line that has too few columns is refused."""
        left, right = self.columns[source], self.columns[target]
        least = max(left, right) + 1
        for number, line in enumerate(read_lines(path), start=1):
            if not line or (self.header and number == 1):
                continue
            cells = line.split("\t")
            if len(cells) < least:
                problem = f"{len(cells)} columns, expected at least {least}"
                raise InputError(path, number, problem, "Separate columns by one tab")
            yield cells[left], cells[right]
