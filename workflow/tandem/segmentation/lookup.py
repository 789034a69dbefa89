"""Lines to the ids of their tokens: many by compiled code, where numba is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tandem.segmentation.ragged import Ragged, from_rows
from tandem.text.tokens import tokens

Lookup = Callable[[Sequence[str]], Ragged]
"""From lines to the ids of their tokens, int32."""
Characters = NDArray[np.uint32]

FEW = 100_000
"""Characters that Python takes as long for as compiled code takes to be loaded: half a second."""
_LIMIT = 500_000
"""Distinct tokens remembered before all are forgotten."""
_HALVES = re.compile("[\ud800-\udfff]")
"""Surrogates, halves of a character, which no text should have."""


def lookup(convert: Lookup) -> Lookup:
    """Return a function from lines to the ids of their tokens.

    `convert` is asked once for each token, and once more when compiled code takes over.
    """
    return Growing(convert)


class Growing:
    """A `TokenDictionary` for the first FEW characters, a `TokenMemory` from there on."""

    def __init__(self, convert: Lookup) -> None:
        """Take the ids of tokens, a row for each, from `convert`."""
        self._convert, self._characters = convert, 0
        self._lookup: Lookup | None = None
        self._first = TokenDictionary(convert)

    def __call__(self, lines: Sequence[str]) -> Ragged:
        """Return the ids of the lines."""
        if self._lookup is None:
            self._characters += sum(map(len, lines))
            if self._characters <= FEW:
                return self._first(lines)
            self._lookup = _compiled(self._convert) or self._first
        return self._lookup(lines)


def _compiled(convert: Lookup) -> Lookup | None:
    """Return a `TokenMemory`; None where numba is not installed."""
    try:
        from tandem.segmentation.token_memory import TokenMemory
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        return None
    return TokenMemory(convert)


class TokenDictionary:
    """Does what `TokenMemory` does, without compiled code and more slowly."""

    def __init__(self, convert: Lookup) -> None:
        """Take the ids of tokens, a row for each, from `convert`."""
        self._convert = convert
        self._ids: dict[str, list[int]] = {}

    def __call__(self, lines: Sequence[str]) -> Ragged:
        """Return the ids of the lines."""
        rows = [tokens(_HALVES.sub(" ", line)) for line in lines]
        if len(self._ids) > _LIMIT:
            self._ids.clear()
        new = [t for t in dict.fromkeys(chain.from_iterable(rows)) if t not in self._ids]
        if new:
            ids = self._convert(new)
            self._ids.update((t, ids.row(place).tolist()) for place, t in enumerate(new))
        return from_rows([*chain.from_iterable(map(self._ids.__getitem__, row))] for row in rows)


def codes(text: str) -> Characters:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
