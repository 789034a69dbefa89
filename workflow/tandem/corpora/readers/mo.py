"""Compiled gettext catalogues (MO) inside an archive: a file for each language and component."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Annotated

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.edits import Edits, edited
from tandem.corpora.members import naming
from tandem.corpora.readers import Placed, Reader
from tandem.errors import InputError, TandemError
from tandem.files.io import MAX_DOCUMENT_BYTES
from tandem.text.spelling import plain

_MAGIC = 0x950412DE
_HEADER = "4I"
"""What a catalogue begins with after its magic number: a version, the number of its messages, and
where the tables of their ids and of their translations are (gettext's manual, 10.3)."""
_REMEDY = "Fetch it again"


class MoReader(Reader):
    """The messages with their translations, in a file for each language but that of the ids.

    A message is what its id holds after the context; the same message in two contexts may have two
    translations. Left out are untranslated messages, the header, and messages with plural forms,
    whose number differs by language. White space collapses to single spaces.
    """

    members: Annotated[re.Pattern[str], naming("language")]
    """Matches the names of the catalogues, with a group `language` and, where a language has
    several files, a group `component`: they are the sections. Without the latter each message is a
    section of its own."""
    msgid: str
    """The language of the ids."""
    edits: Edits = ()
    """Patterns in messages and translations, each with what is put in its place, in this order."""

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs.

        Raises:
            TandemError: neither language of a pair is that of the ids.
            InputError: a language has no file, or a file is no MO catalogue.
        """
        with open_archive(path) as archive:
            for target in targets:
                if self.msgid not in (source, target):
                    needed = f"{self.msgid}, that of the catalogues' ids"
                    raise TandemError(f"{path}: one language must be {needed}")
                if target == self.msgid:
                    rows = self._rows(archive, source)
                    yield target, [(section, right, left) for section, left, right in rows]
                else:
                    yield target, list(self._rows(archive, target))

    def _rows(self, archive: Archive, language: str) -> Iterator[Placed]:
        """Yield the section, the message and the translation of what a language translates."""
        matches = [match for match in map(self.members.fullmatch, archive.names) if match]
        files = [match for match in matches if match["language"] == language]
        if not files:
            languages = ", ".join(sorted({match["language"] for match in matches})) or "none"
            problem = f"no catalogue in the language {language!r}"
            raise InputError(archive.path, None, problem, f"It has: {languages}")
        left = 2 * MAX_DOCUMENT_BYTES  # of all its files together
        for match in files:
            place = archive.place(match[0])
            raw = archive.read(match[0], min(left, MAX_DOCUMENT_BYTES))
            left -= len(raw)
            for message, translation in _messages(raw, place):
                texts = (message.rpartition("\x04")[2], translation)
                first, second = (plain(edited(text, self.edits), place) for text in texts)
                yield match.groupdict().get("component") or first, first, second


def _messages(raw: bytes, place: str) -> Iterator[tuple[str, str]]:
    """Yield ids with their translations; InputError where the file is not a whole MO catalogue."""
    order = next((o for o in "<>" if raw[:4] == struct.pack(f"{o}I", _MAGIC)), None)
    if order is None:
        raise InputError(place, None, "no MO catalogue", _REMEDY)
    try:
        _, count, ids, translations = struct.unpack_from(order + _HEADER, raw, 4)
        for number in range(count):
            message, translation = (
                _text(raw, *struct.unpack_from(f"{order}2I", raw, table + 8 * number))
                for table in (ids, translations)
            )
            if message and translation and "\0" not in message:
                yield message, translation
    except (struct.error, ValueError) as error:
        raise InputError(place, None, f"a damaged MO catalogue: {error}", _REMEDY) from error


def _text(raw: bytes, length: int, offset: int) -> str:
    """Return a text of a catalogue; ValueError where it ends before the text, or is no UTF-8."""
    if offset + length > len(raw):
        raise ValueError(f"it ends before byte {offset + length:,}")
    return raw[offset : offset + length].decode("utf-8")
