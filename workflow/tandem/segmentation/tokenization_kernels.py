"""Splitting lines into units and looking these up, compiled; see `batch_tokenization`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Characters = NDArray[np.uint32]

SPACE, WORD, MARK, POINT, EDGE, LOWER, DIGIT = 1, 2, 4, 8, 16, 32, 64
"""What a character is: bits of its class. WORD and MARK: part of a word, or a token by itself."""
ALONE = 4
"""Context of a chunk with nothing beside it; others are one of AFTER, and this if it is first."""
_NEWLINE, _STOP = ord("\n"), ord(".")
_AFTER_LOWER, _AFTER_DIGIT, _AFTER_OTHER = 1, 2, 3  # the order of tokenization.AFTER
_BASE = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ONE = np.uint64(1)

_compiled = numba.njit(cache=True, nogil=True)


@_compiled
def _added(value: np.uint64, character: np.uint32) -> np.uint64:
    return (value + np.uint64(character)) * _BASE


@_compiled
def _mixed(value: np.uint64) -> np.uint64:
    """Return a hash, never 0, of which all bits depend on all characters."""
    value = (value ^ (value >> _SHIFT)) * _BASE
    return (value ^ (value >> _SHIFT)) | _ONE


@_compiled
def hash_of(text: Characters, seed: int) -> np.uint64:
    """Return a hash of characters; different seeds give different hashes."""
    value = np.uint64(seed + 1) * _BASE
    for character in text:
        value = _added(value, character)
    return _mixed(value)


@_compiled
def _after(data: Characters, kinds: NDArray[np.uint8], end: int) -> int:
    """Return which of AFTER stands beside a chunk that ends there."""
    while kinds[data[end]] & SPACE and data[end] != _NEWLINE:
        end += 1
    if data[end] == _NEWLINE:
        return 0
    kind = kinds[data[end]]
    if kind & LOWER:
        return _AFTER_LOWER
    return _AFTER_DIGIT if kind & DIGIT else _AFTER_OTHER


@_compiled
def _end_of_chunk(data: Characters, kinds: NDArray[np.uint8], start: int) -> tuple[int, bool]:
    """Return where a chunk ends and whether it is plain.

    That is words and marks, with full stops and commas only before marks or at the end.
    """
    plain, after_point = True, True
    place = start
    while True:
        kind = kinds[data[place]]
        if kind & SPACE:
            return place, plain
        if kind & WORD:
            plain &= place == start or not after_point
            after_point = False
        elif kind & MARK:
            after_point = False
        else:
            plain &= kind & POINT != 0 and not after_point
            after_point = True
        place += 1


@_compiled
def _holds(ordered: Hashes, wanted: np.uint64) -> bool:
    place = np.searchsorted(ordered, wanted)
    return place < len(ordered) and ordered[place] == wanted


@_compiled
def _token(
    data: Characters,
    kinds: NDArray[np.uint8],
    lowered: Characters,
    stops: tuple[Hashes, Hashes],
    start: int,
    end: int,
    after: int,
) -> tuple[int, np.uint64]:
    """Return where a token of a plain chunk ends, and its hash; the chunk ends at `end`."""
    place = start + 1
    value = _added(_BASE, lowered[data[start]])
    if not kinds[data[start]] & WORD:
        return place, _mixed(value)
    while place < end and kinds[data[place]] & WORD:
        value = _added(value, lowered[data[place]])
        place += 1
    if place < end and data[place] == _STOP:
        follows = after if place + 1 == end else _AFTER_OTHER
        spelling = hash_of(data[start:place], 0)
        if (
            follows == _AFTER_LOWER
            or _holds(stops[0], spelling)
            or (follows == _AFTER_DIGIT and _holds(stops[1], spelling))
        ):
            value = _added(value, data[place])
            place += 1
    return place, _mixed(value)


@_compiled
def split(
    data: Characters,
    kinds: NDArray[np.uint8],
    lowered: Characters,
    stops: tuple[Hashes, Hashes],
) -> tuple[Integers, Integers, NDArray[np.int8], Hashes, Integers]:
    """Split lines into units: the tokens of plain chunks, and other chunks whole.

    Args:
        data: (characters,) code points; a newline after each line.
        kinds: the class of each code point.
        lowered: the lower case of each code point.
        stops: hashes of words that keep a full stop, and of those that keep it before a number;
            both ascending.

    Returns:
        Where units start and end, their context (-1: a token, the same in any), their hashes, all
        (units,), and the number of units before each line and in all, (lines + 1,).
    """
    starts, ends = np.empty(len(data), np.int64), np.empty(len(data), np.int64)
    contexts, hashes = np.empty(len(data), np.int8), np.empty(len(data), np.uint64)
    rows = [0]
    count = end = 0
    first = True
    while True:
        start = end
        while start < len(data) and kinds[data[start]] & SPACE:
            if data[start] == _NEWLINE:
                rows.append(count)
                first = True
            start += 1
        if start == len(data):
            break
        end, plain = _end_of_chunk(data, kinds, start)
        after = _after(data, kinds, end)
        while plain and start < end:
            starts[count], contexts[count] = start, -1
            start, hashes[count] = _token(data, kinds, lowered, stops, start, end, after)
            ends[count] = start
            count += 1
        if not plain:
            context = ALONE
            if (kinds[data[start]] | kinds[data[end - 1]]) & EDGE:
                context = after + (ALONE if first else 0)
            starts[count], ends[count], contexts[count] = start, end, context
            hashes[count] = hash_of(data[start:end], 1 + context)
            count += 1
        first = False
    return starts[:count], ends[:count], contexts[:count], hashes[:count], np.array(rows)


@_compiled
def number(
    hashes: Hashes, keys: Hashes, numbers: NDArray[np.int32], held: int
) -> tuple[Integers, Integers]:
    """Return the number of each hash, and which units are new.

    New ones get the next numbers in the order in which they first occur.

    Args:
        hashes: (units,), none of them 0.
        keys: (slots,) of the table, 0 where it is free; slots are a power of two and more than
            it will hold.
        numbers: (slots,) the number of each key.
        held: how many numbers have been given.
    """
    mask = np.uint64(len(keys) - 1)
    found = np.empty(len(hashes), np.int64)
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
        found[unit] = numbers[slot]
    return found, new[:count]


@_compiled
def gather(
    ids: NDArray[np.int32], ends: Integers, units: Integers, rows: Integers
) -> tuple[NDArray[np.int32], Integers]:
    """Join the ids of units; return them and where those of each row begin, (rows + 1,).

    Args:
        ids: of all numbers, one after the other.
        ends: (numbers + 1,) where those of number i end is ends[i + 1].
        units: (units,) numbers.
        rows: (rows + 1,) the units before each row and in all.
    """
    total = 0
    for unit in units:
        total += ends[unit + 1] - ends[unit]
    joined = np.empty(total, np.int32)
    offsets = np.empty(len(rows), np.int64)
    place = 0
    for row in range(len(rows)):
        if row:
            for unit in units[rows[row - 1] : rows[row]]:
                for source in range(ends[unit], ends[unit + 1]):
                    joined[place] = ids[source]
                    place += 1
        offsets[row] = place
    return joined, offsets
