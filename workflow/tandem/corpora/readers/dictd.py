"""Dictionaries of FreeDict in the form that dictd serves: an index, and a file of entries."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import IO

import numpy as np

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.dictionaries import (
    MAX_BYTES,
    DictionaryReader,
    Entry,
    alternatives,
    paired,
    without_brackets,
)
from tandem.corpora.edits import Edits, edited
from tandem.errors import InputError
from tandem.files.io import MAX_LINE_BYTES
from tandem.files.untrusted import refusing

MAX_ENTRIES = 1_000_000
"""Most lines of an index; each takes 8 bytes of memory."""
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ABOUT = "00"
"""How the names of entries begin that are about the dictionary."""
_BITS = 28
"""Bits of a length; the rest are those of its offset, so that numbers order entries."""
_REMEDY = "Fetch it again"
_NUMBER = re.compile(r"\s*\d+\.\s+(?=\S)|\d+\.\s*$")
"""Begins a sense: before its translations, or alone on a line."""
_OTHER_SENSES = re.compile(r"\s\d+\.\s*$")
"""Ends translations that have several senses, whose explanations follow with their numbers."""
_NOTE = re.compile(r"\s*(?:Note|Synonyms?|[Ss]ee|See also):|\s*\"|\s*\w+ of \{")
_SENTENCE = re.compile(r"\.\s")


class DictdReader(DictionaryReader):
    """The translations of the entries in an archive with one member `*.index`, one `*.dict.dz`.

    The first line of an entry is the head word, with its pronunciation between slashes; a sense is
    a line of translations, separated by commas. Left out are brackets of all kinds, lines with
    examples, references and notes, and what follows translations without a number: explanations in
    the language of the head word. So is a translation of several sentences or with abbreviations,
    a full stop before a space.
    """

    edits: Edits = ()
    """Patterns in entries, each with what is put in its place, in this order."""

    def entries(self, path: str, language: str) -> Iterator[Entry]:
        """Yield the entries in the order of their text; damaged or overlapping ones are refused."""
        with open_archive(path) as archive:
            places = _places(archive, archive.ending("index"))
            member = archive.ending("dict.dz")
            with archive.opened(member) as stream:
                for text in _texts(stream, places, archive.place(member)):
                    yield _parsed(edited(text, self.edits))


def _places(archive: Archive, index: str) -> array[int]:
    """Return where entries are, in order: offset and length in one number."""
    numbers: array[int] = array("Q")
    place = archive.place(index)
    for number, line in enumerate(archive.lines(index, MAX_BYTES), start=1):
        word, *where = line.split("\t")
        if word.startswith(_ABOUT):
            continue
        try:
            offset, length = map(_value, where[:2])
        except ValueError as error:
            problem = "no head word, offset and length between tabs"
            raise InputError(place, number, problem, _REMEDY) from error
        if length > MAX_LINE_BYTES or offset > MAX_BYTES or len(numbers) == MAX_ENTRIES:
            problem = f"an entry beyond {MAX_BYTES:,} bytes, of over {MAX_LINE_BYTES:,}, or one of "
            raise InputError(place, number, f"{problem}over {MAX_ENTRIES:,}", "Use another")
        numbers.append(offset << _BITS | length)
    return array("Q", np.unique(np.frombuffer(numbers, np.uint64)).tobytes())


def _value(text: str) -> int:
    """Return a number of an index, which is written with 64 digits; ValueError: it is none."""
    number = 0
    for digit in text:
        number = number << 6 | _DIGITS.index(digit)
        if number > MAX_BYTES:
            break
    return number


def _texts(stream: IO[bytes], places: array[int], name: str) -> Iterator[str]:
    """Yield the entries of a stream, which is read once, from its beginning."""
    position = 0
    for number in places:
        offset, length = number >> _BITS, number & (1 << _BITS) - 1
        if offset < position:
            problem = f"the index names overlapping entries at byte {offset:,}"
            raise InputError(name, None, problem, _REMEDY)
        with refusing(name):
            while position < offset and (passed := stream.read(min(offset - position, 1 << 20))):
                position += len(passed)
            text = stream.read(length)
        position += len(text)
        if len(text) < length:
            problem = f"it ends before the entry at byte {offset:,} does"
            raise InputError(name, None, problem, _REMEDY)
        try:
            yield text.decode("utf-8").replace("\0", " ")
        except UnicodeDecodeError as error:
            problem = f"invalid UTF-8 in the entry at byte {offset:,}"
            raise InputError(name, None, problem, _REMEDY) from error


def _parsed(text: str) -> Entry:
    """Return an entry from its text."""
    first, *lines = text.split("\n")
    words = alternatives(without_brackets(first.partition(" /")[0]), "\n")
    senses, waiting = [], True
    for line in lines:
        if _NOTE.match(line):
            continue
        number = _NUMBER.match(line)
        if number is None and not waiting:
            continue
        rest = line[number.end() :] if number else line
        translations = _translations(rest)
        senses.append(paired(words, translations))
        # a line of brackets alone, such as a part of speech, precedes that of the translations
        waiting = not translations and rest.strip()[:1] in "([{<"
    return Entry("".join(words), senses)


def _translations(text: str) -> list[str]:
    clean = without_brackets(_OTHER_SENSES.sub("", text)).replace(";", ",")
    return [part.rstrip(".") for part in alternatives(clean, ",") if not _SENTENCE.search(part)]
