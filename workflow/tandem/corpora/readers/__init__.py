"""Readers: one kind for each format that sentence pairs come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from tandem.registry import Kind, Registry
from tandem.text import Pair

Placed = tuple[str, str, str]
"""The section of the corpus that a pair stands in (a book, a component), and the pair."""


class Reader(Kind):
    """Reads the pairs of two languages from a file; a kind defines `pairs` or `sections`.

    Languages are named by the corpus's own codes. A path holds `{language}` where a corpus is a
    file for each language.
    """

    by_language: ClassVar[str] = ""
    """The setting, if there is one, that needs an entry for every language."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield pairs, each text on one line; InputError names the file, line and remedy."""
        raise NotImplementedError

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, Iterable[Placed]]]:
        """Yield several target languages, each with its pairs and the sections they stand in.

        A kind overrides this if an archive of many languages is better opened once, or has
        sections; by default they are "".
        """
        for target in targets:
            yield target, (("", *pair) for pair in self.pairs(path, source, target))

    def with_files(self, languages: Sequence[str]) -> list[str]:
        """Return the languages that have a file of their own, where a corpus is several files."""
        return list(languages)


class LabelledPair(NamedTuple):
    """Two sentences of a language, 1 where they say the same or else 0, and their row's name.

    Rows of the same name in several languages are translations of each other.
    """

    identifier: str
    first: str
    second: str
    label: int


class LabelledReader(Reader):
    """Reads pairs that are labelled as saying the same or not."""

    def labelled(self, path: str, language: str, split: str) -> Iterator[LabelledPair | None]:
        """Yield the pairs of a split, train, valid or test; InputError as `pairs`.

        None stands for a row that is not translated. A language may have none to train on.
        """
        raise NotImplementedError


READERS = Registry("tandem.corpora.readers", Reader)
