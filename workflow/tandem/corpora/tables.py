"""Pairs in tables: which columns hold the two languages, and whether the first row names them."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tandem.corpora.languages import sides
from tandem.errors import InputError, TandemError
from tandem.text import Pair
from tandem.text.spelling import collapse

Row = tuple[int, list[str]]
"""The number of a line, from 1, and its cells."""
_REMEDY = "Give sentence, tab, sentence; a number and a tab may precede them"


@dataclass(frozen=True)
class Columns:
    """Which columns of a table hold the text, where the caller says so.

    Attributes:
        chosen: the columns of both sides, or of each of two files: numbers from 1, or names that
            the first row has; empty: they follow from the content.
        header: whether the first row names the columns; None: it does where it names both
            languages, or `source` and `target`, `sentence1` and `sentence2` or the like.
        option: of the command line that chooses them, which messages name.
    """

    chosen: tuple[str, ...] = ()
    header: bool | None = None
    option: str = "--columns"

    def __post_init__(self) -> None:
        """Refuse anything but one or two columns, or a column 0."""
        numbers = [int(column) for column in self.chosen if column.isdecimal()]
        remedy = "Give two, from 1 on, such as 2,3, or one for each of two files"
        name = f"columns {','.join(self.chosen)}"
        if len(self.chosen) > 2 or not all(self.chosen) or 0 in numbers:
            raise TandemError(f"{name}: not one or two columns. {remedy}")
        if len({*numbers}) < len(numbers) or len({*self.chosen}) < len(self.chosen):
            raise TandemError(f"{name}: one column for both sides. {remedy}")

    @classmethod
    def listed(cls, columns: Sequence[str | int], header: bool | None) -> Columns:
        """Return the columns of a list, of numbers or names; TandemError where it is none."""
        if isinstance(columns, str | int):
            raise TandemError(f"columns is {columns!r}, no list. Give one, such as [2, 3]")
        return cls(tuple(map(str, columns)), header)

    def are_among(self, names: Collection[str]) -> bool:
        """Tell whether columns are chosen, and each is one of these names."""
        return bool(self.chosen) and all(column in names for column in self.chosen)

    def heads(self, cells: Sequence[str], languages: Sequence[str]) -> bool:
        """Tell whether the first row names the columns."""
        if self.header is not None:
            return self.header
        named = any(not column.isdecimal() for column in self.chosen)
        return named or sides(cells, languages) is not None

    def places(self, names: Sequence[str], place: str, line: int | None) -> list[int]:
        """Return the places of the chosen columns; InputError where there is no such column."""
        places = []
        for column in self.chosen:
            if column.isdecimal() and int(column) <= len(names):
                places.append(int(column) - 1)
            elif column in names:
                places.append(list(names).index(column))
            else:
                raise InputError(place, line, *self._lacking(column, names))
        return places

    def both(self, names: Sequence[str], place: str, line: int | None) -> list[int]:
        """Return the places of two chosen columns; InputError also where one was chosen."""
        if len(self.chosen) == 1:
            problem = f"it has both sides, and one column is chosen, {self.chosen[0]}"
            raise InputError(place, line, problem, f"Give two, such as {self.option} 2,3")
        places = self.places(names, place, line)
        if places[0] == places[1]:
            problem = f"{' and '.join(self.chosen)} are one column, and each side has its own"
            raise InputError(place, line, problem, f"Give two, such as {self.option} 2,3")
        return places

    def _lacking(self, column: str, names: Sequence[str]) -> tuple[str, str]:
        """Return that names have none of a column, and what to do."""
        count = f"it has {_count(names)}"
        if column.isdecimal():
            remedy = f"Choose from 1 to {len(names)} ({self.option})"
            return f"no column {column}; {count}", remedy
        there = ", ".join(names)[:200]
        return (
            f"no column is called {column}; {count}: {there}",
            "Choose by these names, or where they are text and name nothing, by number, from 1 on: "
            f"{self.option} 1,2",
        )


ANY_COLUMNS = Columns()
"""They follow from the content."""


def keys(
    names: Sequence[str], languages: Sequence[str], choice: Columns, place: str, line: int | None
) -> tuple[str, str]:
    """Return the names of both sides among those of a record; InputError lists what is there."""
    if choice.chosen:
        places: Sequence[int] = choice.both(names, place, line)
    elif (named := sides(names, languages)) is not None:
        places = named
    else:
        problem = f"nothing is named {languages[0]} and {languages[1]}, source and target, or "
        problem += "sentence1 and sentence2"
        remedy = f"There are: {', '.join(names)[:200] or 'none'}. "
        remedy += f"Choose two: {choice.option} NAME,NAME"
        raise InputError(place, line, problem, remedy)
    return names[places[0]], names[places[1]]


def tabbed(lines: Iterable[str]) -> Iterator[Row]:
    """Yield the cells of lines between tabs; quotes mean nothing."""
    return ((number, line.split("\t")) for number, line in enumerate(lines, start=1))


def quoted(lines: Iterable[str], place: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows of CSV (RFC 4180), whose quoted cells may hold delimiters and newlines."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    before = 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            problem = f"no readable CSV ({error}; the row began here)"
            remedy = "Close each quote, double others"
            raise InputError(place, before + 1, problem, remedy) from error
        if cells is None:
            return
        if cells:  # a blank line has none
            yield before + 1, list(map(collapse, cells))
        before = reader.line_num


def pairs_in(
    rows: Iterable[Row], place: str, languages: Sequence[str], choice: Columns
) -> Iterator[Pair]:
    """Yield the pairs of a table, whose first row may name the columns.

    Without names or a choice a row has two cells, or three of which the first is a number.
    InputError names a row that has too few or too many cells, and a table without a pair.
    """
    places: Sequence[int] | None = None
    width = count = 0
    for count, (line, cells) in enumerate(rows, start=1):
        if count == 1:
            heads = choice.heads(cells, languages)
            if choice.chosen:
                places = choice.both(cells, place, line)
            elif heads:
                places = sides(cells, languages)
            width = len(cells)
            if heads:
                continue
        if places is None:
            yield _last_two(cells, place, line, choice)
            continue
        if len(cells) != width:
            problem = f"{_count(cells)}, and the first line has {width}"
            raise InputError(place, line, problem, "Give each line as many")
        yield cells[places[0]], cells[places[1]]
    if not count or (count == 1 and heads):
        problem = "only names of columns" if count else "the file is empty"
        raise InputError(place, None, problem, "Give a file with pairs")


def _last_two(cells: Sequence[str], place: str, line: int, choice: Columns) -> Pair:
    """Return the last two of two or three cells; the first of three is a number."""
    if len(cells) == 2 or (len(cells) == 3 and is_number(cells[0])):
        return cells[-2], cells[-1]
    remedy, problem = _REMEDY, f"{_count(cells)}, not 2"
    if len(cells) > 2:
        example = "1,2" if is_number(cells[-1]) else "2,3"
        remedy = f"Say which two hold the text, such as {choice.option} {example}"
    elif not cells[0].strip():
        remedy, problem = f"Remove it. {_REMEDY}", "a blank line"
    elif cells[0].startswith("#"):
        remedy = f"Remove comments. {_REMEDY}"
    raise InputError(place, line, problem, remedy)


def one_column(lines: Iterable[str], place: str, choice: Columns) -> Iterator[str]:
    """Yield the cells of one column, for which the first line may have the name."""
    for number, cells in tabbed(lines):
        if number == 1:
            index = choice.places(cells, place, number)[0]
        if index >= len(cells):
            problem = f"{_count(cells)}, and the text is said to be in {choice.chosen[0]}"
            raise InputError(
                place, number, problem, f"Correct {choice.option} (columns), or the line"
            )
        yield cells[index]


def is_number(text: str) -> bool:
    """Tell whether a cell is a number, such as a score."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _count(cells: Sequence[str]) -> str:
    return f"{len(cells)} column{'s' * (len(cells) != 1)}"
