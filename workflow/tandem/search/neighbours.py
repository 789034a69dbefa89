"""The nearest neighbours of every sentence in another set, found with FAISS (Johnson et al., 2017).

Nearness is the cosine. An exact search compares all pairs, once for each direction, with PyTorch
(`tandem.search.card`) where there is a GPU; IVF and HNSW, for large sides, compare fewer and may
miss some neighbours.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tandem.errors import TandemError, whole
from tandem.machine import gpu_errors, place
from tandem.search.limits import cuda_works, memory_bound, memory_used
from tandem.search.rows import UnitRows

if TYPE_CHECKING:
    import torch

NOBODY = -1
"""The index that fills a list when fewer than k neighbours are found; its score is -infinity."""
SPARE = 4
"""Neighbours looked for beyond k: rounding and ties among so many cannot change a list."""
_NEIGHBOUR_BYTES = 12
_CELLS = 1 << 20
"""Neighbours at a time of which something is computed: eight float64 of each fit `_WORK_BYTES`."""
_BLOCK_BYTES = 4 << 20
_WORK_BYTES = 64 << 20
_LINKS = 32
_LEAST_ROWS = 1024


class IndexKind(StrEnum):
    """How neighbours are looked for: exactly, by inverted lists, or in a navigable graph."""

    EXACT = "exact"
    IVF = "ivf"
    HNSW = "hnsw"


class Lists(NamedTuple):
    """Neighbours of n sentences, best first, then lowest: int64 and float32, both (n, k)."""

    indices: np.ndarray
    scores: np.ndarray


class Neighbours(NamedTuple):
    """Lists in both directions: `forward` of each source sentence, `backward` of each target."""

    forward: Lists
    backward: Lists


def row_blocks(lists: Lists) -> Iterator[slice]:
    """Yield rows of lists, so many at a time that what is computed of them stays small."""
    rows, width = lists.indices.shape
    step = max(1, _CELLS // max(1, width))
    yield from (slice(first, first + step) for first in range(0, rows, step))


_Filling = Callable[[Lists, UnitRows, UnitRows], Iterator[float]]


@gpu_errors()
def search(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    k: int,
    *,
    index: IndexKind = IndexKind.EXACT,
    memory_bytes: int | None = None,
    device: str = "cpu",
    progress: Callable[[float], object] | None = None,
) -> Neighbours:
    """Find the k nearest targets of every source and the k nearest sources of every target.

    The cosine of a row of zeros with any row is 0. Of equal scores the lower index is nearer; only
    where more than four sentences beyond the k share the k-th score may others of them be listed.

    Args:
        source: (n, d) floats, an array or a `.npy` file; need not be normalised.
        target: (m, d) floats, likewise.
        k: neighbours per sentence; a list never exceeds the sentences of the other side.
        index: exact, which takes a side block by block; the others hold one whole in memory.
        memory_bytes: bound on the resident memory of this process, or, where PyTorch works on CUDA
            in it, on what the search adds: see `memory_bound`. Of a GPU's free memory an exact
            search takes three quarters at most.
        device: where exact search multiplies: cpu, cuda, ..., or auto: cuda if there is one.
        progress: called with the share done, 0 to 1.

    Raises:
        TandemError: on an unfit shape, a value that is not finite, or too little memory.
    """
    return Neighbours(*_lists(source, target, k, index, memory_bytes, device, progress, both=True))


@gpu_errors()
def nearest(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    k: int,
    *,
    memory_bytes: int | None = None,
    device: str = "cpu",
    progress: Callable[[float], object] | None = None,
) -> Lists:
    """Find the k nearest targets of every source, exactly: `forward` of `search`, in half the time.

    Raises:
        TandemError: as `search`.
    """
    exact = IndexKind.EXACT
    [lists] = _lists(source, target, k, exact, memory_bytes, device, progress, both=False)
    return lists


def _lists(
    source: np.ndarray | str | Path, target: np.ndarray | str | Path, k: int, kind: IndexKind,
    memory_bytes: int | None, device: str, progress: Callable[[float], object] | None, both: bool,
) -> list[Lists]:  # fmt: skip
    """Return the lists of sources, and with `both` those of targets; see `search`."""
    sources, targets = UnitRows(source), UnitRows(target)
    if (k := whole(k, "k")) < 1:
        raise TandemError(f"k is {k}. Ask for at least one neighbour")
    if sources.dimension != targets.dimension:
        sides = f"{sources.name} has {sources.dimension} dimensions and {targets.name}"
        raise TandemError(f"{sides} {targets.dimension}. Encode both sides with one model")
    import faiss  # noqa: F401  (before memory is measured)

    gpu = _gpu(device) if kind is IndexKind.EXACT else None
    turns = [(sources, targets), (targets, sources)][: 1 + both]
    shapes = [(len(queries), min(k, len(corpus))) for queries, corpus in turns]
    need = 0 if gpu else max(_least_bytes(corpus, kind) for _, corpus in turns)
    free = _free_bytes(need, shapes, kind, memory_bytes)
    neighbours = [_empty(*shape) for shape in shapes]
    on_cpu = functools.partial(_fill, kind=kind, free=free)
    fill = _card(gpu, sources, targets) if gpu else on_cpu
    for number, (lists, turn) in enumerate(zip(neighbours, turns, strict=True)):
        for share in fill(lists, *turn):
            if progress:
                progress((number + share) / len(turns))
    return neighbours


def _gpu(device: str) -> torch.device | None:
    """Return the GPU to multiply on, which PyTorch already uses then, or None for the CPU."""
    device = place(device)
    if device == "cpu":
        return None
    import torch

    gpu = torch.device(device)
    return gpu if gpu.type == "cuda" else None


def _card(gpu: torch.device, source: UnitRows, target: UnitRows) -> _Filling:
    """Return what fills lists on a GPU; blocks on the host are within `_WORK_BYTES`."""
    from tandem.search.card import Card

    return Card(gpu, source, target).fill


def _empty(*shape: int) -> Lists:
    return Lists(np.full(shape, NOBODY, np.int64), np.full(shape, -np.inf, np.float32))


def _fill(
    lists: Lists,
    queries: UnitRows,
    corpus: UnitRows,
    kind: IndexKind,
    free: int,
) -> Iterator[float]:
    """Fill the lists of the queries, from as much of the corpus at a time as `free` bytes hold.

    Yields the share that is done.
    """
    import faiss

    rows = free // _row_bytes(corpus)
    step = max(64, _BLOCK_BYTES // (4 * corpus.dimension + 32 * lists.indices.shape[1]))
    total, done = len(corpus) + -(-len(corpus) // rows) * len(queries), 0
    for first in range(0, len(corpus), rows):
        index = _new_index(corpus, kind, step)
        with contextlib.ExitStack() as stack:
            if kind is IndexKind.HNSW:
                # the order in which sentences join a graph changes it: one thread, the same lists
                stack.callback(faiss.omp_set_num_threads, faiss.omp_get_max_threads())
                faiss.omp_set_num_threads(1)
            for _, some in corpus.blocks(step, first, first + rows):
                index.add(some)
                done += len(some)
                yield done / total
        width = min(lists.indices.shape[1] + SPARE, index.ntotal)
        for start, some in queries.blocks(step):
            scores, near = index.search(some, width)
            if kind is IndexKind.EXACT:
                scores = _cosines(some, near, index)
            _merge(lists, start, np.where(near == NOBODY, NOBODY, near + first), scores)
            done += len(some)
            yield done / total
        del index  # before the next is made


def _row_bytes(corpus: UnitRows) -> int:
    """Return what a row of an index takes: a vector, twice while it grows; ids and edges."""
    return 8 * (corpus.dimension + _LINKS + 4)


def _least_bytes(corpus: UnitRows, kind: IndexKind) -> int:
    """Return the fewest bytes with which a side can be searched in: exactly, block by block."""
    rows = min(len(corpus), _LEAST_ROWS) if kind is IndexKind.EXACT else len(corpus)
    return _row_bytes(corpus) * rows


def _free_bytes(
    need: int, shapes: Sequence[tuple[int, int]], kind: IndexKind, memory_bytes: int | None
) -> int:
    """Return what lists of these shapes leave of the memory that is allowed.

    TandemError where an index needs more.
    """
    apart = _resident_bytes() if cuda_works() else 0
    held = _NEIGHBOUR_BYTES * sum(map(math.prod, shapes))
    free = memory_bound(memory_bytes, apart) - (_resident_bytes() - apart) - held - _WORK_BYTES
    if free < need:
        width = max(width for _, width in shapes)
        fewer = f", or lower k (--k): lists of {width:,} neighbours take {held >> 20:,} MiB"
        raise TandemError(
            "memory_bytes (--memory, or memory_mb of what is mined) leaves too little for the "
            f"search. Raise it by {(need - free >> 20) + 1} MiB"
            f"{'' if kind is IndexKind.EXACT else ', or search exactly'}"
            f"{fewer if held > _WORK_BYTES // 4 else ''}"
        )
    return free


def _new_index(corpus: UnitRows, kind: IndexKind, step: int) -> Any:  # noqa: ANN401  (FAISS has no types)
    """Make an index for one side, without its vectors yet."""
    import faiss

    dimension = corpus.dimension
    if kind is IndexKind.EXACT:
        return faiss.IndexFlatIP(dimension)
    if kind is IndexKind.HNSW:
        graph = faiss.IndexHNSWFlat(dimension, _LINKS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction, graph.hnsw.efSearch = 200, 128
        return graph
    clusters = min(len(corpus), round(4 * math.sqrt(len(corpus))))
    index: Any = faiss.index_factory(dimension, f"IVF{clusters},Flat", faiss.METRIC_INNER_PRODUCT)
    index.nprobe, index.cp.min_points_per_centroid = 32, 1
    every = -(-len(corpus) // (64 * clusters))  # 64 sentences a cluster, from everywhere
    index.train(np.concatenate([some[::every] for _, some in corpus.blocks(step)]))
    return index


def _cosines(queries: np.ndarray, near: np.ndarray, index: Any) -> np.ndarray:  # noqa: ANN401
    """Score queries (q, d) with the rows `near` (q, k) of an index, float32 (q, k).

    Summed in float64, equal rows get equal scores; in a matrix product they need not.
    """
    scores = np.empty(near.shape, np.float32)
    for column, rows in enumerate(near.T):
        vectors = index.reconstruct_batch(np.ascontiguousarray(rows))
        scores[:, column] = np.multiply(queries, vectors, dtype=np.float64).sum(1)
    return scores


def _merge(lists: Lists, start: int, indices: np.ndarray, scores: np.ndarray) -> None:
    """Merge candidates (q, c) into the q lists from `start` on."""
    rows = slice(start, start + len(indices))
    indices = np.concatenate([lists.indices[rows], indices], axis=1)
    scores = np.concatenate([lists.scores[rows], scores], axis=1)
    scores[indices == NOBODY] = -np.inf
    order = np.lexsort((indices, -scores), axis=1)[:, : lists.indices.shape[1]]
    lists.indices[rows] = np.take_along_axis(indices, order, axis=1)
    lists.scores[rows] = np.take_along_axis(scores, order, axis=1)


def _resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not tell."""
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)  # what was freed goes back to the system
    return memory_used()[1]
