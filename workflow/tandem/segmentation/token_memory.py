"""Many lines to ids at once: the tokens of `tokens`, at many times its speed.

Compiled code cuts lines into units, where neither normalising nor splitting looks across the cut:
at white space, and before and after marks. Nearly all units are plain, one token, and are looked up
by a hash of its characters, so that neither case nor punctuation makes a known word new. What is
new goes through Python once. Units are told apart by a hash of 63 bits alone: among a million, two
share one with a probability of 5e-8.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tandem.machine import compiling
from tandem.segmentation.lookup import Characters, Lookup, codes
from tandem.segmentation.ragged import Ragged
from tandem.text.tokens import normalised, tokens

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

SPACE, MARK, LETTER = 1, 2, 4
"""Kinds of characters; 0: it may combine with its neighbours, or become several characters."""
_BASE = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ONE = np.uint64(1)
MEMORY_LIMIT = 500_000
"""Distinct units remembered before the memory is emptied: about 50 MB."""
_IDS_LIMIT = 20_000_000
_CODES, _CLASSIFIED = 0x110000, 0x20000
_JAMO = range(0x1100, 0x1200)
_WORD_CATEGORIES = frozenset("Lu Ll Lt Lm Lo Nd Nl Pc".split())
_MARK_CATEGORIES = frozenset("Pd Ps Pe Pi Pf Po Sm Sc Sk So".split())

_compiled = compiling(nogil=True)


@_compiled
def _added(value: np.uint64, character: np.uint32) -> np.uint64:
    return (value + np.uint64(character)) * _BASE


@_compiled
def _mixed(value: np.uint64) -> np.uint64:
    """Return a hash, never 0, of which all bits depend on all characters."""
    value = (value ^ (value >> _SHIFT)) * _BASE
    return (value ^ (value >> _SHIFT)) | _ONE


@_compiled
def split(
    data: Characters, kinds: NDArray[np.uint8], lowered: Characters
) -> tuple[Integers, Integers, NDArray[np.bool_], Hashes, Integers]:
    """Split lines into units: words and marks, or more where characters may combine.

    `data` are code points, a newline after each line.

    Returns:
        Where units start and end, whether a unit is plain (one token, its characters lowered),
        their hashes, all (units,), and the number of units before each line and in all,
        (lines + 1,).
    """
    starts, ends = np.empty(len(data), np.int64), np.empty(len(data), np.int64)
    plain, hashes = np.empty(len(data), np.bool_), np.empty(len(data), np.uint64)
    rows = [0]
    count = place = 0
    while True:
        while place < len(data) and kinds[data[place]] == SPACE:
            if data[place] == 10:  # a newline
                rows.append(count)
            place += 1
        if place == len(data):
            break
        starts[count] = place
        kind = kinds[data[place]]
        plain[count] = kind != 0
        low, raw = _added(_BASE, lowered[data[place]]), _added(_ONE, data[place])
        place += 1
        # a mark stands alone, unless what follows may combine with it
        alone = kind == MARK and kinds[data[place]] != 0
        while not alone and (kinds[data[place]] == LETTER or kinds[data[place]] == 0):
            plain[count] &= kinds[data[place]] != 0
            low, raw = _added(low, lowered[data[place]]), _added(raw, data[place])
            place += 1
        ends[count] = place
        hashes[count] = _mixed(low if plain[count] else raw)
        count += 1
    return starts[:count], ends[:count], plain[:count], hashes[:count], np.array(rows)


@_compiled
def number(
    hashes: Hashes, keys: Hashes, numbers: NDArray[np.int32], held: int
) -> tuple[Integers, Integers]:
    """Return the number of each hash, and which units are new.

    New ones get the next numbers, after those `held`, in the order in which they first occur. The
    table, `keys` and their `numbers`, is 0 where it is free; its size is a power of two, and more
    than it will hold.
    """
    mask = np.uint64(len(keys) - 1)
    unit_numbers = np.empty(len(hashes), np.int64)
    new = np.empty(len(hashes), np.int64)
    count = 0
    for unit in range(len(hashes)):
        wanted = hashes[unit]
        slot = (wanted >> _ONE) & mask
        while keys[slot] != wanted and keys[slot] != 0:
            slot = (slot + _ONE) & mask
        if keys[slot] == 0:
            keys[slot], numbers[slot] = wanted, held + count
            new[count] = unit
            count += 1
        unit_numbers[unit] = numbers[slot]
    return unit_numbers, new[:count]


class TokenMemory:
    """Maps lines to the ids of their tokens; each distinct unit has a number and a row of ids."""

    def __init__(self, convert: Lookup) -> None:
        """Take the ids of tokens, a row for each, from `convert`."""
        self._convert = convert
        self._kinds, self._lowered = character_kinds()
        self._forget()

    def _forget(self) -> None:
        self._keys: Hashes = np.zeros(1, np.uint64)
        self._numbers: NDArray[np.int32] = np.zeros(1, np.int32)
        # the ids of all units, and where those of each end
        self._ids: array[int] = array("i")
        self._ends: array[int] = array("q", [0])

    def __call__(self, lines: Sequence[str]) -> Ragged:
        """Return the ids of the lines (int32)."""
        text = "\n".join([*lines, ""])
        if text.count("\n") != len(lines):  # a line with newlines inside
            text = "\n".join([*(line.replace("\n", " ") for line in lines), ""])
        data = codes(text)
        starts, ends, plain, hashes, rows = split(data, self._kinds, self._lowered)
        if len(self._ends) > MEMORY_LIMIT or len(self._ids) > _IDS_LIMIT:
            self._forget()
        self._make_room(len(hashes))
        units, new = number(hashes, self._keys, self._numbers, len(self._ends) - 1)
        if new.size:
            try:
                self._learn(data, starts[new], ends[new], plain[new])
            except BaseException:  # numbers without ids: forget, the caller may go on
                self._forget()
                raise
        memory = Ragged(np.frombuffer(self._ids, np.int32), np.frombuffer(self._ends, np.int64))
        segmented = memory.gather(units)
        return Ragged(segmented.ids, segmented.offsets[rows])

    def _learn(
        self, data: Characters, starts: Integers, ends: Integers, plain: NDArray[np.bool_]
    ) -> None:
        """Add the ids of new units, whose places in the text these are."""
        lengths = ends - starts + 1
        after = np.cumsum(lengths)
        places = np.arange(lengths.sum()) + np.repeat(starts - after + lengths, lengths)
        characters = np.where(np.repeat(plain, lengths), self._lowered[data[places]], data[places])
        characters[after - 1] = ord("\n")
        texts = characters.tobytes().decode("utf-32-le").split("\n")[:-1]
        rows = [[text] if whole else tokens(text) for text, whole in zip(texts, plain, strict=True)]
        converted = self._convert([token for row in rows for token in row])
        ends = converted.offsets[np.cumsum([len(row) for row in rows])]
        self._ends.frombytes((ends + len(self._ids)).tobytes())
        self._ids.frombytes(converted.ids.astype(np.int32).tobytes())

    def _make_room(self, units: int) -> None:
        """Enlarge the hash table so that it is at most half full after so many new units."""
        wanted = 2 * (len(self._ends) + units)
        if wanted <= len(self._keys):
            return
        held = self._keys != 0
        keys, numbers = self._keys[held], self._numbers[held]
        size = 1 << wanted.bit_length()
        self._keys, self._numbers = np.zeros(size, np.uint64), np.zeros(size, np.int32)
        # in the order of their numbers they get the same ones again
        number(keys[np.argsort(numbers)], self._keys, self._numbers, 0)


@cache
def character_kinds() -> tuple[NDArray[np.uint8], Characters]:
    """Return the kind of every code point and its normalised lower case, (1,114,112,) each.

    LETTER and MARK have one normal form whatever stands beside them, and are found by `tokens`
    itself. Characters that it or Python's tables do not confirm, and those beyond the first two
    planes, are of kind 0, which is always right and only slower.
    """
    kinds, lowered = np.zeros(_CODES, np.uint8), np.zeros(_CODES, np.uint32)
    characters = [chr(c) for c in range(_CLASSIFIED) if not 0xD800 <= c < 0xE000 and c != 0x0A]
    forms = dict(zip(characters, normalised("\n".join(characters)).split("\n"), strict=True))
    words = [c for c in characters if _inert(c, forms[c], _WORD_CATEGORIES)]
    marks = [c for c in characters if _inert(c, forms[c], _MARK_CATEGORIES)]
    # a run of letters is one token; a mark is always a token by itself
    letters = set("".join(run for run in tokens("".join(forms[c] for c in words)) if len(run) > 1))
    alone = {token for token in tokens(" ".join(2 * forms[c] for c in marks)) if len(token) == 1}
    for kind, members, sure in ((LETTER, words, letters), (MARK, marks, alone)):
        chosen = [c for c in members if forms[c] in sure]
        kinds[codes("".join(chosen))] = kind
        lowered[codes("".join(chosen))] = codes("".join(forms[c] for c in chosen))
    kinds[codes("\n".join(c for c in characters if forms[c].isspace()))] = SPACE
    kinds[0xD800:0xE000] = SPACE  # surrogates, which no text should have
    return kinds, lowered


def _inert(character: str, form: str, categories: frozenset[str]) -> bool:
    """Tell whether a character has one normal form, of these categories, whatever is beside it."""
    normal = unicodedata.normalize("NFKC", character)
    single = len(form) == len(normal) == 1 and ord(normal) not in _JAMO
    return single and unicodedata.category(normal) in categories
