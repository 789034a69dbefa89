"""Verse-aligned translations in an SQLite table: bible(bbName, bNumber, cNumber, vNumber, vText).

Every translation has a row for every verse, so the join is on (book, chapter, verse). Where a
translation gives two verses as one, or lacks one, the row holds a mark instead of text; the marks
differ by translation and stand in the register. Such a verse is left out, and so is the verse
before it, which may hold the text of both and then says more than its counterpart.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tandem.corpora.archives import open_archive
from tandem.corpora.readers import Pair, Reader
from tandem.corpora.text import plain
from tandem.errors import InputError

# The numbers of another numbering: (3:2) anywhere; also (22.45) and (5:21 at the beginning.
_NUMBERS = re.compile(r"^\s*\(\d+[:.\-]\d+[a-z]?\)?|\(\d+[:\-]\d+[a-z]?\)")
_NOTHING = re.compile(r"(?!)")
_MARKS = str.maketrans({"[": None, "]": None, "*": None, "\\": None, "\u00ad": None, "`": "'"})
_QUERY = """
    SELECT a.bNumber, a.cNumber, a.vText, b.vText FROM bible AS a
    JOIN bible AS b USING (bNumber, cNumber, vNumber)
    WHERE a.bbName = ? AND b.bbName = ? ORDER BY bNumber, cNumber, vNumber
"""


class VersesReader(Reader):
    """The verses that both languages have, without their editors' numbers and brackets."""

    member: str
    """The database's name in the archive."""
    translations: dict[str, str]
    """The translation to use for each language: its value in the column bbName."""
    blank: re.Pattern[str]
    """Matches the text of a row that has no verse of its own, as does text without any letter."""
    damage: dict[str, re.Pattern[str]] = {}
    """By language, a pattern that is found only in damaged rows, which are left out."""

    def many(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Pair]]]:
        """Yield each target language with its pairs, unpacking the database once.

        Raises:
            InputError: when the database cannot be read or lacks a translation.
        """
        empty = re.compile(rf"(?:{self.blank.pattern}|[\W\d_]*)", re.DOTALL)
        with _database(path, self.member) as connection:
            for target in targets:
                try:
                    codes = (self.translations[source], self.translations[target])
                    rows = connection.execute(_QUERY, codes).fetchall()
                except sqlite3.Error as error:
                    problem = f"no readable database ({error})"
                    remedy = "Delete the archive and fetch it again"
                    raise InputError(f"{path}!{self.member}", None, problem, remedy) from error
                if not rows:
                    problem = f"no verses in both {source!r} and {target!r}"
                    remedy = "Correct the `translations` in the register"
                    raise InputError(path, None, problem, remedy)
                broken = [self.damage.get(code, _NOTHING) for code in (source, target)]
                kept = _whole(rows, empty, broken)
                yield target, [(_verse(left, path), _verse(right, path)) for left, right in kept]


def _whole(
    rows: Sequence[tuple[int, int, str, str]], empty: re.Pattern[str], broken: Sequence[re.Pattern]
) -> Iterator[Pair]:
    """Yield the texts of the verses that both sides hold whole and by themselves."""
    sides = ([row[2] for row in rows], [row[3] for row in rows])
    blanks = [[empty.fullmatch(text.strip()) is not None for text in side] for side in sides]
    for n, (book, chapter, left, right) in enumerate(rows):
        more = n + 1 < len(rows) and rows[n + 1][:2] == (book, chapter)
        if any(side[n] or (more and side[n + 1]) for side in blanks):
            continue
        if broken[0].search(left) or broken[1].search(right):
            continue
        yield left, right


def _verse(text: str, path: str) -> str:
    """Return a verse's own words on one line."""
    return plain(_NUMBERS.sub(" ", text).translate(_MARKS), path)


@contextlib.contextmanager
def _database(path: str, member: str) -> Iterator[sqlite3.Connection]:
    """Open the database, which is unpacked for the time, since SQLite reads files only."""
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        database = Path(folder) / "verses.db"
        with open_archive(path) as archive:
            if member not in archive.names:
                remedy = "Correct `member` in the register"
                raise InputError(path, None, f"it has no member {member}", remedy)
            with archive.open(member) as stream, open(database, "wb") as out:
                shutil.copyfileobj(stream, out)
        address = f"{database.as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            yield connection
