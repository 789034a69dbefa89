"""What is computed of vectors that stay on disk: cosines of pairs, means of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 4096
"""Rows in memory at a time."""


def cosines(
    one: np.ndarray, two: np.ndarray, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the cosine of row left[i] of one and row right[i] of two, (n,); 0 with a zero row."""
    found = np.empty(len(left), np.float32)
    for start in range(0, len(left), BATCH):
        part = slice(start, start + BATCH)
        sides = one[left[part]].astype(np.float64), two[right[part]].astype(np.float64)
        lengths = np.linalg.norm(sides[0], axis=1) * np.linalg.norm(sides[1], axis=1)
        found[part] = (sides[0] * sides[1]).sum(1) / np.where(lengths > 0, lengths, 1)
    return found


def means(
    vectors: np.ndarray, places: NDArray[np.int64], documents: int
) -> NDArray[np.float32]:
    """Return the mean of the vectors of each document's sentences, (documents, dimension).

    `places`, (lines, 2), are the document and the sentence of each line, in any order.
    """
    sums = np.zeros((documents, vectors.shape[1]))
    sizes = np.bincount(places[:, 0], minlength=documents)
    for start in range(0, len(places), BATCH):
        document, sentence = places[start : start + BATCH].T
        np.add.at(sums, document, vectors[sentence])
    return (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
