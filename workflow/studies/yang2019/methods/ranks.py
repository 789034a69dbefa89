"""The rank at which a query finds its first right answer, and P@N."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tandem.corpora.bitext import meanings
from tandem.errors import TandemError
from tandem.tasks.groups import GROUPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.statistics.correlation import FloatArray
    from tandem.tasks.task import Items


def right(listed: NDArray[np.int64], pairs: NDArray[np.int64], answers: int) -> NDArray[np.bool_]:
    """Return whether each listed answer is right, (queries, k).

    Args:
        listed: (queries, k) numbers of answers, the nearest first; -1 for none.
        pairs: (pairs, 2) each a query and a right answer.
        answers: how many there are to choose from.
    """
    gold = pairs[:, 0] * answers + pairs[:, 1]
    candidates = np.arange(len(listed))[:, None] * answers + listed
    return np.isin(candidates, gold) & (listed >= 0)


def ranks(hits: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Return the place, from 1, of the first right answer of each query, (queries,); 0: none."""
    return np.where(hits.any(1), hits.argmax(1) + 1, 0).astype(np.int16)


def linked(pairs: NDArray[np.int64], queries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the group of each query, (queries,), and of each answer, (answers,).

    Groups are the connected components of `pairs`, (pairs, 2), which hold every query and answer:
    sentences that are linked by translations. Either side has all of their numbers, from 0.
    """
    of_pairs = meanings(pairs[:, 0], pairs[:, 1] + queries)
    of_queries, of_answers = (np.empty(side.max() + 1, np.int64) for side in pairs.T)
    of_queries[pairs[:, 0]] = of_answers[pairs[:, 1]] = of_pairs
    return of_queries, of_answers


def precision(places: NDArray[np.int16], most: int) -> NDArray[np.bool_]:
    """Return whether each query has a right answer among the first `most`, (queries,)."""
    return (places > 0) & (places <= most)


def split(unit: str) -> tuple[str, int]:
    """Return the direction and the N of a unit, such as forward.10."""
    direction, _, most = unit.partition(".")
    return direction, int(most)


def estimate(items: Items, unit: str) -> float:
    """Return P@N x 100 of one direction."""
    direction, most = split(unit)
    return 100 * float(precision(items[direction], most).mean())


def draws(systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
    """Bootstrap P@N x 100, resampling groups of queries, as `linked` has them.

    All systems share the draws, and so do both directions: a resample has the same groups, with
    their sentences of either side. Returns (systems, resamples).
    """
    direction, most = split(unit)
    groups = systems[0][f"{direction}{GROUPS}"]
    if any(not np.array_equal(system[f"{direction}{GROUPS}"], groups) for system in systems):
        raise TandemError("the systems to compare searched different texts. Score them again")
    table = np.stack([np.bincount(groups, precision(s[direction], most)) for s in systems])
    sizes = np.bincount(groups)
    n = len(sizes)
    rng = np.random.default_rng(seed)
    drawn = (np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(resamples))
    return np.stack([100 * (table @ times) / (sizes @ times) for times in drawn], axis=1)
