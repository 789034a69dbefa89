"""CSV: cells between commas or semicolons, in quotes where they hold such or newlines."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from tandem.corpora.readers import Reader
from tandem.corpora.tables import Columns, pairs_in, quoted
from tandem.files.io import read_lines
from tandem.text import Pair


class CsvReader(Reader):
    """Two columns of a plain or packed CSV (RFC 4180); blank lines are skipped.

    A first row that names the languages, or `source` and `target`, says which they are.
    """

    delimiter: str = ","
    """What separates cells."""
    columns: tuple[str, ...] = ()
    """Names of both columns, or their numbers from 1, where the first row does not say it."""
    header: bool | None = None
    """Whether the first row names the columns; null: it does if it names both languages."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; rows that are no CSV, or not as long as the first, are refused."""
        rows = quoted(read_lines(path), path, self.delimiter)
        choice = Columns(self.columns, self.header)
        yield from pairs_in(rows, path, (source, target), choice)


def delimiter_of(lines: list[str]) -> str | None:
    """Return what separates the cells of CSV; None: its rows do not have as many cells each.

    The last row may be cut off.
    """
    for delimiter in (",", ";"):
        widths = set()
        try:
            for cells in csv.reader((f"{x}\n" for x in lines), delimiter=delimiter, strict=True):
                widths.add(len(cells))
        except csv.Error as error:
            if "end of data" not in str(error):
                continue
        if len(widths) == 1 and widths != {1}:
            return delimiter
    return None
