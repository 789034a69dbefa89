"""Matrices read and written a block of rows at a time: arrays in memory, or `.npy` files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from tandem.errors import InputError, TandemError

_CHUNK_BYTES = 2 << 20
_PAIR_BYTES = 1 << 18


@dataclass(frozen=True)
class Rows:
    """A matrix of `shape` (rows, columns) that lies in an array or in a `.npy` file.

    A block of a file is mapped only while somebody holds it, since every mapped page that was
    touched counts as resident.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    name: str
    array: np.ndarray | None = None
    path: Path | None = None
    offset: int = 0

    def block(self, start: int, stop: int, writable: bool = False) -> np.ndarray:
        """Return rows `start` to `stop`, (stop - start, columns): writes to it reach the matrix."""
        if self.array is not None:
            return self.array[start:stop]
        shape = (stop - start, self.shape[1])
        if not all(shape):
            return np.empty(shape, self.dtype)
        offset = self.offset + start * self.shape[1] * self.dtype.itemsize
        return np.memmap(self.path, self.dtype, "r+" if writable else "r", offset, shape)

    def whole(self) -> np.ndarray:
        """Return the whole matrix (of a file: mapped, not read)."""
        return self.block(0, self.shape[0])


def open_rows(source: np.ndarray | str | Path) -> Rows:
    """Open a two-dimensional array, or a `.npy` file that holds one.

    Raises:
        InputError: when the file is not a C-ordered two-dimensional `.npy` array, or is cut short.
        TandemError: when the array is not two-dimensional.
    """
    if isinstance(source, np.ndarray):
        if source.ndim != 2:
            raise TandemError(f"an array of shape {source.shape} is no matrix. Give rows")
        return Rows(source.shape, source.dtype, "the array", array=source)
    try:
        mapped = np.load(source, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InputError(
            source, None, f"not a readable .npy array ({error})", "Write it again with numpy.save"
        ) from error
    if not isinstance(mapped, np.memmap) or mapped.ndim != 2 or not mapped.flags.c_contiguous:
        raise InputError(
            source, None, "not a C-ordered matrix", "Save one matrix (rows, columns) as .npy"
        )
    return Rows(mapped.shape, mapped.dtype, str(source), path=Path(source), offset=mapped.offset)


def open_pair(
    source: np.ndarray | str | Path, target: np.ndarray | str | Path, k: int
) -> tuple[Rows, Rows]:
    """Open both sides of a search for k neighbours.

    Raises:
        TandemError: when a side is empty, the dimensions differ or k is no positive number.
    """
    if k < 1:
        raise TandemError(f"k is {k}. Ask for at least one neighbour")
    sides = open_rows(source), open_rows(target)
    for side in sides:
        if not all(side.shape):
            raise TandemError(f"{side.name} is empty (shape {side.shape}). Give some sentences")
    if sides[0].shape[1] != sides[1].shape[1]:
        raise TandemError(
            f"{sides[0].name} has {sides[0].shape[1]} dimensions and {sides[1].name} "
            f"{sides[1].shape[1]}. Encode both sides with one model"
        )
    return sides


def create_rows(
    path: Path | None, shape: tuple[int, int], dtype: np.dtype, fill: float
) -> Rows:
    """Make a matrix filled with `fill`: in the `.npy` file `path`, or in memory when it is None."""
    if path is None:
        return open_rows(np.full(shape, fill, dtype))
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False}
    step = max(1, _CHUNK_BYTES // max(1, shape[1] * np.dtype(dtype).itemsize))
    with open(path, "wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header | {"shape": shape})
        offset = stream.tell()
        for start in range(0, shape[0], step):
            count = min(step, shape[0] - start)
            stream.write(np.full((count, shape[1]), fill, dtype).tobytes())
    return Rows(shape, np.dtype(dtype), str(path), path=Path(path), offset=offset)


def read_normalised(rows: Rows, start: int, stop: int) -> torch.Tensor:
    """Return rows `start` to `stop` at length 1 as float32 (n, d); rows of zeros stay zeros.

    Components are rounded to multiples of 2^-26, which `pair_scores` relies on and which moves a
    score by less than float32 can show.

    Raises:
        TandemError: when a value is not finite.
    """
    result = torch.empty((stop - start, rows.shape[1]), dtype=torch.float32)
    step = max(1, _CHUNK_BYTES // (8 * max(1, rows.shape[1])))
    for first in range(start, stop, step):
        last = min(stop, first + step)
        values = torch.from_numpy(np.array(rows.block(first, last), np.float64))
        norms = _halving_sum(values * values).sqrt()
        if not bool(torch.isfinite(norms).all()):
            bad = first + int((~torch.isfinite(norms)).nonzero()[0])
            raise TandemError(
                f"{rows.name}: row {bad} (from 0) holds a value that is not finite. "
                "Encode the sentences again, or drop that row"
            )
        norms[norms == 0] = 1
        values /= norms[:, None]
        result[first - start : last - start] = values.float().mul_(_GRID).round_().div_(_GRID)
    return result


def pair_scores(
    left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor
) -> torch.Tensor:
    """Return the inner products of `left[rows]` and `right[columns]`, float32 (c,).

    Both sides come from `read_normalised`: products of multiples of 2^-26 are multiples of 2^-52,
    and no partial sum reaches 2, so float64 holds them all exactly. The order of the sum is thus
    of no account, and equal rows give equal bytes on any processor. Every score that this package
    reports is made here.

    Args:
        left: (n, d) vectors, on any device.
        right: (m, d) vectors, on the same.
        rows: (c,) rows of `left`, on the host, as are the scores.
        columns: (c,) rows of `right`, likewise.
    """
    scores = torch.empty(len(rows))
    dimension = left.shape[1]
    step = min(len(rows), max(1, _PAIR_BYTES // (4 * dimension)))
    # the same space for every step: the C library reuses large aligned blocks badly
    single = torch.empty((step, dimension), device=left.device)
    double = torch.empty((2, step, dimension), dtype=torch.float64, device=left.device)
    for start in range(0, len(rows), max(1, step)):
        some = slice(start, min(start + step, len(rows)))
        count = some.stop - start
        for vectors, chosen, wide in ((left, rows, double[0]), (right, columns, double[1])):
            torch.index_select(vectors, 0, chosen[some].to(left.device), out=single[:count])
            wide[:count] = single[:count]
        scores[some] = double[0, :count].mul_(double[1, :count]).sum(1)
    return scores


_GRID = 2.0**26


def _halving_sum(values: torch.Tensor) -> torch.Tensor:
    """Sum the last axis of (n, d) by adding its second half to its first until one is left.

    The order of the additions is fixed by d alone, unlike that of a library's sum, so that a
    norm has the same bytes everywhere. `values` is overwritten.
    """
    width = values.shape[1]
    while width > 1:
        half = (width + 1) // 2
        values[:, : width - half] += values[:, half:width]
        width = half
    return values[:, 0]
