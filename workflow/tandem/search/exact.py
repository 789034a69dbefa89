"""Exact nearest neighbours in both directions from one pass over the product, in bounded memory.

The product of two blocks is made tile by tile in float32, and a tile is left as soon as its row
and column maxima show that it improves no list. What may improve one, allowing for the rounding
error of float32 products, is scored again by `pair_scores`. The lists therefore depend on the
embeddings alone: not on block sizes, shards, threads, the matrix library or the device.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from tandem.errors import TandemError
from tandem.search.lists import Neighbours
from tandem.search.rows import open_pair
from tandem.search.sides import Side, search_strip
from tandem.search.strips import Candidates, Plan

DEFAULT_MEMORY_BYTES = 2 << 30
_MAX_WORKERS = 16
_WORKER_BYTES = 24 << 20
_SHARED_BYTES = 48 << 20


def plan_blocks(
    n_source: int, n_target: int, row_bytes: int, memory_bytes: int, device: torch.device
) -> Plan:
    """Choose block sizes so that the process stays under `memory_bytes` of resident memory.

    `row_bytes` is what one row costs: its vector and its lists. What the interpreter and its
    libraries already hold is measured and set aside.

    Raises:
        TandemError: when the bound leaves no room for one tile; the message says what does.
    """
    on_cpu = device.type == "cpu"
    workers = min(torch.get_num_threads(), _MAX_WORKERS) if on_cpu else 1
    tile, tiles = (768, 6) if on_cpu else (8192, 2)
    resident = _resident_bytes()
    free = memory_bytes - resident - _SHARED_BYTES - workers * _WORKER_BYTES
    least = 4 * row_bytes * min(tile, max(n_source, n_target))
    if free < least:
        need = (memory_bytes - free + least) >> 20
        raise TandemError(
            f"a search needs {need + 1} MiB here, of which {resident >> 20} MiB are held already, "
            f"and memory_bytes allows {memory_bytes >> 20} MiB. Raise memory_bytes"
        )
    # half for the source, a quarter for the target, a quarter for what the allocator keeps
    source_block = max(1, min(n_source, free // 2 // row_bytes))
    target_block = max(1, min(n_target, free // 4 // row_bytes))
    return Plan(source_block, target_block, tile, tiles, workers)


def search(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    k: int,
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    folder: Path | None = None,
    part: tuple[int, int] | None = None,
    device: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Neighbours:
    """Find the k nearest targets of every source and the k nearest sources of every target.

    Nearness is the inner product of rows at length 1 (cosine); ties fall to the lower index.

    Args:
        source: (n, d) floats, an array or a `.npy` file; need not be normalised.
        target: (m, d) floats, likewise.
        k: neighbours per sentence; a list never exceeds the sentences of the other side.
        memory_bytes: bound on the resident memory of this process.
        folder: where the lists are written as `.npy` files; None keeps them in memory.
        part: only the source rows from `part[0]` to `part[1]` (a shard): forward lists have that
            many rows, backward lists know those sources alone. Indices stay those of the whole.
        device: "cpu", "cuda", ...; None takes CUDA when there is one.
        progress: called with the share done, 0 to 1.

    Raises:
        TandemError: on an unfit shape, a value that is not finite, or too small a bound.
    """
    sides = open_pair(source, target, k)
    n, m = sides[0].shape[0], sides[1].shape[0]
    start, stop = part or (0, n)
    if not 0 <= start < stop <= n:
        raise TandemError(f"{sides[0].name} has rows 0 to {n}, not {start} to {stop}")
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    found = Neighbours.create((stop - start, m), (min(k, m), min(k, n)), folder)
    plan = plan_blocks(stop - start, m, 4 * sides[0].shape[1] + 40 * k + 200, memory_bytes, place)
    work = (stop - start) * m
    done = 0
    with _full_float32(), _one_thread_each(plan.workers) as pool:
        for first in range(start, stop, plan.source_block):
            last = min(stop, first + plan.source_block)
            one = Side.load(sides[0], first, last, found.forward, first - start, place)
            for begin in range(0, m, plan.target_block):
                end = min(m, begin + plan.target_block)
                two = Side.load(sides[1], begin, end, found.backward, begin, place)
                for products in _search_blocks(one, two, plan, pool):
                    done += products
                    if progress:
                        progress(done / work)
                found.backward.write(begin, two.indices, two.scores)
                del two  # before the next is loaded
            found.forward.write(first - start, one.indices, one.scores)
            del one
    return found


def _tasks(n: int, m: int, tile: int, wide: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (first row, last row, first column, last column) of the parts of an (n, m) product.

    Along anti-diagonals: every row meets its columns, and every column its rows, in ascending
    order, yet tasks that run at once share neither, so that each finds its bars up to date.
    """
    height, width = -(-n // tile), -(-m // wide)
    for diagonal in range(height + width - 1):
        for row in range(max(0, diagonal - width + 1), min(height, diagonal + 1)):
            top, left = row * tile, (diagonal - row) * wide
            yield top, min(top + tile, n), left, min(left + wide, m)


def _search_blocks(one: Side, two: Side, plan: Plan, pool: ThreadPoolExecutor) -> Iterator[int]:
    """Search one block against another; yield the number of products of each task when merged."""
    waiting: deque[tuple[int, Future[tuple[Candidates, Candidates]]]] = deque()
    one.begin()
    two.begin()

    def merge_next() -> int:
        size, task = waiting.popleft()
        for side, candidates in zip((one, two), task.result(), strict=True):
            side.add(candidates)
        return size

    for task in _tasks(len(one), len(two), plan.tile, plan.tile * plan.tiles):
        # merged in the order of submission, so that candidates arrive in ascending index
        if len(waiting) >= 2 * plan.workers:
            yield merge_next()
        size = (task[1] - task[0]) * (task[3] - task[2])
        waiting.append((size, pool.submit(search_strip, one, two, task, plan)))
    while waiting:
        yield merge_next()
    for side, other in ((one, two), (two, one)):
        side.merge()
        side.settle(other, plan, pool)


@contextlib.contextmanager
def _full_float32() -> Iterator[None]:
    """Forbid TF32 and bfloat16 products: the bound on their rounding error assumes float32."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@contextlib.contextmanager
def _one_thread_each(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool whose workers share the threads of PyTorch: one tile each beats one for all."""
    before = torch.get_num_threads()
    share = max(1, before // workers)
    torch.set_num_threads(share)
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(share,)) as p:
            yield p
    finally:
        torch.set_num_threads(before)


def _resident_bytes() -> int:
    """Return the resident memory of this process now (where unknown: its peak so far)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
