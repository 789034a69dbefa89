"""Dictionaries as pairs: a head word, and one of its translations without notes on grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import NamedTuple

from pydantic import PositiveInt

from tandem.corpora.archives import open_archive
from tandem.corpora.readers import Reader
from tandem.errors import InputError, TandemError
from tandem.files.io import read_lines
from tandem.text import Pair, language_of
from tandem.text.spelling import collapse

MAX_BYTES = 1 << 28
"""Most bytes of a dictionary, unpacked; the largest that is registered has 55 MB."""
_DEPTH = 5
"""Most brackets in each other."""
_BRACKETS = {
    "(": re.compile(r"\([^()]*\)"),
    "[": re.compile(r"\[[^\[\]]*\]"),
    "{": re.compile(r"\{[^{}]*\}"),
    "<": re.compile(r"<[^<>]*>"),
}
_ALONE = frozenset("()[]{}<>")
_BEFORE_MARK = re.compile(r" +(?=[.,;:!?](?:\s|$))")


class Entry(NamedTuple):
    """A head word and its senses: of each, ways to say it in both languages, the first best."""

    head: str
    senses: list[list[Pair]]


class DictionaryReader(Reader):
    """Reads the pairs of a dictionary; a kind defines `entries`."""

    headwords: str
    """The language of the head words, without script or country."""
    most: PositiveInt = 3
    """Most pairs of a head word, so that one of twenty senses does not outweigh others: the first
    translation of each sense, then the second ones. Entries of one head word that follow each other
    count as one."""

    def entries(self, path: str, language: str) -> Iterator[Entry]:
        """Yield the entries, in the file's order; InputError names the file, line and remedy.

        `language` is the code that is asked for in place of `headwords`, such as zh-Hant for zh.
        """
        raise NotImplementedError

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; TandemError unless one language is that of the head words."""
        first, second = (language_of(code) == self.headwords for code in (source, target))
        if first == second:
            needed = f"{self.headwords}, that of the head words"
            raise TandemError(f"{path}: one of the two languages must be {needed}")
        for word, translation in balanced(
            self.entries(path, source if first else target), self.most
        ):
            yield (word, translation) if first else (translation, word)


def balanced(entries: Iterable[Entry], most: int) -> Iterator[Pair]:
    """Yield the pairs of entries, of each head word at most `most`, none twice."""
    for _, same in groupby(entries, key=lambda entry: entry.head):
        senses = list(islice((s for entry in same for s in entry.senses if s), most))
        longest = max(map(len, senses), default=0)
        in_turn = (sense[n] for n in range(longest) for sense in senses if n < len(sense))
        yield from islice(dict.fromkeys(in_turn), most)


def paired(words: list[str], translations: list[str]) -> list[Pair]:
    """Return words that mean the same with their translations: each comes at least once."""
    if not words or not translations:
        return []
    count = max(len(words), len(translations))
    return [(words[n % len(words)], translations[n % len(translations)]) for n in range(count)]


def without_brackets(text: str, kinds: str = "([{<") -> str:
    """Return text on one line without what stands in brackets, such as a gender or a field."""
    for kind in kinds:
        for _ in range(_DEPTH):
            text, count = _BRACKETS[kind].subn(" ", text)
            if not count:
                break
    return _BEFORE_MARK.sub("", collapse(text))


def alternatives(text: str, separator: str) -> list[str]:
    """Return the parts of a text, without the marks at their ends.

    Left out are those without a letter, and damaged ones, with a bracket that has no other.
    """
    parts = (part.strip(" ,;") for part in text.split(separator))
    return [part for part in parts if any(map(str.isalpha, part)) and _ALONE.isdisjoint(part)]


def lines_of(path: str, member: str | None) -> Iterator[tuple[str, int, str]]:
    """Yield the name of a text, the number of each line, and the line.

    `member` is the name of the text in the archive `path`; None: the file is the text, plain or
    packed.
    """
    if member is None:
        yield from ((path, n, line) for n, line in enumerate(read_lines(path, MAX_BYTES), start=1))
        return
    with open_archive(path) as archive:
        if member not in archive.names:
            remedy = "Correct `member` in the register"
            raise InputError(path, None, f"it has no member {member}", remedy)
        place = archive.place(member)
        for number, line in enumerate(archive.lines(member, MAX_BYTES), start=1):
            yield place, number, line
