"""The vectors of a shard, as they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tandem.files.atomic import atomic_path
from tandem.files.npy import write_npy


class Stored(StrEnum):
    """How vectors are stored. Search sees directions only, so that int8 has a scale for each."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT8 = "int8"


def stored(vectors: NDArray[np.float32], form: Stored) -> NDArray:
    """Return vectors (n, d) as they are stored; of int8 the largest value of each row is 127."""
    if form is Stored.FLOAT32:
        return vectors
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors / np.where(largest > 0, largest, 1)
    return np.rint(127 * scaled).astype(np.int8) if form is Stored.INT8 else scaled.astype("f2")


def write_vectors(
    parts: Iterable[NDArray[np.float32]], first: int, dimension: int, form: Stored, path: str,
    numbers_path: str,
) -> tuple[int, int]:  # fmt: skip
    """Write the vectors that are not zero, (c, d), and the numbers of their sentences, int64 (c,).

    The first sentence of the shard has the number `first`. A sentence without a word that the model
    knows has a vector of zeros, and is not searched. Return how many there are, and are written.
    """
    numbers: list[NDArray[np.int64]] = []
    read = 0

    def rows() -> Iterator[NDArray]:
        nonlocal read
        for part in parts:
            there = np.flatnonzero(part.any(1))
            numbers.append(there + first + read)
            read += len(part)
            yield stored(part[there], form)

    with atomic_path(path) as place, open(place, "wb") as out:
        written = write_npy(out, rows(), form.value, dimension)
    with atomic_path(numbers_path) as place, open(place, "wb") as out:
        write_npy(out, numbers, np.int64)
    return read, written


def joined_vectors(paths: Sequence[str], out: Path) -> Path:
    """Return a file of the vectors of some shards: theirs if it is one, else `out`, written."""
    if len(paths) == 1:
        return Path(paths[0])
    shards = [np.load(path, mmap_mode="r") for path in paths]

    def parts() -> Iterator[NDArray]:
        for shard in shards:
            for start in range(0, len(shard), 1 << 14):
                yield shard[start : start + (1 << 14)]

    with open(out, "wb") as stream:
        write_npy(stream, parts(), shards[0].dtype, shards[0].shape[1])
    return out
