"""The format of Ding, a dictionary program: German and English words, phrases and sentences."""

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

_ABBREVIATION = re.compile(r"(?:^|(?<=\s))/[^/\s|;]+/(?=[\s|;]|$)")


class DingReader(DictionaryReader):
    """Lines of `word; synonym | phrase :: translation; synonym | translation`, comments apart.

    Bars separate a word from its forms and phrases, each of which has its translation after the
    `::` in the same place. Brackets of all kinds, with gender, field, place and explanations, are
    left out, and abbreviations between slashes.
    """

    headwords: str = "de"
    """The language on the left."""
    member: str | None = None
    """The dictionary's name in the archive; null: the file is the dictionary, plain or packed."""

    def entries(self, path: str, language: str) -> Iterator[Entry]:
        """Yield the entries; a line whose sides do not have as many parts each is refused."""
        for place, number, line in lines_of(path, self.member):
            if not line.strip() or line.startswith("#"):
                continue
            sides = [_clean(side).split("|") for side in line.split("::")]
            if len(sides) != 2 or len(sides[0]) != len(sides[1]):
                parts = " and ".join(str(len(side)) for side in sides)
                problem = f"{len(sides)} sides between :: of {parts} parts between |"
                remedy = "Give two sides of as many parts each, or remove the line"
                raise InputError(place, number, problem, remedy)
            for left, right in zip(*sides, strict=True):
                words, translations = alternatives(left, ";"), alternatives(right, ";")
                if words and translations:
                    yield Entry(words[0], [paired(words, translations)])


def _clean(side: str) -> str:
    return _ABBREVIATION.sub(" ", without_brackets(side))
