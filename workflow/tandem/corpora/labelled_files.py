"""Files of pairs that are labelled as saying the same or not: tables between tabs, or CSV."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tandem.corpora.files import STDIO, lines_of
from tandem.corpora.formats import is_named_csv
from tandem.corpora.languages import sentences
from tandem.corpora.tables import Row, is_number, quoted, tabbed
from tandem.errors import InputError, TandemError, shown
from tandem.text import is_blank
from tandem.text.amounts import amount
from tandem.text.spelling import collapse

VALUES = {"1": 1, "0": 0, "true": 1, "false": 0, "1.0": 1, "0.0": 0}
"""What a label may be, in any case."""
LABEL = "label"
"""What its column may be called; those of sentences as in `tandem.corpora.languages`."""
_COUNT = 3
_EXAMPLE = "--columns 2,3 --label 4"
_REMEDY = "Give 1 where both sides say the same, and 0 where they do not"
_NAMED = "; where the first line names columns, say so: --header"


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
        header: whether the first row names the columns; None: it does where columns are chosen by
            name, and where it has known names: sentence1, sentence2 and label, or the like.
    """

    chosen: tuple[str, ...] = ()
    header: bool | None = None

    def __post_init__(self) -> None:
        """Refuse anything but three different columns, or names without a header: TandemError."""
        told = f"columns {','.join(self.chosen)}"
        if self.chosen and (len({*self.chosen}) != _COUNT or not all(self.chosen)):
            problem = f"{told}: not three different ones"
            raise TandemError(
                f"{problem}. Give those of both sentences and of the label, such as {_EXAMPLE}"
            )
        if self.by_name and self.header is False:
            problem = f"{told}: names, and no line has them (--no-header)"
            raise TandemError(f"{problem}. Give numbers, such as {_EXAMPLE}")

    @property
    def by_name(self) -> bool:
        """Whether a column is chosen by its name."""
        return any(not column.isdecimal() for column in self.chosen)


class LabelledFiles:
    """The pairs of files, or of stdin, `-`.

    A file whose name ends in .csv, or so before it was packed, is CSV, any other one a table
    between tabs, with no quoting. Blank lines are skipped, and pairs with a blank side.

    Attributes:
        name: of all files, in messages.
        blank: how many pairs with a blank side were left out, as they are read.
    """

    def __init__(self, files: Sequence[str], columns: LabelledColumns = LabelledColumns()) -> None:
        self.name, self.blank = shown(" and ".join(map(_shown, files))), 0
        self._files, self._columns = files, columns

    def __iter__(self) -> Iterator[LabelledText]:
        """Yield the pairs.

        InputError names the file and line of a label that is none, and of a row that is not as long
        as the first; and a file without pairs.
        """
        count = self.blank = 0
        for file in self._files:
            name, lines = _shown(file), lines_of(file)
            rows = quoted(lines, name, ",") if is_named_csv(name) else tabbed(lines)
            for text in _pairs(rows, name, self._columns):
                if is_blank(text[:2]):
                    self.blank += 1
                else:
                    count += 1
                    yield text
        if not count:
            problem = f"{amount(self.blank, 'pair')}, all with a blank side"
            raise InputError(self.name, None, problem, "Give pairs with text on both sides")


def digest(pairs: Iterable[LabelledText]) -> str:
    """Return the SHA-256 of the different pairs in any order, in hexadecimal."""
    lines = sorted({"\t".join(map(str, pair)) for pair in pairs})
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _shown(file: str) -> str:
    return "stdin" if file == STDIO else file


def _pairs(rows: Iterator[Row], place: str, columns: LabelledColumns) -> Iterator[LabelledText]:
    """Yield the pairs of a table, also those with a blank side."""
    places: list[int] | None = None
    width = first = count = 0
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if places is None:
            places, heads = _places(cells, place, line, columns)
            width, first = len(cells), line
            if heads:
                continue
        if len(cells) != width:
            problem = f"{len(cells)} columns, and the first line has {width}"
            raise InputError(place, line, problem, "Give each line as many")
        left, right, label = (cells[n] for n in places)
        value = VALUES.get(label.strip().lower())
        if value is None:
            remedy = _REMEDY + (_NAMED if line == first else "")
            raise InputError(place, line, f"the label {label[:40]!r} is neither 0 nor 1", remedy)
        count += 1
        yield LabelledText(collapse(left), collapse(right), value)
    if not count:
        problem = "the file is empty" if places is None else "only names of columns"
        raise InputError(place, None, problem, "Give a file with labelled pairs")


def _places(
    cells: Sequence[str], place: str, line: int, columns: LabelledColumns
) -> tuple[list[int], bool]:
    """Return the places of both sentences and the label, and whether this row names them."""
    names = [cell.strip().lower() for cell in cells]
    both = sentences(names)
    named = both is not None and LABEL in names
    if columns.chosen:
        places = _chosen(cells, place, line, columns)
        heads = columns.by_name or named or names[places[-1]] == LABEL
        return places, heads if columns.header is None else columns.header
    if columns.header is not False and LABEL in names and names[-1] not in VALUES:
        if both is None:
            remedy = f"Name the others sentence1 and sentence2, or say which they are: {_EXAMPLE}"
            raise InputError(place, line, "one column is called label, and no others", remedy)
        return [*both, names.index(LABEL)], True
    count = len(cells)
    if count == _COUNT or (count == _COUNT + 1 and is_number(cells[0])):
        return [count - 3, count - 2, count - 1], bool(columns.header)
    remedy = f"Give sentence, tab, sentence, tab, label, or say which they are: {_EXAMPLE}"
    raise InputError(place, line, f"{count} columns, none of which is called label", remedy)


def _chosen(cells: Sequence[str], place: str, line: int, columns: LabelledColumns) -> list[int]:
    """Return the places of the columns that are chosen; InputError where there is none such."""
    names = [cell.strip().lower() for cell in cells]
    places = []
    for column in columns.chosen:
        if column.isdecimal() and 0 < int(column) <= len(cells):
            places.append(int(column) - 1)
        elif column.lower() in names:
            places.append(names.index(column.lower()))
        else:
            remedy = f"There are: {', '.join(cells)[:200]}. Choose of these, by name or by number"
            raise InputError(place, line, f"no column is {column}", f"{remedy}: {_EXAMPLE}")
    if len({*places}) < _COUNT:
        problem = f"{','.join(columns.chosen)} are fewer than three columns"
        raise InputError(place, line, problem, f"Give a column of its own for each: {_EXAMPLE}")
    return places
