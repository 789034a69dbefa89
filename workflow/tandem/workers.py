"""Processes that share work; they end with the process that they work for, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection
from typing import Any, Literal

from tandem.errors import TandemError


@contextmanager
def worker_pool(
    jobs: int,
    start: Literal["fork", "spawn"],
    fewer: str,
    begin: Callable[..., None] | None = None,
    arguments: tuple[Any, ...] = (),
) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; what has not begun when the body ends is dropped.

    Where the body raises an error or is interrupted, what has begun is ended, too.

    Args:
        jobs: how many.
        start: fork is for a process of one thread, whose main module need not be importable.
        fewer: what the user sets to have fewer.
        begin: what each calls with `arguments` when it starts.

    Raises:
        TandemError: a process was ended from outside.
    """
    context, others = multiprocessing.get_context(start), multiprocessing.active_children()
    pool = ProcessPoolExecutor(jobs, context, _begin, (begin, arguments))
    try:
        yield pool
    except BrokenProcessPool as error:
        raise TandemError(
            f"one of {jobs} processes was ended from outside, perhaps for want of memory. Lower "
            f"{fewer}, or allow the process more"
        ) from error
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in others:
                process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(begin: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends them
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin:
        begin(*arguments)


def _end_with_parent() -> None:
    """Wait until the process that this one works for is no more, and end too."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)
