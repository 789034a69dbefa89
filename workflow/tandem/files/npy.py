"""Arrays written to disk part by part, before it is known how many rows they will have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray


def write_npy(
    stream: BinaryIO, parts: Iterable[NDArray], dtype: DTypeLike, columns: int | None = None
) -> int:
    """Write the rows of all parts as one array in the .npy format; return the number of rows.

    Memory: one part, of shape (rows, columns), or (rows,) where `columns` is None. The stream must
    be seekable, since the header counts the rows.
    """
    start, rows = stream.tell(), 0
    rest = () if columns is None else (columns,)
    header = {"descr": npy.dtype_to_descr(np.dtype(dtype)), "fortran_order": False}
    npy.write_array_header_1_0(stream, header | {"shape": (0, *rest)})
    for part in parts:
        stream.write(np.ascontiguousarray(part, dtype).data)
        rows += len(part)
    end = stream.tell()
    stream.seek(start)
    # the header keeps its size: NumPy reserves room for the first number of the shape to grow
    npy.write_array_header_1_0(stream, header | {"shape": (rows, *rest)})
    stream.seek(end)
    return rows
