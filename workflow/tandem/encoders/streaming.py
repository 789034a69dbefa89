"""Batches in a stream: segmenting the next while one is composed, and writing a matrix of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2


def overlapped(
    function: Callable[[Item], Result], items: Iterable[Item], ahead: int = _AHEAD
) -> Iterator[Result]:
    """Yield `function(item)` in order, from a second thread, while `items` makes the next ones.

    That pays where both release the interpreter's lock for most of their time, as NumPy and PyTorch
    do. At most `ahead` results wait. PyTorch leaves one of its threads to `items`.
    """
    threads = torch.get_num_threads()
    share = max(1, threads - 1)
    waiting: deque[Future[Result]] = deque()
    try:
        with ThreadPoolExecutor(1, "compose", torch.set_num_threads, (share,)) as pool:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(threads)


def write_npy(stream: BinaryIO, batches: Iterable[NDArray[np.float32]], columns: int) -> int:
    """Write batches of rows as one float32 matrix in the .npy format; return the number of rows.

    Memory: one batch. The stream must be seekable, since the header counts the rows.
    """
    start, rows = stream.tell(), 0
    _write_header(stream, 0, columns)
    for batch in batches:
        stream.write(np.ascontiguousarray(batch, np.float32).data)
        rows += len(batch)
    end = stream.tell()
    stream.seek(start)
    _write_header(stream, rows, columns)  # of the same size: NumPy leaves room for the digits
    stream.seek(end)
    return rows


def _write_header(stream: BinaryIO, rows: int, columns: int) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (rows, columns)}
    np.lib.format.write_array_header_1_0(stream, header)
