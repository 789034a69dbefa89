"""Moses tokenisation, chunk by chunk.

sacremoses tokenises a line with a cascade of regular expressions, about 10,000 lines a second. Its
rules look no further than one whitespace-delimited chunk, but for two: a full stop at a chunk's end
is split off or not according to what follows, and an apostrophe or comma at a chunk's edge
according to whether anything stands beside it. So sacremoses tokenises each chunk once, in a
context of that kind, and the result is remembered: the same tokens at the speed of a dictionary.
Only where such marks meet across a space ("1' '1") may a line's tokens differ from sacremoses' own,
whose patterns do not overlap; training and encoding agree all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from sacremoses import MosesTokenizer

MEMORY_LIMIT = 1_000_000
"""Chunks remembered before the memory is emptied: about 200 MB."""
LONGEST_REMEMBERED = 64
"""Characters of the longest chunk remembered: a longer one (a line of Chinese, a URL) is rare."""


class _Moses(MosesTokenizer):
    """sacremoses with two sets of letters built once; it builds them at every question."""

    _letters, _small = frozenset(MosesTokenizer.IsAlpha), frozenset(MosesTokenizer.IsLower)

    def isanyalpha(self, text: str) -> bool:
        """Tell whether the text has a letter."""
        return not self._letters.isdisjoint(text)

    def islower(self, text: str) -> bool:
        """Tell whether all of the text is lower-case letters."""
        return self._small.issuperset(text)


class ChunkTokenizer:
    """Maps a line to its Moses tokens.

    Attributes:
        word_characters: what words are made of; all other characters are tokens by themselves.
        prefixes: words that keep a full stop whatever follows ("Mr").
        numeric_prefixes: words that keep it before a number ("No").
    """

    def __init__(self, language: str) -> None:
        """Tokenise as for `language` (ISO 639-1; sacremoses falls back to English's prefixes)."""
        self._moses = _Moses(lang=language.split("-")[0])
        self.word_characters = self._moses.IsAlnum + _JOINED
        self.numeric_prefixes = frozenset(self._moses.NUMERIC_ONLY_PREFIXES)
        self.prefixes = frozenset(self._moses.NONBREAKING_PREFIXES) - self.numeric_prefixes
        self._plain = frozenset(self.word_characters)
        self._runs = _runs(self.word_characters)
        self._memory: dict[str, list[str]] = {}

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of a line, in order."""
        memory = self._memory
        items: list[str] = []
        chunks = line.split()
        last = len(chunks) - 1
        for position, chunk in enumerate(chunks):
            found = memory.get(chunk)
            if found is None:
                following = chunks[position + 1] if position < last else ""
                beside = context(chunk, position == 0, following)
                key = memory_key(chunk, *beside)
                found = memory.get(key)
                if found is None:
                    found = self.tokens([chunk], [beside])[0].split()
                    if len(memory) >= MEMORY_LIMIT:
                        memory.clear()
                    if len(chunk) <= LONGEST_REMEMBERED:
                        memory[key] = found
            items += found
        return items

    def tokens(self, chunks: Sequence[str], contexts: Sequence[tuple[str, str]]) -> list[str]:
        """Return the Moses tokens of chunks in their contexts, with spaces between them.

        The time is in the number of calls, so chunks are taken together where the rules allow it.
        """
        tokens = [""] * len(chunks)
        matches = map(_SIMPLE.fullmatch, chunks)
        simple = [place for place, match in enumerate(matches) if match]
        others = sorted(set(range(len(chunks))).difference(simple))
        together = [place for place in others if _fits_a_line(chunks[place], contexts[place])]
        alone = sorted(set(others).difference(together))
        for rule, places in (
            (self._simple, simple), (self._together, together), (self._alone, alone)
        ):  # fmt: skip
            if places:
                texts = rule([chunks[i] for i in places], [contexts[i] for i in places])
                for place, text in zip(places, texts, strict=True):
                    tokens[place] = text
        return tokens

    def _simple(self, chunks: Sequence[str], contexts: Sequence[tuple[str, str]]) -> list[str]:
        """Tokenise chunks without inner stops, commas and apostrophes.

        Moses' rules are simple then: words stay whole, every other character stands alone.
        """
        tokens = " ".join(self._runs.findall("\n".join(chunks))).split(" \n ")
        return [
            text[:-2] + "." if text.endswith(" .") and self._keeps_stop(text[:-2], after) else text
            for text, (_, after) in zip(tokens, contexts, strict=True)
        ]

    def _together(self, chunks: Sequence[str], contexts: Sequence[tuple[str, str]]) -> list[str]:
        """Tokenise chunks that are not at the edge of a line, or need not be, in one line."""
        afters = [after or _OTHER for _, after in contexts]
        parts = [BEFORE + chunk + after for chunk, after in zip(chunks, afters, strict=True)]
        tokens = " ".join(self._moses.tokenize(_BREAK.join(parts), escape=False)).split(_BREAK)
        return [text[len(BEFORE) : -len(after)] for text, after in zip(tokens, afters, strict=True)]

    def _alone(self, chunks: Sequence[str], contexts: Sequence[tuple[str, str]]) -> list[str]:
        """Tokenise any chunks, each by itself."""
        texts = []
        for chunk, (before, after) in zip(chunks, contexts, strict=True):
            tokens = self._moses.tokenize(before + chunk + after, escape=False)
            texts.append(" ".join(tokens[bool(before) : len(tokens) - bool(after)]))
        return texts

    def _keeps_stop(self, text: str, after: str) -> bool:
        """Tell whether a full stop after the text belongs to its last word."""
        word = text.split(" ")[-1]
        kept = self.prefixes | self.numeric_prefixes if after == _DIGIT else self.prefixes
        return self._plain.issuperset(word) and (after == _LOWER or word in kept)


_JOINED = "-`"
"""Marks that Moses leaves in words."""
DELETED = "".join(map(chr, range(0x20)))
"""Control characters, which Moses deletes."""
_SIMPLE = re.compile(rf"[^.,'{DELETED}]+[.,]?")
"""What does without Moses' own rules for numbers, initials, contractions, and what it deletes."""
EDGES = frozenset(".',")
"""Marks at a chunk's edge that depend on what stands beside it."""
BEFORE = "A "
"""What `context` may put before a chunk."""
_LOWER, _DIGIT, _OTHER = " a", " 1", " A"
AFTER = ("", _LOWER, _DIGIT, _OTHER)
"""What `context` may put after a chunk."""
_BREAK = " \ue000 "
_PRINTED = re.compile(r"[^\x00-\x1f\ue000]+")
"""What Moses does not delete, without the mark of a break."""


@cache
def _runs(characters: str) -> re.Pattern[str]:
    """Return a pattern of runs of these characters and of single others."""
    escaped = re.escape(characters)
    return re.compile(f"[{escaped}]+|[^{escaped}]")


def depends_on_context(chunk: str) -> bool:
    """Tell whether the tokens of a chunk depend on what stands beside it."""
    return chunk[0] in EDGES or chunk[-1] in EDGES


def context(chunk: str, first: bool, following: str) -> tuple[str, str]:
    """Return what to put before and after a chunk so that it is tokenised as in its line.

    Args:
        chunk: text without white space.
        first: nothing precedes it in its line.
        following: the next chunk, "" at the end of the line.
    """
    if not depends_on_context(chunk):
        return "", ""
    return "" if first else BEFORE, stand_in(following) if following else ""


def stand_in(chunk: str) -> str:
    """Return a word of the kind that the full-stop rules tell apart."""
    if chunk[0].islower():
        return _LOWER
    return _DIGIT if chunk[0].isdigit() else _OTHER


def _fits_a_line(chunk: str, beside: tuple[str, str]) -> bool:
    """Tell whether a chunk is at no edge of a line, or need not be, and all of it is printed."""
    within = all(beside) or not depends_on_context(chunk)
    return within and bool(_PRINTED.fullmatch(chunk))


def memory_key(chunk: str, before: str, after: str) -> str:
    """Return what a chunk in a context is remembered by; a bare chunk by itself."""
    if not depends_on_context(chunk):
        return chunk
    return f"{before}{chunk}{after} "  # a space: no bare chunk has one
