"""Streams of batches: the next batch is segmented while the current one is encoded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import torch

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
