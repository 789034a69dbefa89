"""Whether the lines of two texts belong together, and from which line on they do not."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from tandem.text import Pair

FAR_BELOW = 2 / 3
"""Share of the usual P@1 below which something is probably wrong."""
_LOWEST = ((3.0, 25.0), (4.0, 80.2))
"""Log10 of numbers of pairs, and the lowest P@1 x 100 among 2,000 that these gave in four languages
(docs/own-bitext.md); fewer candidates give more."""
_MOST_SHIFT, _SHOWN = 3, 3
_LEAST = 4
"""Fewest lines that are compared with others."""
_LOOKED_AT = 1_000_000
_SURE = 7.0
"""Standard errors by which other lines must fit better."""
_WIDEST = 1.5
"""Largest logarithm of a ratio that counts: one odd line decides nothing."""


class Parting(NamedTuple):
    """From `line` (from 0) on, line i of the first side fits line i + `shift` of the second."""

    line: int
    shift: int


def usual(pairs: int) -> float | None:
    """Return the P@1 x 100 that so many training pairs reach at least; None: too few to say."""
    log = math.log10(max(1, pairs))
    if log < _LOWEST[0][0]:
        return None
    return float(np.interp(log, [size for size, _ in _LOWEST], [least for _, least in _LOWEST]))


def doubts(quality: Mapping[str, Any], pairs: int) -> list[str]:
    """Return a warning if the P@1 of held-out pairs is far below what so many pairs give."""
    retrieval, least = quality["retrieval"], usual(pairs)
    if least is None or retrieval["high"] >= FAR_BELOW * least:
        return []
    return [
        f"warning: a P@1 of {retrieval['p_at_1_x100']:.1f} is far below the {least:.0f} or more "
        f"that {pairs:,} pairs give where they translate each other. Likely causes: lines that do "
        "not belong together, as a blank or missing line leaves them; text in another language; "
        "many wrong pairs; too few epochs (--epochs)"
    ]


def parted(read: Callable[[], Iterable[Pair]], name: str) -> list[str]:
    """Return the first lines of a text where lengths part, in words; none where they do not.

    Args:
        read: reads the pairs; it is called twice. The first million are looked at, in 100 MB.
        name: of the text.
    """
    sizes, blank = (array("q"), array("q")), None
    for number, pair in enumerate(islice(read(), _LOOKED_AT)):
        lengths = [len(side.strip()) for side in pair]
        if blank is None and (lengths[0] == 0) != (lengths[1] == 0):
            blank = number
        for column, length in zip(sizes, lengths, strict=True):
            column.append(length)
    place = parting(*(np.array(column) for column in sizes))
    lines = []
    if blank is not None:
        lines.append(f"{name}: line {blank + 1:,} is the first that is blank on one side only")
    if place is not None:
        far = f"{abs(place.shift)} {'later' if place.shift > 0 else 'earlier'}"
        lines.append(
            f"warning: {name}: from about line {place.line + 1:,} on, lines have the lengths of "
            f"those {far} on the other side:"
        )
        some = islice(read(), place.line, place.line + _SHOWN)
        lines += [f"  {place.line + n:,}: {' | '.join(pair)}" for n, pair in enumerate(some, 1)]
    return lines


def parting(first: np.ndarray, second: np.ndarray) -> Parting | None:
    """Return from which line on the lengths of the two sides, (n,), fit other lines better.

    None where they do not: lengths that translate each other have about one ratio.
    """
    logs = [np.log1p(side.astype(np.float64)) for side in (first, second)]
    best, result = _SURE, None
    for shift in (s for s in range(-_MOST_SHIFT, _MOST_SHIFT + 1) if s):
        start, end = max(0, -shift), len(first) - max(0, shift)
        if end - start < _LEAST:
            continue
        left, right = logs[0][start:end], logs[1]
        gains = _unlike(left, right[start:end]) - _unlike(left, right[start + shift : end + shift])
        gains[(first[start:end] == 0) | (second[start:end] == 0)] = 0
        totals = np.cumsum(gains[::-1])[::-1]  # from each line on
        place = int(np.argmax(totals))
        spread = math.sqrt(float(np.sum(gains[place:] ** 2)))
        if spread and totals[place] / spread > best:
            best, result = totals[place] / spread, Parting(start + place, shift)
    return result


def _unlike(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return how far each ratio of lengths, from their logarithms (n,), is from the usual one."""
    ratios = left - right
    return np.minimum(np.abs(ratios - np.median(ratios)), _WIDEST)
