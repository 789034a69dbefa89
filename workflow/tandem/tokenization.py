"""Moses tokenisation, chunk by chunk.

sacremoses tokenises a line with a cascade of regular expressions, about 10,000 lines a second. Its
rules look no further than one whitespace-delimited chunk, but for two: a full stop at a chunk's end
is split off or not according to what follows, and an apostrophe or comma at a chunk's edge
according to whether anything stands beside it. So sacremoses tokenises each chunk once, in a
context of that kind, and the result is remembered: the same tokens at the speed of a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from sacremoses import MosesTokenizer

T = TypeVar("T")

MEMORY_LIMIT = 1_000_000
"""Chunks remembered before the memory is emptied: about 200 MB."""
LONGEST_REMEMBERED = 64
"""Characters of the longest chunk remembered: a longer one (a line of Chinese, a URL) is rare."""


class ChunkTokenizer(Generic[T]):
    """Maps a line to the items that `convert` makes of the Moses tokens of each of its chunks.

    `convert` takes the tokens of one chunk, so it must not need their neighbours: lower-casing,
    a vocabulary look-up and SentencePiece (whose pieces never span a space) do not.
    """

    def __init__(self, language: str, convert: Callable[[list[str]], Sequence[T]]) -> None:
        """Tokenise as for `language` (ISO 639-1; sacremoses falls back to English's prefixes)."""
        self._moses = MosesTokenizer(lang=language.split("-")[0])
        self._convert = convert
        self._memory: dict[str, Sequence[T]] = {}

    def __call__(self, line: str) -> list[T]:
        """Return the items of the line's tokens, in order."""
        memory = self._memory
        items: list[T] = []
        chunks = line.split()
        last = len(chunks) - 1
        for position, chunk in enumerate(chunks):
            found = memory.get(chunk)
            if found is None:
                found = self._learn(chunks, position, last)
            items += found
        return items

    def _learn(self, chunks: list[str], position: int, last: int) -> Sequence[T]:
        chunk = chunks[position]
        before, after = "", ""
        if chunk[0] in _EDGES or chunk[-1] in _EDGES:
            before = "" if position == 0 else "A "
            if position < last:
                after = _stand_in(chunks[position + 1][0])
            key = f"{before}{chunk}{after} "  # a space: no bare chunk has one
        else:
            key = chunk
        found = self._memory.get(key)
        if found is None:
            tokens = self._moses.tokenize(before + chunk + after, escape=False)
            tokens = tokens[bool(before) : len(tokens) - bool(after)]
            found = self._convert(tokens)
            if len(self._memory) >= MEMORY_LIMIT:
                self._memory.clear()
            if len(chunk) <= LONGEST_REMEMBERED:
                self._memory[key] = found
        return found


_EDGES = frozenset(".',")


def _stand_in(character: str) -> str:
    """Return a next word of the kind that the full-stop rules tell apart."""
    if character.islower():
        return " a"
    return " 1" if character.isdigit() else " A"
