"""Retrieval accuracy: which sentences find their translation first among all of the other side."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tandem.errors import TandemError
from tandem.search.exact import DEFAULT_MEMORY_BYTES, search


def first_hits(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
) -> tuple[np.ndarray, np.ndarray]:
    """Tell which of n aligned sentences find their translation first: forward, backward, bool (n,).

    Their means are P@1 in either direction (yang2019, section 5.1); kept, they compare two encoders
    query by query.

    Args:
        source: (n, d) embeddings, or the `.npy` file that holds them; need not be normalised.
        target: (n, d): row i translates source row i.
        memory_bytes: bound on resident memory.

    Raises:
        TandemError: when the sides differ in length, and as `exact.search`.
    """
    found = search(source, target, 1, memory_bytes=memory_bytes)
    sizes = found.forward.indices.shape[0], found.backward.indices.shape[0]
    if sizes[0] != sizes[1]:
        raise TandemError(f"{sizes[0]} sources, {sizes[1]} targets. Row i must translate row i")
    sides = (found.forward, found.backward)
    forward, backward = (np.array(side.indices.block(0, sizes[0]))[:, 0] for side in sides)
    gold = np.arange(sizes[0])
    return forward == gold, backward == gold
