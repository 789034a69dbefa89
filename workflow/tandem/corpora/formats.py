"""The format of a file, told by how its content begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tandem.corpora.languages import code, is_language, sides
from tandem.corpora.readers.csv import delimiter_of, is_prose
from tandem.corpora.tables import is_number
from tandem.errors import InputError

Format = Literal[
    "lines", "stream", "columns", "csv", "json", "tmx", "xliff", "po", "archive", "parquet"
]  # fmt: skip
"""Text of one side, what can be read only once, and what has both sides."""
STREAMED = ("stream", "columns", "csv", "json")
"""Formats that are read line by line, also from a pipe."""
HEAD = 1 << 16
"""Bytes at the beginning of a file that tell its format."""
IN_PLACE = {b"PK\x03\x04": "zip", b"PAR1": "Parquet"}
"""Formats that are read from their end, so that no packing can stand around them."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MO = (b"\xde\x12\x04\x95", b"\x95\x04\x12\xde")
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z\d]+)*", re.IGNORECASE)
PACKING = re.compile(r"\.(gz|bz2|xz|zst)$")
"""How names of packed files end."""


def look(head: bytes, name: str, alone: bool = True) -> Format:
    """Return the format of a file from its first bytes, at most `HEAD`.

    `alone`: whether no other file could be its other side.

    Text is "columns" only where every line of the head has as many tabs, so that a tab inside a
    sentence makes no table of it. InputError where what to do with it is known.
    """
    if head.startswith(b"PK\x03\x04") or head[257:262] == b"ustar":
        return "archive"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(_MO):
        remedy = "Unpack it (msgunfmt x.mo > x.po), and give the result"
        raise InputError(name, None, "a compiled catalogue of gettext (.mo)", remedy)
    text = decoded(head)
    if re.match(r"\s*<(\?xml\b|!DOCTYPE (tmx|xliff)\b|([\w.-]+:)?(tmx|xliff)[\s/>])", text):
        return "xliff" if re.search(r"<([\w.-]+:)?xliff\b", text) else "tmx"
    if re.match(r'\s*\[\s*\{\s*"', text):
        remedy = "Give JSON lines, an object in each: jq -c '.[]' x.json > x.jsonl"
        raise InputError(name, None, "one JSON list", remedy)
    return _of_text(rows_of(head), name, alone)


def _of_text(rows: Sequence[str], name: str, alone: bool) -> Format:
    content = [row for row in rows if row.strip()]
    if re.match(r'(msgid|msgctxt)\s*"', next((r for r in content if not r.startswith("#")), "")):
        return "po"
    if content and re.match(r'\s*\{\s*"[^"]*"\s*:', content[0]):
        return "json"
    if delimiter := delimiter_of(content):
        quotes = all(row[0] == row[-1] == '"' for row in content)
        table = is_named_csv(name) and (alone or not is_prose(content, delimiter))
        if quotes or table or (len(content) > 1 and _are_names(content[0], delimiter)):
            return "csv"
    cells = [row.split("\t") for row in content]
    widths = {len(row) for row in cells}
    numbered = widths == {2} and all(is_number(row[0]) for row in cells)
    if len(widths) == 1 and widths != {1} and not numbered:
        return "columns"
    delimiter = delimiter_of(content, odd=True)
    names = content[0].split(delimiter) if delimiter else []
    return "csv" if names and (all(map(is_language, names)) or _are_roles(names)) else "lines"


def _are_names(row: str, delimiter: str) -> bool:
    """Tell whether a row names languages, or source and target, or the like."""
    cells = row.split(delimiter)
    codes = all(cell == cell.strip() and _CODE.fullmatch(code(cell)) for cell in cells)
    return codes or _are_roles(cells)


def _are_roles(cells: Sequence[str]) -> bool:
    """Tell whether source and target, or the like, are among the cells."""
    return sides(cells, ("\0", "\0")) is not None


def of_one_file(head: bytes, name: str, chosen: bool) -> Format | None:
    """Return the format of text that stands alone, so that it must have both sides, or None.

    `chosen`: whether the caller says which columns of it are text.
    """
    rows = [row for row in rows_of(head) if row.strip()]
    if 2 * sum("\t" in row for row in rows) >= max(len(rows), 1):
        return "columns"
    if delimiter_of(rows) and (chosen or any('"' in row for row in rows)):
        return "csv"
    return "csv" if is_named_csv(name) and delimiter_of(rows, odd=True) else None


def is_named_csv(name: str) -> bool:
    """Tell whether a name ends in .csv, whatever packing follows."""
    return PACKING.sub("", name.casefold()).endswith(".csv")


def rows_of(head: bytes) -> list[str]:
    """Return the lines of a head; the last may be cut off, and is left out if there are others."""
    rows = re.split(r"\r\n|\n|\r", decoded(head))
    return rows[:-1] if len(rows) > 1 else rows


def decoded(head: bytes) -> str:
    """Return a head as text."""
    return head.decode("utf-16" if head.startswith(_UTF16) else "utf-8-sig", "replace")
