"""CSV: cells between commas or semicolons, in quotes where they hold such or newlines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import Field

from tandem.corpora.readers import Reader
from tandem.corpora.tables import Columns, pairs_in, quoted
from tandem.files.io import read_lines
from tandem.text import Pair


class CsvReader(Reader):
    """Two columns of a plain or packed CSV (RFC 4180); blank lines are skipped.

    A first row that names the languages, or `source` and `target`, says which they are.
    """

    delimiter: str = Field(default=",", min_length=1, max_length=1)
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


def delimiter_of(lines: list[str], odd: bool = False) -> str | None:
    """Return what separates the cells of CSV; None: its rows do not have as many cells each.

    Of two that might, it is the one after which fewer spaces stand: those of sentences have them.
    Blank rows do not count, and the last may be cut off.

    Args:
        lines: the beginning of a text.
        odd: whether it is CSV for certain, whose first row then decides where rows are odd.
    """
    shapes = {delimiter: _Shape.of(lines, delimiter) for delimiter in (";", ",")}
    wide = {d: shape for d, shape in shapes.items() if shape.widths[:1] > [1]}
    chosen = {d: shape for d, shape in wide.items() if shape.regular} or (wide if odd else {})
    return min(chosen, key=lambda d: chosen[d].spaced, default=None)


def is_prose(lines: list[str], delimiter: str) -> bool:
    """Tell whether a space follows every delimiter, as in sentences."""
    shape = _Shape.of(lines, delimiter)
    return shape.spaced == sum(shape.widths) - len(shape.widths)


@dataclass(frozen=True)
class _Shape:
    """What cells there are if a delimiter separates them."""

    widths: list[int]
    """The number of cells of each row that is not blank."""
    spaced: int
    """How many cells begin with a space, the first of each row aside."""
    readable: bool
    """Whether all quotes are as they must be."""

    @property
    def regular(self) -> bool:
        return self.readable and len(set(self.widths)) == 1

    @classmethod
    def of(cls, lines: list[str], delimiter: str) -> _Shape:
        widths, spaced, readable = [], 0, True
        try:
            for cells in csv.reader((f"{x}\n" for x in lines), delimiter=delimiter, strict=True):
                if any(cell.strip() for cell in cells):
                    widths.append(len(cells))
                    spaced += sum(cell.startswith(" ") for cell in cells[1:])
        except csv.Error as error:
            readable = "end of data" in str(error)
        return cls(widths, spaced, readable)
