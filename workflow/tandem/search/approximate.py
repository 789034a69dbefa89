"""Approximate neighbours through FAISS (Johnson et al., 2017): IVF or HNSW, the lists of `search`.

The index of either side is held in memory whole; `index_bytes` says how much. Which neighbours are
found is FAISS's affair, but their scores are the exact ones, so that margins mean the same.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import faiss
import numpy as np
import torch

from tandem.errors import TandemError
from tandem.search.lists import NOBODY, Lists, Neighbours, merge_candidates
from tandem.search.rows import Rows, open_pair, pair_scores, read_normalised

_BLOCK = 4096


class Kind(StrEnum):
    """Which index: inverted lists, or a navigable small-world graph."""

    IVF = "ivf"
    HNSW = "hnsw"


@dataclass(frozen=True)
class Approximation:
    """How an index is built and searched.

    Attributes:
        kind: IVF or HNSW.
        lists: IVF: clusters; None for 4 times the root of the corpus' size. Usual are 4 to 16.
        probes: IVF: clusters looked into for each query.
        links: HNSW: edges of each node (at the lowest level twice that).
        effort_build: HNSW: width of the search while building.
        effort_search: HNSW: width of the search for a query, at least k.
        seed: of the clustering, or of the levels of the graph.
    """

    kind: Kind
    lists: int | None = None
    probes: int = 32
    links: int = 32
    effort_build: int = 200
    effort_search: int = 128
    seed: int = 0

    def clusters(self, rows: int) -> int:
        """Return how many clusters an IVF index of so many sentences has."""
        return self.lists or min(rows, round(4 * math.sqrt(rows)))


def index_bytes(rows: int, dimension: int, how: Approximation) -> int:
    """Return the bytes that the index of one side holds in memory.

    Vectors are float32. IVF adds an 8-byte id each and the centroids; HNSW 4 bytes for each edge,
    2 * links at the lowest level and 1 / (links - 1) of the nodes at each one above.
    """
    vectors = 4 * rows * dimension
    if how.kind is Kind.IVF:
        return vectors + 8 * rows + 4 * how.clusters(rows) * dimension
    above = how.links / max(1, how.links - 1)
    return int(vectors + 4 * rows * (2 * how.links + above) + 16 * rows)


def search(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    k: int,
    how: Approximation,
    *,
    folder: Path | None = None,
    progress: Callable[[float], None] | None = None,
) -> Neighbours:
    """Find about the k nearest in both directions; as `exact.search`, but some may be missed.

    The same input and seed give the same bytes: FAISS builds graphs on one thread here, since the
    order in which nodes arrive changes them.

    Args:
        source: (n, d) floats, an array or a `.npy` file; need not be normalised.
        target: (m, d) floats, likewise.
        k: neighbours per sentence; where an index finds fewer, a list ends in index -1, score -inf.
        how: the index and its settings.
        folder: where the lists are written as `.npy` files; None keeps them in memory.
        progress: called with the share of sentences indexed and searched for, of both sides.

    Raises:
        TandemError: on an unfit shape, or fewer sentences than clusters.
    """
    one, two = open_pair(source, target, k)
    n, m = one.shape[0], two.shape[0]
    found = Neighbours.create((n, m), (min(k, m), min(k, n)), folder)
    done = 0

    def advance(rows: int) -> None:
        nonlocal done
        done += rows
        if progress:
            progress(done / (2 * (n + m)))

    for queries, corpus, lists in ((one, two, found.forward), (two, one, found.backward)):
        _search_one_way(queries, corpus, lists, how, advance)
    return found


def _search_one_way(
    queries: Rows, corpus: Rows, lists: Lists, how: Approximation, advance: Callable[[int], None]
) -> None:
    """Fill the lists of the queries with neighbours from the corpus."""
    k = lists.indices.shape[1]
    index = _build(corpus, how, advance)
    for start in range(0, queries.shape[0], _BLOCK):
        stop = min(queries.shape[0], start + _BLOCK)
        block = read_normalised(queries, start, stop)
        _, near = index.search(block.numpy(), k)
        indices, scores = lists.read(start, stop)
        # one stable order: by index here, then by score in the merge
        others, order = torch.from_numpy(near).flatten().sort(stable=True)
        owners, valid = order.div(k, rounding_mode="floor"), others != NOBODY
        owners, others = owners[valid], others[valid]
        exact = _score(index, block, owners, others)
        merge_candidates(indices, scores, owners, others, exact)
        lists.write(start, indices, scores)
        advance(stop - start)


def _score(
    index: faiss.Index, block: torch.Tensor, owners: torch.Tensor, others: torch.Tensor
) -> torch.Tensor:
    """Score pairs exactly with the vectors that the index holds, (c,)."""
    scores = torch.empty(len(owners))
    for start in range(0, len(owners), _BLOCK):
        part = slice(start, start + _BLOCK)
        vectors = torch.from_numpy(index.reconstruct_batch(others[part].numpy()))
        scores[part] = pair_scores(block, vectors, owners[part], torch.arange(len(vectors)))
    return scores


def _build(corpus: Rows, how: Approximation, advance: Callable[[int], object] = int) -> faiss.Index:
    """Build the index of one side, block by block; `advance` is told the rows of each."""
    size, dimension = corpus.shape
    if how.kind is Kind.IVF:
        clusters = how.clusters(size)
        if clusters > size:
            raise TandemError(
                f"{clusters} clusters for the {size} sentences of {corpus.name}. "
                f"Set lists to {size} or fewer, or search exactly"
            )
        coarse = faiss.IndexFlatIP(dimension)
        index = faiss.IndexIVFFlat(coarse, dimension, clusters, faiss.METRIC_INNER_PRODUCT)
        index.cp.seed, index.nprobe = how.seed, how.probes
        index.train(_sample(corpus, how))
        index.make_direct_map(True)
    else:
        index = faiss.IndexHNSWFlat(dimension, how.links, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.rng = faiss.RandomGenerator(how.seed)
        index.hnsw.efConstruction, index.hnsw.efSearch = how.effort_build, how.effort_search
    with _one_thread() if how.kind is Kind.HNSW else contextlib.nullcontext():
        for start in range(0, size, _BLOCK):
            block = read_normalised(corpus, start, min(size, start + _BLOCK)).numpy()
            index.add(block)
            advance(len(block))
    return index


def _sample(corpus: Rows, how: Approximation) -> np.ndarray:
    """Return the rows that the clusters are trained on: 64 a cluster, spread by the seed."""
    size = corpus.shape[0]
    count = min(size, 64 * how.clusters(size))
    chosen = np.sort(np.random.default_rng(how.seed).choice(size, count, replace=False))
    parts = []
    for start in range(0, size, _BLOCK):
        stop = min(size, start + _BLOCK)
        low, high = np.searchsorted(chosen, (start, stop))
        parts.append(read_normalised(corpus, start, stop).numpy()[chosen[low:high] - start])
    return np.concatenate(parts)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
