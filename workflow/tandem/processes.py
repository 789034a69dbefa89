"""Worker processes that end with the process that started them, however that ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor


def worker_pool(
    workers: int, prepare: Callable[..., object], *shared: object
) -> ProcessPoolExecutor:
    """Return a pool whose processes each begin with `prepare(*shared)`.

    They are spawned: a forked SentencePiece or PyTorch may hold locks. A pool's processes outlive a
    killed parent, since each holds both ends of the queue that it reads; these do not.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, _begin, (prepare, shared))


def _begin(prepare: Callable[..., object], shared: tuple[object, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    prepare(*shared)


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)
