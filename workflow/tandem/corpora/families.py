"""Families of sentences: those that are said to be the same, and rows that share one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tandem.corpora.labelled import Row


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


def row_groups(rows: Mapping[str, Mapping[str, Row]]) -> dict[str, int]:
    """Return the group of each name of a row: equal where rows share a sentence in a language.

    Also by way of other rows. What an encoder does to one of them says something of the others.
    """
    groups = Keys()
    for code, named in rows.items():
        for name, row in named.items():
            for text in (row.first, row.second):
                groups.join(f"{code} {text}", f"\t{name}")
    return {name: groups[f"\t{name}"] for named in rows.values() for name in named}
