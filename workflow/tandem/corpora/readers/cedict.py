"""CC-CEDICT, a dictionary of Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tandem.corpora.dictionaries import (
    DictionaryReader,
    Entry,
    alternatives,
    lines_of,
    paired,
    without_brackets,
)
from tandem.errors import InputError

_ENTRY = re.compile(r"(?P<traditional>\S+) (?P<simplified>\S+) \[[^\]]*\] /(?P<senses>.*)/\s*")
_REFERENCE = re.compile("[\\[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Found in senses that refer to another word by its characters or its pronunciation."""
_LABEL = re.compile(r"^(?:lit|fig)\.\s+")


class CedictReader(DictionaryReader):
    """Lines of `traditional simplified [pronunciation] /sense/sense/`, comments apart.

    The head words are simplified, or traditional for a language such as zh-Hant. What is in
    parentheses is left out, and senses that name other Chinese words, for which they refer the
    reader to their entry. A semicolon separates ways to say a sense.
    """

    headwords: str = "zh"
    """The language of the head words, without script."""
    member: str | None = None
    """The dictionary's name in the archive; null: the file is the dictionary, plain or packed."""

    def entries(self, path: str, language: str) -> Iterator[Entry]:
        """Yield the entries; a line that is none is refused."""
        script = "traditional" if "Hant" in language.split("-") else "simplified"
        for place, number, line in lines_of(path, self.member):
            if not line.strip() or line.startswith("#"):
                continue
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                problem = "no entry such as \u4e2d\u570b \u4e2d\u56fd [Zhong1 guo2] /China/"
                raise InputError(place, number, problem, "Use a file as CC-CEDICT's site has them")
            head = entry[script]
            ways = [_ways(sense) for sense in entry["senses"].split("/")]
            yield Entry(head, [paired([head], translations) for translations in ways])


def _ways(sense: str) -> list[str]:
    """Return the ways to say a sense in English; none where it refers to another word."""
    text = without_brackets(sense, "(")
    if _REFERENCE.search(text):
        return []
    return [_LABEL.sub("", way) for way in alternatives(text, ";")]
