"""Means of rows of a table, without training; with numba, many are as fast as memory allows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tandem.machine import compiling

FEW = 100
"""Sentences that take less time than compiled code takes to be loaded."""
Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


def mean_rows(table: Floats, ids: Indices, offsets: Indices) -> Floats:
    """Return the mean of each sentence's rows of the table; zeros for one without tokens.

    Sums are in the order of the tokens, one by one, so both ways give the same bits.

    Args:
        table: (types, dimension).
        ids: (tokens,) rows of the table.
        offsets: (sentences + 1,) where each sentence's tokens begin.
    """
    sums = np.zeros((len(offsets) - 1, table.shape[1]), np.float32)
    add = _add_by_sentence if len(sums) <= FEW else _compiled()
    add(table, ids, offsets, sums)
    return sums / np.maximum(np.diff(offsets), 1).astype(np.float32)[:, None]


def _add_by_sentence(table: Floats, ids: Indices, offsets: Indices, sums: Floats) -> None:
    for sentence in range(len(sums)):
        rows = ids[offsets[sentence] : offsets[sentence + 1]]
        np.add.reduce(table.take(rows, 0), axis=0, out=sums[sentence])


def _add_by_number(table: Floats, ids: Indices, offsets: Indices, sums: Floats) -> None:
    for sentence in range(len(sums)):
        target = sums[sentence]
        for token in range(offsets[sentence], offsets[sentence + 1]):
            source = table[ids[token]]
            for d in range(len(target)):
                target[d] += source[d]


@cache
def _compiled() -> Callable[[Floats, Indices, Indices, Floats], None]:
    try:
        compiled: Callable[[Floats, Indices, Indices, Floats], None] = compiling(nogil=True)(
            _add_by_number
        )
    except ImportError:  # numba is not needed to encode
        return _add_by_sentence
    return compiled
