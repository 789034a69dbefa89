"""Families of sentences: what labels, or being in one pair, say of those of other pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tandem.corpora.labelled import Row
    from tandem.corpora.readers import LabelledPair

FAMILY = 8
"""Most sentences of a family of paraphrases whose pairs are implied."""
Sentence = tuple[str, str]
"""Its language and its text."""
Triple = tuple[Sentence, Sentence, int]
"""A pair, and its label."""


class Keys:
    """Keys of sentences, equal for those that are said to be the same."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def join(self, left: str, right: str) -> None:
        """Take two sentences, written `<language> <text>`, for the same."""
        self._above[self._top(left.lower())] = self._top(right.lower())

    def __getitem__(self, sentence: str) -> int:
        return self._numbers.setdefault(self._top(sentence.lower()), len(self._numbers))

    def _top(self, sentence: str) -> str:
        while (above := self._above.setdefault(sentence, sentence)) != sentence:
            self._above[sentence] = sentence = self._above[above]
        return sentence


def implied(triples: Sequence[Triple]) -> list[Triple]:
    """Return pairs whose label follows from those of others, each once.

    Sentences that paraphrases join are a family: its members say the same, and if two families
    have a pair labelled 0, so are all between them. A family with such a pair within it contradicts
    itself, and is left out, as are families of more than `FAMILY` sentences.
    """
    numbers = Keys()
    for left, right, label in triples:
        if label:
            numbers.join(" ".join(left), " ".join(right))
    families: dict[int, dict[Sentence, None]] = {}
    apart: dict[tuple[int, int], None] = {}
    for left, right, label in triples:
        of = numbers[" ".join(left)], numbers[" ".join(right)]
        for number, sentence in zip(of, (left, right), strict=True):
            families.setdefault(number, {})[sentence] = None
        if not label:
            apart[min(of), max(of)] = None
    torn = {first for first, second in apart if first == second}
    torn |= {number for number, members in families.items() if len(members) > FAMILY}
    labelled = {frozenset(pair[:2]) for pair in triples}
    within = [(*pair, 1) for number, members in families.items() if number not in torn
              for pair in combinations(members, 2)]  # fmt: skip
    between = [(*pair, 0) for first, second in apart if torn.isdisjoint((first, second))
               for pair in product(families[first], families[second])]  # fmt: skip
    return [pair for pair in within + between if frozenset(pair[:2]) not in labelled]


def row_groups(rows: Mapping[str, Mapping[str, Row | LabelledPair]]) -> dict[str, int]:
    """Return the group of each name of a row: equal where rows share a sentence in a language.

    Also by way of other rows. What an encoder does to one of them says something of the others.
    """
    groups = Keys()
    for code, named in rows.items():
        for name, row in named.items():
            for text in (row.first, row.second):
                groups.join(f"{code} {text}", f"\t{name}")
    return {name: groups[f"\t{name}"] for named in rows.values() for name in named}
