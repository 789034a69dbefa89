"""One search as several jobs: each takes a part of the sources, and merging gives the whole.

A shard is one `.npz` file, written whole or not at all: a job that was interrupted is simply run
again, one whose file exists need not be. Its forward lists are finished; its backward lists know
its own sources alone, and the merge keeps the best of all shards. Scores depend on the two vectors
alone, hence the merged lists equal those of a single job byte for byte.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch

from tandem.errors import InputError
from tandem.io import atomic_path
from tandem.search.exact import DEFAULT_MEMORY_BYTES, search
from tandem.search.lists import Lists, Neighbours, merge_candidates
from tandem.search.rows import Rows, open_rows

_BLOCK = 1 << 16
_MEMBERS = ("forward.indices", "forward.scores", "backward.indices", "backward.scores", "part")


def shard_range(rows: int, shard: int, shards: int) -> tuple[int, int]:
    """Return the first and last row of shard number `shard` (from 0) of `shards`.

    Sizes differ by at most one. A shard beyond the number of rows is empty.
    """
    if not 0 <= shard < shards:
        raise ValueError(f"no shard {shard} among {shards}")
    return rows * shard // shards, rows * (shard + 1) // shards


def search_shard(
    source: str | Path,
    target: str | Path,
    k: int,
    shard: int,
    shards: int,
    path: str | Path,
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    device: str | None = None,
) -> None:
    """Search one shard of the sources against all targets and write its lists to `path` (.npz).

    Raises:
        TandemError: as `exact.search`.
    """
    rows, targets = open_rows(source).shape[0], open_rows(target).shape[0]
    start, stop = shard_range(rows, shard, shards)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=Path(path).parent, prefix=".shard.") as name:
        folder = Path(name)
        if start < stop:
            found = search(
                source, target, k,
                memory_bytes=memory_bytes, folder=folder, part=(start, stop), device=device,
            )
        else:  # more shards than sentences
            found = Neighbours.create((0, targets), (min(k, targets), min(k, rows)), folder)
        with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            _write(archive, found, (start, stop, rows))


def merge(paths: Sequence[str | Path], folder: Path | None = None) -> Neighbours:
    """Merge the shards of one search, given in any order.

    Args:
        paths: the `.npz` files, all of them.
        folder: where the lists are written as `.npy` files; None keeps them in memory.

    Raises:
        InputError: when a shard is damaged, missing, given twice, or of another search.
    """
    shards = sorted((_Shard.open(path) for path in paths), key=lambda shard: shard.part[:2])
    rows, expected = shards[0].part[2], 0
    for shard in shards:
        if shard.part[0] != expected or shard.part[2] != rows or not shard.agrees(shards[0]):
            problem = f"it holds sources {shard.part[0]} on, where {expected} is next"
            raise InputError(shard.path, None, problem, "Give every shard of one search, once")
        expected = shard.part[1]
    if expected != rows:
        problem = f"the shards end at source {expected} of {rows}"
        raise InputError(shards[-1].path, None, problem, "Give every shard of one search")
    targets, widths = shards[0].shapes[1][0], tuple(shape[1] for shape in shards[0].shapes)
    found = Neighbours.create((rows, targets), widths, folder)
    for shard in shards:
        for start, indices, scores in shard.blocks("forward"):
            found.forward.write(shard.part[0] + start, indices, scores)
        for start, indices, scores in shard.blocks("backward"):
            _merge_block(found.backward, start, indices, scores)
    return found


@dataclass(frozen=True)
class _Shard:
    """A shard's file: `part` is first row, last row, rows in all; shapes forward and backward."""

    path: Path
    part: tuple[int, int, int]
    shapes: tuple[tuple[int, int], tuple[int, int]]

    @classmethod
    def open(cls, path: str | Path) -> _Shard:
        """Read the header of a shard."""
        try:
            with zipfile.ZipFile(path) as archive:
                with archive.open("part.npy") as stream:
                    part = tuple(np.lib.format.read_array(stream).tolist())
                shapes = []
                for side in ("forward", "backward"):
                    with archive.open(f"{side}.indices.npy") as stream:
                        shapes.append(_header(stream)[0])
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise InputError(path, None, f"no shard of a search ({error})", "Make it again") \
                from error
        return cls(Path(path), part, tuple(shapes))

    def agrees(self, other: _Shard) -> bool:
        """Tell whether both have the same targets and the same k."""
        return self.shapes[1] == other.shapes[1] and self.shapes[0][1] == other.shapes[0][1]

    def blocks(self, side: str) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
        """Yield (first row, indices, scores) of the lists of one side, a block at a time."""
        with (
            zipfile.ZipFile(self.path) as archive,
            archive.open(f"{side}.indices.npy") as indices,
            archive.open(f"{side}.scores.npy") as scores,
        ):
            (rows, width), _ = _header(indices)
            _header(scores)
            for start in range(0, rows, _BLOCK):
                shape = (min(_BLOCK, rows - start), width)
                yield start, _read(indices, np.int64, shape), _read(scores, np.float32, shape)


def _merge_block(
    lists: Lists, start: int, indices: torch.Tensor, scores: torch.Tensor
) -> None:
    """Merge the lists of later sources into rows `start` on; ties stay with the earlier ones."""
    old = lists.read(start, start + len(indices))
    owners, place = (indices >= 0).nonzero(as_tuple=True)
    if len(owners):
        # within a list, equal scores already come in ascending index
        merge_candidates(*old, owners, indices[owners, place], scores[owners, place])
        lists.write(start, *old)


def _write(archive: zipfile.ZipFile, found: Neighbours, part: tuple[int, int, int]) -> None:
    """Write the lists a block at a time as `numpy.load` reads them, with no date in the bytes."""
    both = (found.forward, found.backward)
    matrices: list[Rows] = [rows for side in both for rows in (side.indices, side.scores)]
    matrices.append(open_rows(np.array([part], np.int64)))
    for name, rows in zip(_MEMBERS, matrices, strict=True):
        shape = rows.shape if name != "part" else (3,)
        with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as stream:
            descr = np.lib.format.dtype_to_descr(rows.dtype)
            header = {"descr": descr, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(stream, header)
            for start in range(0, rows.shape[0], _BLOCK):
                stream.write(rows.block(start, min(rows.shape[0], start + _BLOCK)).tobytes())


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], np.dtype]:
    np.lib.format.read_magic(stream)
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    return shape, dtype


def _read(stream: BinaryIO, dtype: type, shape: tuple[int, int]) -> torch.Tensor:
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    return torch.from_numpy(np.frombuffer(bytearray(stream.read(size)), dtype).reshape(shape))
