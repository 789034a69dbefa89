"""Verse-aligned translations whose sections are chapters; those of the reader `verses` are books.

A kind of its own, so that whole books can be held out from training and their chapters be found as
documents. What a verse is, which are left out and how they are cleaned is as `verses` says.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tandem.corpora.readers import Placed, Reader, verses
from tandem.untrusted import refusing

_BY_CHAPTER = verses._QUERY.replace("a.bNumber,", "a.bNumber || '.' || a.cNumber,", 1)


class ChaptersReader(Reader):
    """The verses that both languages have; a section is named `<book>.<chapter>`."""

    member: str
    """The database's name in the archive."""
    by_language: ClassVar[str] = "translations"
    translations: dict[str, str]
    """The translation to use for each language: its value in the column bbName."""
    blank: re.Pattern[str]
    """Matches the text of a row that has no verse of its own, as does text without any letter."""
    damage: dict[str, re.Pattern[str]] = {}
    """By language, a pattern that is found only in damaged rows, which are left out."""

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs, unpacking the database once.

        Raises:
            InputError: when the database cannot be read.
        """
        empty = re.compile(rf"(?:{self.blank.pattern}|[\W\d_]*)", re.DOTALL)
        with verses._database(path, self.member) as connection:
            for target in targets:
                codes = self.translations[source], self.translations[target]
                with refusing(f"{path}!{self.member}", "no readable database"):
                    rows = _bounded(connection, codes)
                broken = [self.damage.get(code, verses._NOTHING) for code in (source, target)]
                yield (
                    target,
                    [(chapter, verses._verse(left, path), verses._verse(right, path))
                     for chapter, left, right in verses._whole(rows, empty, broken)],
                )  # fmt: skip


def _bounded(connection: sqlite3.Connection, codes: tuple[str, str]) -> list[tuple]:
    """Return the rows of two translations, in bounded time and memory."""
    rows, size, ticks = [], 0, iter([0] * verses._MILLION_STEPS)
    connection.set_progress_handler(lambda: next(ticks, 1), 1_000_000)
    for row in connection.execute(_BY_CHAPTER, codes):
        size += len(row[2]) + len(row[3]) + verses._ROW_BYTES
        if size > verses.MAX_BYTES:
            raise sqlite3.DataError(f"over {verses.MAX_BYTES:,} bytes of verses")
        rows.append(row)
    return rows
