"""Texts inside JSON documents of an archive, such as verses in lists of chapters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

from pydantic import field_validator
from pydantic_core import PydanticCustomError

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.edits import Edits, edited
from tandem.corpora.readers import Placed, Reader
from tandem.errors import InputError
from tandem.files.io import MAX_DOCUMENT_BYTES, parse_json
from tandem.text.spelling import plain

MAX_DEPTH = 16
"""Most keys on the way to a text."""
Key = tuple[str, ...]


class RecordsReader(Reader):
    """The texts that both languages have, joined on what their patterns capture.

    A text is a string under keys of objects and numbers in lists, from 0, which joined by points
    are its path: `0.verses.6.text`. Left out is a text that is empty after the edits, or equal to
    the one before or after it: it says what both say together.
    """

    members: re.Pattern[str]
    """Matches the names of the documents, with a group `language` where each language has its own;
    a name in which that group matches nothing is of a document with all languages."""
    by_language: ClassVar[str] = "texts"
    texts: dict[str, re.Pattern[str]]
    """By language, a pattern of the paths of its texts. What its groups capture is the same for
    texts that belong together, and the first of them is their section."""
    edits: dict[str, Edits] = {}
    """By language, patterns in its texts, each with what is put in its place, in this order."""
    damage: dict[str, re.Pattern[str]] = {}
    """By language, a pattern that is found only in texts that are no translation of the other,
    which are left out."""

    @field_validator("texts")
    @classmethod
    def _have_groups(cls, texts: dict[str, re.Pattern[str]]) -> dict[str, re.Pattern[str]]:
        for language, pattern in texts.items():
            if not pattern.groups:
                text = f"that of {language} has no group, which says what belongs together"
                raise PydanticCustomError("group", "{text}", {"text": text})
        return texts

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, list[Placed]]]:
        """Yield each target language with its pairs, reading the source language once.

        InputError where a document is no JSON, or a text no string.
        """
        with open_archive(path) as archive:
            left = self._texts(archive, source)
            for target in targets:
                right = self._texts(archive, target)
                shared = [key for key in left if key in right]
                yield target, [(key[0], left[key], right[key]) for key in shared]

    def _texts(self, archive: Archive, language: str) -> dict[Key, str]:
        """Return the texts of a language by what their paths capture."""
        edits, damage = self.edits.get(language, ()), self.damage.get(language)
        rows = (
            (key, plain(edited(plain(value, place), edits), place))
            for key, value, place in self._values(archive, language)
        )
        texts: dict[Key, str] = {}
        for text, same in groupby(rows, key=lambda row: row[1]):
            keys = [key for key, _ in same]
            if text and len(keys) == 1 and not (damage and damage.search(text)):
                texts.setdefault(keys[0], text)
        return texts

    def _values(self, archive: Archive, language: str) -> Iterator[tuple[Key, str, str]]:
        """Yield what the path of a text captures, the text, and the name of its document."""
        pattern, left = self.texts[language], 2 * MAX_DOCUMENT_BYTES  # of all documents together
        for match in filter(None, map(self.members.fullmatch, archive.names)):
            if match.groupdict().get("language") not in (language, None):
                continue
            place = archive.place(match[0])
            raw = archive.read(match[0], min(left, MAX_DOCUMENT_BYTES))
            left -= len(raw)
            for keys, value in _walk(parse_json(raw, place), ()):
                where = pattern.fullmatch(".".join(keys))
                if where is None:
                    continue
                if not isinstance(value, str):
                    problem = f"the value of {where[0][:80]!r} is no string"
                    raise InputError(place, None, problem, "Correct `texts` in the register")
                yield tuple(group or "" for group in where.groups()), value, place


def _walk(tree: Any, keys: Key) -> Iterator[tuple[Key, Any]]:  # noqa: ANN401
    """Yield (path of keys, leaf) of nested objects and lists; what nests too deep is a leaf."""
    if isinstance(tree, list):
        tree = {str(number): branch for number, branch in enumerate(tree)}
    if isinstance(tree, Mapping) and len(keys) < MAX_DEPTH:
        for name, branch in tree.items():
            yield from _walk(branch, (*keys, name))
    else:
        yield keys, tree
