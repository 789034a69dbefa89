"""Splitting lines into units and looking these up, compiled; see `token_memory`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Characters = NDArray[np.uint32]

SPACE, MARK, LETTER = 1, 2, 4
"""What a character is; 0: what may combine with its neighbours, or become several characters."""
_NEWLINE = ord("\n")
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
            if data[place] == _NEWLINE:
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
