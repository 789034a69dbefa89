"""The sample of the training split that a training reads, drawn by its seed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError
from tandem.files.io import read_lines
from tandem.text.spelling import key

_MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


def draw_sample(path: str | Path, pairs: int, seed: int) -> NDArray[np.bool_]:
    """Draw lines of a text without replacement: bool (lines,), True for `pairs` of them.

    Each line has a rank, a hash of its text and the seed, and the lowest ranks are drawn. So a
    small sample is part of a larger one, and two corpora that share a side (a bitext, and the same
    text back-translated) give the same sentences of it, as far as both have them.

    Memory: 24 bytes a line. TandemError where the text has fewer lines.
    """
    order = ranks(read_lines(path), seed)
    if len(order) < pairs:
        raise TandemError(
            f"{path} has {len(order):,} training pairs and the setting asks for {pairs:,}: "
            "lower `pairs` in the settings, or give the corpus more text"
        )
    drawn = np.zeros(len(order), dtype=bool)
    drawn[np.argsort(order, kind="stable")[:pairs]] = True
    return drawn


def drawn_lines(path: str | Path, drawn: Iterable[bool]) -> Iterator[str]:
    """Yield the lines of a text that are drawn, in its order."""
    return compress(read_lines(path), drawn)


def ranks(lines: Iterable[str], seed: int) -> NDArray[np.uint64]:
    """Return a hash of each line and the seed, (lines,); SplitMix64's finaliser mixes the two.

    Steele et al., 2014, "Fast Splittable Pseudorandom Number Generators".
    """
    keys = np.frombuffer(array("Q", map(key, lines)), dtype=np.uint64)
    mixed = keys ^ np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=False):
        mixed = (mixed ^ (mixed >> shift)) * multiplier
    return mixed ^ (mixed >> _SHIFTS[-1])
