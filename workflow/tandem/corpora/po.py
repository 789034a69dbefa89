"""gettext PO catalogues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polib

from tandem.corpora.text import plain
from tandem.errors import InputError
from tandem.io import read_lines


def read_po(path: str | Path) -> Iterator[tuple[str, str]]:
    """Yield (msgid, msgstr) of a catalogue's finished entries, white space collapsed.

    Left out: the header, fuzzy, obsolete and untranslated entries, and those with plural forms,
    whose number of forms differs by language.

    Raises:
        InputError: on a syntax error, or when no entry is translated.
    """
    text = "\n".join(read_lines(path)) + "\n"
    try:
        # polib takes a string for a file's name when such a file exists: the newline rules it out
        catalogue = polib.pofile(text)
    except (OSError, ValueError, UnicodeError) as error:
        place = re.search(r"line (\d+)", str(error))
        line = int(place.group(1)) if place else None
        problem = "not a PO catalogue (syntax error)"
        raise InputError(path, line, problem, "Check it with msgfmt -c") from error
    pairs = 0
    for entry in catalogue.translated_entries():
        if not entry.msgid_plural and not entry.obsolete:
            pairs += 1
            yield plain(entry.msgid, path), plain(entry.msgstr, path)
    if not pairs:
        raise InputError(path, None, "no entry is translated", "Give a translated catalogue")
