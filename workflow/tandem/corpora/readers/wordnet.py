"""WordNet (Fellbaum, 1998): English words with what they mean, and examples of their use.

Its files of data (wndb(5)) have a line for each set of synonyms, its number first, and after a bar
what it means and, in quotes, examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.dictionaries import MAX_BYTES, without_brackets
from tandem.corpora.readers import Reader
from tandem.errors import InputError
from tandem.text import Pair

FILES = ("data.noun", "data.verb", "data.adj", "data.adv")
_SET = re.compile(r"(?P<number>\d{8}) \d\d [nvasr] (?P<count>[0-9a-f]{2}) (?P<rest>\S.*)")
_POINTER = re.compile(r"(?:^| )@i? (\d{8}) [nv] 0000(?= |$)")
"""A pointer to the set of a more general word, or to what an individual is an instance of."""
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
"""Says where an adjective stands in a sentence."""
_EXAMPLE = re.compile(r'"([^"]+)"?')
_VOWEL = re.compile(r"(?i)[aeiou]")
MAX_SETS = 200_000
"""Most sets of a file; each takes about 200 bytes of memory."""


class _Synonyms(NamedTuple):
    """A set of synonyms, the most usual first, with the number of a more general set."""

    number: int
    words: list[str]
    general: int | None
    meaning: str
    examples: list[str]


class WordnetReader(Reader):
    """Words with their meaning, meanings with examples, and examples with another word in them.

    The first text of a pair is in the first of the two languages asked for, the second in the
    other: both are English. Of each set of synonyms come its words and a more general one, with
    the meaning; the meaning with each example; and each example that holds one of the words, with
    a synonym in its place.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a line of data that is no set of synonyms is refused."""
        with open_archive(path) as archive:
            for member in [_member(archive, name) for name in FILES]:
                first = {entry.number: entry.words[0] for entry in _sets(archive, member)}
                for entry in _sets(archive, member):
                    yield from _pairs(entry, first.get(entry.general or -1))


def _member(archive: Archive, name: str) -> str:
    """Return the member that is a file of this name, in whatever folder."""
    members = [member for member in archive.names if member.endswith(f"/{name}")]
    if len(members) != 1:
        problem = f"{len(members)} members are named {name}, expected one"
        raise InputError(archive.path, None, problem, f"It has: {', '.join(archive.names[:20])}")
    return members[0]


def _sets(archive: Archive, member: str) -> Iterator[_Synonyms]:
    """Yield the sets of a file, whose first lines, the licence, begin with spaces."""
    place, count = archive.place(member), 0
    for number, line in enumerate(archive.lines(member, MAX_BYTES), start=1):
        if line.startswith("  ") or not line.strip():
            continue
        count += 1
        data, _, gloss = line.partition(" | ")
        match = _SET.fullmatch(data)
        words = match["rest"].split(" ")[: 2 * int(match["count"], 16) : 2] if match else []
        if match is None or not words or not gloss.strip() or count > MAX_SETS:
            problem = f"no set of synonyms with its meaning after a bar, or over {MAX_SETS:,}"
            raise InputError(place, number, problem, "Fetch it again")
        general = _POINTER.search(match["rest"])
        meaning, *rest = gloss.split('"', 1)
        yield _Synonyms(
            int(match["number"]),
            [_MARKER.sub("", word).replace("_", " ") for word in words],
            int(general[1]) if general else None,
            without_brackets(meaning).rstrip(" ;:,"),
            [text.strip() for text in _EXAMPLE.findall('"' + rest[0])] if rest else [],
        )


def _pairs(entry: _Synonyms, general: str | None) -> Iterator[Pair]:
    """Yield the pairs of a set of synonyms, given a more general word."""
    words = [*entry.words, *filter(None, [general])]
    if entry.meaning:
        yield ", ".join(dict.fromkeys(words)), entry.meaning
    if not entry.examples:
        return
    choice = "|".join(map(re.escape, sorted(entry.words, key=len, reverse=True)))
    word = re.compile(rf"(?i)(?<![\w-])(?P<article>an? )?(?P<word>{choice})(?![\w-])")
    for example in entry.examples:
        if entry.meaning:
            yield entry.meaning, example
        if (place := word.search(example)) and (other := _another(place, entry.words)):
            yield example, f"{example[: place.start('word')]}{other}{example[place.end() :]}"


def _another(place: re.Match[str], words: list[str]) -> str | None:
    """Return the first other word for one in its place; after an article, one that begins alike."""
    word = place["word"]
    for other in words:
        alike = bool(_VOWEL.match(other)) == bool(_VOWEL.match(word))
        if other.casefold() != word.casefold() and (alike or not place["article"]):
            return other
    return None
