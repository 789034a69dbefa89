"""The cosine of vectors, pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError
from tandem.statistics.correlation import FloatArray


def unit_length(vectors: NDArray[Any]) -> NDArray[Any]:
    """Scale the rows of (n, d) to length 1; a zero vector stays."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)


def cosine_similarity(first: NDArray[Any], second: NDArray[Any]) -> FloatArray:
    """Cosine of each row of `first` with the same row of `second`: two (n, d) to (n,).

    The cosine with a zero vector (a sentence that holds no known token) is 0: nothing is known of
    its similarity to anything. A vector that is not finite is refused.
    """
    first, second = first.astype(np.float64), second.astype(np.float64)
    product = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    if not np.isfinite(product).all():
        row = int(np.flatnonzero(~np.isfinite(product))[0])
        raise TandemError(
            f"the encoder gave a vector that is not finite for sentence pair {row + 1}: training "
            "diverged; lower the learning rate, or train without mixed precision"
        )
    dot = np.einsum("nd,nd->n", first, second)
    return np.divide(dot, product, out=np.zeros_like(dot), where=product > 0)
