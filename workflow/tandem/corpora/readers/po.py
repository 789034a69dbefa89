"""gettext PO catalogues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tandem.corpora.readers import Reader
from tandem.errors import TandemError
from tandem.files.io import MAX_DOCUMENT_BYTES, read_lines
from tandem.files.untrusted import refusing
from tandem.text import Pair
from tandem.text.spelling import plain


class PoReader(Reader):
    """A catalogue for each language except that of the msgids, which all catalogues hold."""

    msgid: str
    """The language of the msgids."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield (msgid, msgstr) of finished entries, or the other way round.

        Left out: the header, fuzzy, obsolete and untranslated entries, and those with plural
        forms, whose number of forms differs by language. TandemError where neither language is that
        of the msgids, InputError on a syntax error.
        """
        if self.msgid not in (source, target):
            needed = f"{self.msgid}, that of the catalogue's msgids"
            raise TandemError(f"{path}: one language must be {needed}")
        import polib

        other = target if source == self.msgid else source
        path = path.replace("{language}", other)
        text = "\n".join(read_lines(path, MAX_DOCUMENT_BYTES)) + "\n"
        with refusing(path, "not a PO catalogue", "Check it with msgfmt -c"):
            # polib takes a string for a file's name when there is one: the newline rules it out
            catalogue = polib.pofile(text)
        for entry in catalogue.translated_entries():
            if not entry.msgid_plural:
                left, right = plain(entry.msgid, path), plain(entry.msgstr, path)
                yield (left, right) if other == target else (right, left)

    def with_files(self, languages: Sequence[str]) -> list[str]:
        """Return all but the language of the msgids."""
        return [language for language in languages if language != self.msgid]
