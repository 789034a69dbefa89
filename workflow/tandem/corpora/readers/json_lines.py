"""JSON lines: an object with both texts in each line, as data sets are published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tandem.corpora.readers import Reader
from tandem.corpora.tables import Columns, keys
from tandem.errors import InputError
from tandem.files.io import read_lines
from tandem.text import Pair
from tandem.text.spelling import plain

NESTED = "translation"
"""The key under which data sets on the Hugging Face hub have the texts by language."""


class JsonLinesReader(Reader):
    """Objects such as {"en": "...", "de": "..."}, also under a key `translation`; plain or packed.

    Keys are the languages, in any spelling (de, de-DE, German), or `source` and `target`.
    """

    columns: tuple[str, ...] = ()
    """The keys of both texts, where they are named otherwise: beside `translation`, or in it."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a line that is no such object is refused."""
        yield from pairs_of(read_lines(path), path, (source, target), Columns(self.columns))


def pairs_of(
    lines: Iterable[str], place: str, languages: Sequence[str], choice: Columns
) -> Iterator[Pair]:
    """Yield the pairs of lines; blank ones are skipped, and a null counts as an empty text."""
    names: tuple[str, str] | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = f"not JSON ({str(error)[:200]})"
            raise InputError(place, number, problem, "Mend the line") from error
        if isinstance(record, dict) and isinstance(record.get(NESTED), dict):
            record = record if choice.are_among(record) else record[NESTED]
        if not isinstance(record, dict):
            raise InputError(place, number, "no object", 'Give lines such as {"en": "", "de": ""}')
        absent = [name for name in names or () if name not in record]
        if names is None or (absent and not choice.chosen):
            names = keys(list(record), languages, choice, place, number)
        elif absent:
            problem = f"it has no key {' and no key '.join(absent)}"
            raise InputError(place, number, problem, "Give every line the keys chosen")
        yield pair_of(record, names, choice, place, number)
    if names is None:
        raise InputError(place, None, "the file is empty", "Give a file with pairs")


def pair_of(
    record: Mapping[str, object], names: tuple[str, str], choice: Columns, place: str, number: int
) -> Pair:
    """Return two texts of a record, on one line each; InputError where one is no text nor null."""
    left, right = ("" if record[name] is None else record[name] for name in names)
    for name, value in zip(names, (left, right), strict=True):
        if not isinstance(value, str):
            problem = f"{name} is no text but {type(value).__name__}"
            raise InputError(place, number, problem, f"Choose others: {choice.option} NAME,NAME")
    where = f"{place}, line {number}"
    return plain(str(left), where), plain(str(right), where)
