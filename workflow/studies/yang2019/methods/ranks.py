"""The rank at which a query finds its first right answer, and P@N."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tandem.errors import TandemError

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
    """Bootstrap P@N x 100, resampling queries: (systems, resamples).

    All systems share the draws, as do calls with the same number of queries and seed.
    """
    direction, most = split(unit)
    if len({len(system[direction]) for system in systems}) > 1:
        raise TandemError("the systems to compare searched different texts. Score them again")
    table = np.stack([precision(system[direction], most) for system in systems])
    n = table.shape[1]
    rng = np.random.default_rng(seed)
    drawn = (np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(resamples))
    return np.stack([100 * (table @ times) / n for times in drawn], axis=1)
