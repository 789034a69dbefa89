"""Vectors of a whole text on disk, so that memory stays bounded however long it is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tandem.files.npy import write_npy

if TYPE_CHECKING:
    from tandem.tasks.task import Encodes

BATCH = 4096
"""Sentences encoded at a time."""


def write_vectors(
    encoder: Encodes, sentences: Iterable[str], language: str, path: Path
) -> np.memmap:
    """Write the vectors of sentences, (n, dimension) float32, as `.npy`; return them, mapped."""
    stream = iter(sentences)
    batches = iter(lambda: list(islice(stream, BATCH)), [])
    vectors = (encoder.encode(batch, language=language) for batch in batches)
    first = next(vectors)
    with open(path, "wb") as out:
        write_npy(out, chain([first], vectors), np.float32, first.shape[1])
    return np.load(path, mmap_mode="r")
