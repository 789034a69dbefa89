"""What counts as a pair of texts, a language, a token, a word, the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Pair = tuple[str, str]
"""A text and its translation, or what passes for it: what bitext is made of."""


def is_blank(pair: Pair) -> bool:
    """Tell whether a side has no text, so that it is no pair."""
    return any(not side or side.isspace() for side in pair)


class Filled:
    """Pairs without those of which a side is blank; `blank` counts these as they are read."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.blank, self._pairs = 0, pairs

    def __iter__(self) -> Iterator[Pair]:
        for pair in self._pairs:
            if is_blank(pair):
                self.blank += 1
            else:
                yield pair


def language_of(code: str) -> str:
    """Return the language of a code: pt for pt-BR, sr for sr-Latn, en for en-kjv and for en."""
    return code.partition("-")[0]
