"""Cosines of pairs and means of documents, from vectors that stay on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tandem.statistics.cosine import cosine_similarity

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 4096
"""Rows in memory at a time."""


def cosines(
    english: np.ndarray, other: np.ndarray, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the cosines of rows `left` of English and `right` of the other side, (n,).

    A zero vector has a cosine of 0 with every other.
    """
    values = np.empty(len(left), np.float32)
    for start in range(0, len(left), BATCH):
        part = slice(start, start + BATCH)
        values[part] = cosine_similarity(english[left[part]], other[right[part]])
    return values


def means(vectors: np.ndarray, places: NDArray[np.int64], documents: int) -> NDArray[np.float32]:
    """Return the mean of the vectors of each document's sentences, (documents, dimension).

    `places`, (lines, 2), has the document and the sentence of each line, in any order.
    """
    sums = np.zeros((documents, vectors.shape[1]))
    sizes = np.bincount(places[:, 0], minlength=documents)
    for start in range(0, len(places), BATCH):
        document, sentence = places[start : start + BATCH].T
        np.add.at(sums, document, vectors[sentence])
    return (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
