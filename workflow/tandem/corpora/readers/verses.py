"""Verse-aligned translations in an SQLite table: bible(bbName, bNumber, cNumber, vNumber, vText).

Every translation has a row for every verse, so the join is on (book, chapter, verse). Where a
translation gives two verses as one, or lacks one, the row holds a mark instead of text; the marks
differ by translation and stand in the register. Such a verse is left out, and so is the verse
before it, which may hold the text of both and then says more than its counterpart.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from tandem.corpora.archives import open_archive
from tandem.corpora.edits import Edits, edited
from tandem.corpora.readers import Placed, Reader
from tandem.errors import InputError
from tandem.files.io import MAX_LINE_BYTES
from tandem.files.untrusted import refusing
from tandem.text.spelling import plain

# Verse numbers of another numbering: (3:2) anywhere; also (22.45) and (5:21 at the beginning.
_NUMBERS = re.compile(r"^\s*\(\d+[:.\-]\d+[a-z]?\)?|\(\d+[:\-]\d+[a-z]?\)")
_NOTHING = re.compile(r"(?!)")
_MARKS = str.maketrans({"[": None, "]": None, "*": None, "\\": None, "\u00ad": None, "`": "'"})
MAX_BYTES, _ROW_BYTES = 1 << 28, 400
"""Most memory for the verses of two languages; a row takes its text and `_ROW_BYTES`."""
_MILLION_STEPS = 30
"""Most steps of SQLite's machine for a query, in millions: 30 translations need one."""
_QUERY = """
    SELECT a.bNumber, a.cNumber, a.vNumber,
        CASE typeof(a.vText) WHEN 'text' THEN a.vText ELSE '' END,
        CASE typeof(b.vText) WHEN 'text' THEN b.vText ELSE '' END
    FROM bible AS a JOIN bible AS b USING (bNumber, cNumber, vNumber)
    WHERE a.bbName = ? AND b.bbName = ?
        AND (SELECT type FROM sqlite_master WHERE name = 'bible') = 'table'  -- and no view
    ORDER BY bNumber, cNumber, vNumber
"""

_Row = tuple[int, int, int, str, str]
"""Book, chapter and verse, and both texts."""


class VersesReader(Reader):
    """The verses that both languages have, without their editors' numbers and brackets."""

    member: str
    """The database's name in the archive."""
    by_language: ClassVar[str] = "translations"
    translations: dict[str, str | tuple[str, ...]]
    """The translation to use for each language: its value in the column bbName. A list: several,
    each of which is paired with each of the other language's."""
    blank: re.Pattern[str]
    """Matches text that stands for a missing verse; text without any letter always does."""
    damage: dict[str, re.Pattern[str]] = {}
    """By language, a pattern that is found only in damaged rows, which are left out."""
    edits: dict[str, Edits] = {}
    """By language, patterns in its verses, each with what is put in its place, in this order."""
    by: Literal["book", "chapter", "verse"] = "book"
    """What a section is: a book, a chapter, named <book>.<chapter>, or a verse,
    <book>.<chapter>.<verse>."""

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs, unpacking the database once."""
        empty = re.compile(rf"(?:{self.blank.pattern}|[\W\d_]*)", re.DOTALL)
        depth = ("book", "chapter", "verse").index(self.by) + 1
        with _database(path, self.member) as connection:
            for target in targets:
                broken = [self.damage.get(code, _NOTHING) for code in (source, target)]
                edits = [self.edits.get(code, ()) for code in (source, target)]
                pairings = itertools.product(*map(self._versions, (source, target)))
                yield (
                    target,
                    [
                        (
                            ".".join(map(str, place[:depth])),
                            _verse(left, path, edits[0]),
                            _verse(right, path, edits[1]),
                        )
                        for codes in pairings
                        for place, left, right in _whole(
                            self._rows(connection, path, codes), empty, broken
                        )
                    ],
                )

    def _versions(self, language: str) -> tuple[str, ...]:
        """Return the translations into a language."""
        versions = self.translations[language]
        return (versions,) if isinstance(versions, str) else versions

    def _rows(self, connection: sqlite3.Connection, path: str, codes: Sequence[str]) -> list[_Row]:
        """Return the verses of two translations."""
        rows, size, ticks = [], 0, iter([0] * _MILLION_STEPS)
        connection.set_progress_handler(lambda: next(ticks, 1), 1_000_000)
        with refusing(f"{path}!{self.member}", "no readable database"):
            for row in connection.execute(_QUERY, codes):
                size += len(row[3]) + len(row[4]) + _ROW_BYTES
                if size > MAX_BYTES:
                    raise sqlite3.DataError(f"over {MAX_BYTES:,} bytes of verses")
                rows.append(row)
        return rows


def _whole(
    rows: Sequence[_Row], empty: re.Pattern[str], broken: Sequence[re.Pattern]
) -> Iterator[tuple[list[int], str, str]]:
    """Yield book, chapter and verse, and both texts, of verses that each side holds whole."""
    blank = [any(empty.fullmatch(text.strip()) for text in row[3:]) for row in rows]
    for n, (*place, left, right) in enumerate(rows):
        more = n + 1 < len(rows) and [*rows[n + 1][:2]] == place[:2]
        if not blank[n] and not (more and blank[n + 1]):
            if not broken[0].search(left) and not broken[1].search(right):
                yield place, left, right


def _verse(text: str, path: str, edits: Edits) -> str:
    """Return a verse's own words on one line."""
    words = plain(_NUMBERS.sub(" ", text).translate(_MARKS), path)
    return plain(edited(words, edits), path) if edits else words


@contextlib.contextmanager
def _database(path: str, member: str) -> Iterator[sqlite3.Connection]:
    """Open the database, which is unpacked for the time, since SQLite reads files only."""
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        database = Path(folder) / "verses.db"
        with open_archive(path) as archive:
            if member not in archive.names:
                remedy = "Correct `member` in the register"
                raise InputError(path, None, f"it has no member {member}", remedy)
            archive.unpack(member, database)
        address = f"{database.as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LINE_BYTES)
            yield connection
