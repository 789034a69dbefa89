"""Vectors of a whole text on disk, so that memory stays bounded however long it is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tandem.npy import write_npy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.tasks.task import Encodes

BATCH = 4096
"""Sentences encoded at a time."""


def encode(encoder: Encodes, sentences: Iterable[str], language: str, path: Path) -> np.memmap:
    """Write the vectors of sentences, (n, dimension) float32, as `.npy`; return them, mapped."""
    stream = iter(sentences)
    batches = iter(lambda: list(islice(stream, BATCH)), [])
    vectors = (encoder.encode(batch, language=language) for batch in batches)
    first = next(vectors)
    with open(path, "wb") as out:
        write_npy(out, chain([first], vectors), np.float32, first.shape[1])
    return np.load(path, mmap_mode="r")


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
