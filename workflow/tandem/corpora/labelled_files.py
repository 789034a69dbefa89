"""Files of pairs that are labelled as saying the same or not: tables between tabs, or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tandem.corpora.files import STDIO, lines_of
from tandem.corpora.tables import Row, is_number, quoted, tabbed
from tandem.errors import InputError, TandemError
from tandem.text.spelling import collapse

VALUES = {"1": 1, "0": 0, "true": 1, "false": 0, "1.0": 1, "0.0": 0}
"""What a label may be, in any case."""
NAMES = ("sentence1", "sentence2", "label")
"""What the columns may be called; the first two also first and second, or anything if chosen."""
_OTHERS = {"sentence1": ("first", "source", "text1"), "sentence2": ("second", "target", "text2")}
_REMEDY = "Give 1 where both sides say the same, and 0 where they do not"


class LabelledText(NamedTuple):
    """Two sentences, and 1 where they say the same or else 0."""

    first: str
    second: str
    label: int


@dataclass(frozen=True)
class LabelledColumns:
    """Which columns of a table hold sentences and labels, where the caller says so.

    Attributes:
        chosen: the columns of both sentences and of the label: names of the first row, or numbers
            from 1; empty: they follow from the names, or are the last three.
    """

    chosen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse anything but three different columns: TandemError."""
        if self.chosen and (len({*self.chosen}) != len(NAMES) or not all(self.chosen)):
            raise TandemError(
                f"columns {','.join(self.chosen)}: not three different ones. Give those of both "
                "sentences and of the label, such as 2,3,4"
            )


def read_labelled(
    files: Sequence[str], columns: LabelledColumns = LabelledColumns()
) -> Iterator[LabelledText]:
    """Yield the pairs of files, or of stdin, `-`.

    A file whose name has .csv is CSV, any other one a table between tabs, with no quoting. Blank
    lines are skipped, and pairs with a blank side. InputError names the file and line of a label
    that is none, and of a row that is not as long as the first.
    """
    for file in files:
        name = "stdin" if file == STDIO else file
        lines = lines_of(file)
        rows = quoted(lines, name, ",") if ".csv" in name.lower() else tabbed(lines)
        yield from _pairs(rows, name, columns)


def _pairs(rows: Iterator[Row], place: str, columns: LabelledColumns) -> Iterator[LabelledText]:
    places: list[int] | None = None
    width = 0
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if places is None:
            places, heads = _places(cells, place, line, columns)
            width = len(cells)
            if heads:
                continue
        if len(cells) != width:
            problem = f"{len(cells)} columns, and the first line has {width}"
            raise InputError(place, line, problem, "Give each line as many")
        first, second, label = (cells[n] for n in places)
        value = VALUES.get(label.strip().lower())
        if value is None:
            raise InputError(place, line, f"the label {label[:40]!r} is neither 0 nor 1", _REMEDY)
        if first.strip() and second.strip():
            yield LabelledText(collapse(first), collapse(second), value)
    if places is None:
        raise InputError(place, None, "the file is empty", "Give a file with labelled pairs")


def _places(
    cells: Sequence[str], place: str, line: int, columns: LabelledColumns
) -> tuple[list[int], bool]:
    """Return the places of both sentences and the label, and whether this row names them."""
    names = [cell.strip().lower() for cell in cells]
    if columns.chosen:
        numbers = all(column.isdecimal() for column in columns.chosen)
        places = []
        for column in columns.chosen:
            if column.isdecimal() and 0 < int(column) <= len(cells):
                places.append(int(column) - 1)
            elif column.lower() in names:
                places.append(names.index(column.lower()))
            else:
                remedy = f"There are: {', '.join(cells)[:200]}. Choose three of these (--columns)"
                raise InputError(place, line, f"no column is {column}", remedy)
        label = names[places[-1]]  # of a row of data it is a number, if not always a right one
        return places, not numbers or not (label in VALUES or is_number(label) or not label)
    named = [_named(name, names) for name in NAMES]
    if named[-1] is not None:
        if None in named:
            remedy = "Name the others sentence1 and sentence2, or choose three by --columns"
            raise InputError(place, line, "one column is called label, and no others", remedy)
        return [n for n in named if n is not None], True
    count = len(cells)
    if count == len(NAMES) or (count == len(NAMES) + 1 and is_number(cells[0])):
        return [count - 3, count - 2, count - 1], False
    remedy = "Give sentence, tab, sentence, tab, label, or choose three columns: --columns 2,3,4"
    raise InputError(place, line, f"{count} columns, none of which is called label", remedy)


def _named(name: str, names: Sequence[str]) -> int | None:
    """Return the place of a column by its name, or by another one that it may have."""
    spellings = (name, *_OTHERS.get(name, ()))
    return next((names.index(other) for other in spellings if other in names), None)
