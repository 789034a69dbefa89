"""Character trigrams of tokenised sentences, many at a time.

A sentence's trigrams are those of its tokens with one space between them and one at each end
(wieting2019, section 3.1), so that they reach across words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tandem.segmentation.lookup import codes, lookup
from tandem.segmentation.ragged import Ragged

_BITS = 21
"""Bits of a code point."""


def spelled(batches: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of batches as their tokens with spaces between."""
    for rows in map(lookup(_codes), batches):
        text = rows.ids.tobytes().decode("utf-32-le")
        yield from (text[start:end].rstrip() for start, end in pairwise(rows.offsets.tolist()))


def _codes(tokens: Sequence[str]) -> Ragged:
    """Return the code points of each token and a space after it."""
    text = codes("".join(token + " " for token in tokens)).astype(np.int32)
    return Ragged(text, np.append(0, np.flatnonzero(text == ord(" ")) + 1))


class TrigramEncoder:
    """Maps lines to the ids of their trigrams, unknown ones left out."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        """Take the id of each trigram from `ids`."""
        keys = _packed(*codes("".join(ids)).reshape(-1, 3).T)
        order = np.argsort(keys)
        self._keys = keys[order]
        self._ids = np.fromiter(ids.values(), np.int32)[order]
        self._spell = lookup(_codes)

    def __call__(self, lines: Sequence[str]) -> Ragged:
        """Return the ids of the lines."""
        keys, offsets = _keys(self._spell(lines))
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        in_vocabulary = self._keys[places] == keys
        before = np.append(0, np.cumsum(in_vocabulary))
        return Ragged(self._ids[places[in_vocabulary]], before[offsets])


def count_trigrams(batches: Iterable[Sequence[str]]) -> Counter[str]:
    """Count the trigrams of batches of lines."""
    counts: Counter[int] = Counter()
    for rows in map(lookup(_codes), batches):
        keys, times = np.unique(_keys(rows)[0], return_counts=True)
        counts.update(dict(zip(keys.tolist(), times.tolist(), strict=True)))
    return Counter({_spelling(key): count for key, count in counts.items()})


def _keys(rows: Ragged) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for each trigram of spelled lines, and where those of each line begin."""
    # the space that ends a line stands before the next one as well, and this one before the first
    text = np.append(rows.ids, ord(" "))
    inside = np.ones(len(rows.ids), bool)
    inside[rows.offsets[1:][rows.lengths() > 0] - 1] = False
    middle = np.flatnonzero(inside)
    keys = _packed(text[middle - 1], text[middle], text[middle + 1])
    return keys, np.append(0, np.cumsum(inside))[rows.offsets]


def _packed(*three: NDArray[np.int32]) -> NDArray[np.int64]:
    first, second, third = (character.astype(np.int64) for character in three)
    return first << 2 * _BITS | second << _BITS | third


def _spelling(key: int) -> str:
    low = (1 << _BITS) - 1
    return chr(key >> 2 * _BITS) + chr(key >> _BITS & low) + chr(key & low)
