"""Two steps of a stream at a time: one thread makes what another works on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def overlapped(
    function: Callable[[Item], Result], items: Iterable[Item], ahead: int = 2
) -> Iterator[Result]:
    """Yield `function(item)` in order, from a second thread, while `items` makes the next ones.

    That pays where both release the interpreter's lock for most of their time, as compiled code and
    PyTorch do. At most `ahead` results wait.
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(1, "compose") as pool:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
