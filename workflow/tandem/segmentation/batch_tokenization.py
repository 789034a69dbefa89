"""Many lines to ids at once: the tokens of `ChunkTokenizer`, at many times its speed.

Where Moses' rules are simple, which is nearly everywhere, compiled code splits a chunk into words
and marks and looks these up in lower case, so that neither case nor punctuation makes a known word
new. Python handles what is new, and all other chunks ("don't", "3.5", "e.g.") once in each kind of
context. Units are told apart by a hash of 63 bits alone: among a million, two share one with a
probability of 5e-8.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tandem.segmentation.ragged import Ragged, from_rows
from tandem.segmentation.tokenization import AFTER, BEFORE, DELETED, EDGES, ChunkTokenizer
from tandem.segmentation.tokenization_kernels import (
    DIGIT,
    EDGE,
    LOWER,
    MARK,
    POINT,
    SPACE,
    WORD,
    Characters,
    Hashes,
    Integers,
    gather,
    hash_of,
    number,
    split,
)

MEMORY_LIMIT = 500_000
"""Distinct units remembered before the memory is emptied: about 50 MB."""
_IDS_LIMIT = 20_000_000
_BESIDE = [(before, after) for before in (BEFORE, "") for after in AFTER]
_CODES = 0x110000
_CONTEXT_LOWERED = "\u03a3"
"""A capital sigma is lowered differently at the end of a word."""


class BatchTokenizer:
    """Maps many lines to the ids of their tokens.

    Each distinct unit, a word or mark or a chunk in its context, has a number and a row of ids.
    """

    def __init__(self, chunks: ChunkTokenizer, convert: Callable[[Sequence[str]], Ragged]) -> None:
        """Split into the tokens of `chunks`, of which `convert` gives the ids.

        These must not depend on the case of a token.
        """
        self._chunks, self._convert = chunks, convert
        self._kinds, self._lowered = _classes(chunks.word_characters)
        self._stops = _hashes(chunks.prefixes), _hashes(chunks.numeric_prefixes)
        self._forget()

    def __call__(self, lines: Sequence[str]) -> Ragged:
        """Return the ids of the lines (int32)."""
        if not lines:
            return from_rows([])
        data = _characters(lines)
        spans = split(data, self._kinds, self._lowered, self._stops)
        starts, ends, contexts, hashes, rows = spans
        if len(self._ends) > MEMORY_LIMIT or len(self._ids) > _IDS_LIMIT:
            self._forget()
        self._make_room(len(hashes))
        units, new = number(hashes, self._keys, self._numbers, len(self._ends) - 1)
        if new.size:
            try:
                self._learn(_texts(data, starts[new], ends[new]), contexts[new])
            except BaseException:  # numbers without ids: an interrupted session may go on
                self._forget()
                raise
        known = np.frombuffer(self._ids, np.int32), np.frombuffer(self._ends, np.int64)
        return Ragged(*gather(*known, units, rows))

    def _learn(self, texts: list[str], contexts: NDArray[np.int8]) -> None:
        """Add the ids of new units, given their text and context."""
        chunks = np.flatnonzero(contexts >= 0).tolist()
        beside = [_BESIDE[kind] for kind in contexts[chunks].tolist()]
        split = self._chunks.tokens([texts[place] for place in chunks], beside)
        for place, text in zip(chunks, split, strict=True):
            texts[place] = text
        tokens = np.ones(len(texts), np.int64)
        tokens[chunks] = [len(text.split()) for text in split]
        found = self._convert(" ".join(texts).split())
        ends = found.offsets[np.cumsum(tokens)]
        self._ends.frombytes((ends + len(self._ids)).tobytes())
        self._ids.frombytes(found.ids.astype(np.int32).tobytes())

    def _make_room(self, units: int) -> None:
        """Have a hash table at most half full after so many units more, all of them new."""
        wanted = 2 * (len(self._ends) + units)
        if wanted <= len(self._keys):
            return
        held = self._keys != 0
        keys, numbers = self._keys[held], self._numbers[held]
        size = 1 << wanted.bit_length()
        self._keys, self._numbers = np.zeros(size, np.uint64), np.zeros(size, np.int32)
        # in the order of their numbers they get the same ones again
        number(keys[np.argsort(numbers)], self._keys, self._numbers, 0)

    def _forget(self) -> None:
        self._keys, self._numbers = np.zeros(1, np.uint64), np.zeros(1, np.int32)
        # the ids of all units, and where those of each end
        self._ids, self._ends = array("i"), array("q", [0])


def _characters(lines: Sequence[str]) -> Characters:
    """Return the code points of the lines, each with a newline after it."""
    text = "\n".join(lines) + "\n"
    if text.count("\n") != len(lines):  # a line with newlines inside
        text = "\n".join(" ".join(line.split()) for line in lines) + "\n"
    return _codes(text)


def _codes(text: str) -> Characters:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _texts(data: Characters, starts: Integers, ends: Integers) -> list[str]:
    """Return units of the data, none of which has a newline."""
    lengths = ends - starts + 1
    after = np.cumsum(lengths)
    places = np.arange(lengths.sum()) + np.repeat(starts - after + lengths, lengths)
    characters = data[places]
    characters[after - 1] = ord("\n")
    text = characters.tobytes().decode("utf-32-le", "surrogatepass")
    return text[:-1].split("\n")


def _hashes(words: frozenset[str]) -> Hashes:
    """Return the hashes of words in ascending order."""
    return np.sort(np.array([hash_of(_codes(word), 0) for word in words], np.uint64))


@cache
def _classes(word_characters: str) -> tuple[NDArray[np.uint8], Characters]:
    """Return the class of every code point and its lower case, (1,114,112,) each.

    What Moses' own rules are needed for is neither WORD nor MARK, nor is a letter whose lower case
    is several or depends on its neighbours.
    """
    codes = np.arange(_CODES, dtype=np.uint32)
    letters = codes.view("U1")
    capitals = letters[np.strings.isupper(letters)].tolist()
    special = [capital for capital in capitals if len(capital.lower()) > 1] + [_CONTEXT_LOWERED]
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    for capital in special:
        text = text.replace(capital, "\0")
    lowered = _codes(text.lower())
    kinds = np.full(_CODES, MARK, np.uint8)
    kinds[_codes(word_characters)] = WORD
    kinds[_codes("".join(special) + DELETED)] = 0
    kinds[_codes("".join(EDGES))] = EDGE
    kinds[_codes(".,")] |= POINT
    kinds[np.strings.isspace(letters)] = SPACE
    kinds[np.strings.islower(letters)] |= LOWER
    kinds[np.strings.isdigit(letters)] |= DIGIT
    return kinds, lowered
