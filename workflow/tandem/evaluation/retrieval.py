"""Retrieval accuracy: how often the translation of a sentence is among its nearest neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tandem.errors import TandemError
from tandem.evaluation.statistics import Interval, percentile_interval
from tandem.search.exact import DEFAULT_MEMORY_BYTES, search
from tandem.search.lists import Lists


@dataclass(frozen=True)
class Retrieval:
    """P@k in percent by k, with 95% bootstrap intervals over the queries, in both directions.

    `forward`: a source sentence finds its target; `backward`: the other way round.
    """

    queries: int
    forward: dict[int, Interval]
    backward: dict[int, Interval]


def precision_at(
    indices: np.ndarray, gold: np.ndarray, ks: Sequence[int], *, seed: int, resamples: int = 10_000
) -> dict[int, Interval]:
    """Return P@k in percent: the share of queries whose gold answer is among the first k.

    Args:
        indices: (n, K) neighbours, best first, K >= max(ks) or all candidates there are.
        gold: (n,) the right answer of each query.
        ks: list lengths.
        seed: of the bootstrap.
        resamples: number of bootstrap resamples of the queries.

    Raises:
        TandemError: when there is no query, or their numbers differ.
    """
    if not len(gold) or len(indices) != len(gold):
        raise TandemError(f"{len(indices)} lists for {len(gold)} answers. Give one list per answer")
    hit = indices == np.asarray(gold)[:, None]
    rng = np.random.default_rng(seed)
    result = {}
    for k in ks:
        found, n = int(hit[:, :k].any(1).sum()), len(gold)
        # hits in a resample of n queries with replacement are binomial: no need to draw them
        draws = rng.binomial(n, found / n, resamples) * (100 / n)
        result[k] = percentile_interval(100 * found / n, draws)
    return result


def first_hits(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
) -> tuple[np.ndarray, np.ndarray]:
    """Tell which of n aligned sentences find their translation first: forward, backward, bool (n,).

    Their means are P@1 in either direction; kept, they compare two encoders query by query.

    Raises:
        TandemError: when the sides differ in length, and as `exact.search`.
    """
    found = search(source, target, 1, memory_bytes=memory_bytes)
    sizes = found.forward.indices.shape[0], found.backward.indices.shape[0]
    if sizes[0] != sizes[1]:
        raise TandemError(f"{sizes[0]} sources, {sizes[1]} targets. Row i must translate row i")
    forward, backward = (_lists(side, sizes[0])[:, 0] for side in (found.forward, found.backward))
    gold = np.arange(sizes[0])
    return forward == gold, backward == gold


def evaluate_retrieval(
    source: np.ndarray | str | Path,
    target: np.ndarray | str | Path,
    ks: Sequence[int] = (1,),
    *,
    seed: int,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
) -> Retrieval:
    """Search aligned sentences in both directions (Yang et al., 2019, section 5.1: P@N).

    Args:
        source: (n, d) embeddings, or the `.npy` file that holds them; need not be normalised.
        target: (m, d), m >= n: row i translates source row i, further rows are candidates only.
        ks: list lengths.
        seed: of the bootstrap.
        memory_bytes: bound on resident memory.

    Raises:
        TandemError: when there are fewer targets than sources, and as `exact.search`.
    """
    found = search(source, target, max(ks), memory_bytes=memory_bytes)
    queries, candidates = found.forward.indices.shape[0], found.backward.indices.shape[0]
    if candidates < queries:
        raise TandemError(f"{queries} sources, {candidates} targets. Row i must translate row i")
    gold = np.arange(queries)
    return Retrieval(
        queries,
        precision_at(_lists(found.forward, queries), gold, ks, seed=seed),
        precision_at(_lists(found.backward, queries), gold, ks, seed=seed),
    )


def _lists(lists: Lists, rows: int) -> np.ndarray:
    return np.array(lists.indices.block(0, rows))
