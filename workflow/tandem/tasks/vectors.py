"""Vectors of a whole text on disk, so that memory stays bounded however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tandem.files.npy import write_npy
from tandem.text.batches import batches

if TYPE_CHECKING:
    from tandem.tasks.task import Encodes

BATCH = 4096
"""Most sentences encoded at a time."""


@contextmanager
def vectors_on_disk(encoder: Encodes, *sides: tuple[str, Iterable[str]]) -> Iterator[list[Path]]:
    """Write the vectors of texts, each a language and sentences; name the files until it ends."""
    with TemporaryDirectory(prefix="tandem-vectors-") as scratch:
        files = [Path(scratch) / f"{number}.npy" for number in range(len(sides))]
        for (language, sentences), file in zip(sides, files, strict=True):
            write_vectors(encoder, sentences, language, file)
        yield files


def write_vectors(encoder: Encodes, sentences: Iterable[str], language: str, path: Path) -> None:
    """Write the vectors of sentences, (n, dimension) float32, as `.npy`."""
    read = batches(sentences, BATCH, len)
    vectors = (encoder.encode(batch, language=language) for batch in read)
    first = next(vectors)
    with open(path, "wb") as out:
        write_npy(out, chain([first], vectors), np.float32, first.shape[1])
