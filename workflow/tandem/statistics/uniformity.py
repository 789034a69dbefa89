"""Alignment and uniformity of vectors on the unit sphere.

Wang and Isola (2020, "Understanding contrastive representation learning through alignment and
uniformity on the hypersphere"), as fedorova2024 takes them from SimCSE (section IV-B).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError
from tandem.statistics.blocks import blocks
from tandem.statistics.correlation import FloatArray
from tandem.statistics.cosine import unit_length

SHARPNESS = 2.0
"""t of exp(-t |x - y|^2), as in both papers."""


def squared_distances(first: NDArray[Any], second: NDArray[Any]) -> FloatArray:
    """Return the squared distance of rows, scaled to length 1: two (n, d) to (n,).

    Its mean over pairs that say the same is the alignment; the lower, the better.
    """
    sides = (unit_length(side.astype(np.float64)) for side in (first, second))
    return np.square(np.subtract(*sides)).sum(axis=1)


def nearness(vectors: NDArray[Any]) -> FloatArray:
    """Return each row's mean of exp(-2 |x - y|^2) over all other rows y: (n, d) to (n,).

    The logarithm of its mean is the uniformity; the lower, the better. Memory is bounded, time
    grows with n^2.

    Raises:
        TandemError: there are fewer than two rows.
    """
    if len(vectors) < 2:
        raise TandemError(f"{len(vectors)} sentences: uniformity compares at least two")
    rows = unit_length(vectors.astype(np.float64))
    sums = np.empty(len(rows))
    for part in blocks(len(rows), len(rows)):
        apart = np.maximum(2 - 2 * rows[part] @ rows.T, 0)
        near = np.exp(-SHARPNESS * apart)
        diagonal = np.arange(part.stop - part.start)
        near[diagonal, part.start + diagonal] = 0
        sums[part] = near.sum(axis=1)
    return sums / (len(rows) - 1)
