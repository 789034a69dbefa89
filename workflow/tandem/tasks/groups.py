"""Items in groups that say something of each other: a resample has a group whole, or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tandem.errors import TandemError
from tandem.tasks.task import Items

GROUPS = "__groups"
"""Ends the name of the items that are the numbers of another's groups, (items,)."""


def drawn_times(
    systems: Sequence[Items], names: Sequence[str], resamples: int, seed: int | Sequence[int]
) -> Mapping[str, np.ndarray]:
    """Draw groups with replacement, the same ones for all named items of all systems.

    Returns how often each item is drawn, by name, each (resamples, items).

    Raises:
        TandemError: the systems have other items.
    """
    first = systems[0]
    for system in systems[1:]:
        if not all(np.array_equal(system[n + GROUPS], first[n + GROUPS]) for n in names):
            raise TandemError("the systems to compare judged different items. Score them again")
    every, places = np.unique(
        np.concatenate([first[name + GROUPS] for name in names]), return_inverse=True
    )
    count = len(every)
    times = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), resamples)
    ends = np.cumsum([len(first[name]) for name in names])[:-1]
    parts = np.split(places, ends)
    return {name: times[:, part] for name, part in zip(names, parts, strict=True)}


def drawn_means(systems: Sequence[Items], name: str, times: np.ndarray) -> np.ndarray:
    """Return the mean of some items that are drawn so often, (resamples, items), of each system.

    (systems, resamples). A resample without any of them, which few items may have, counts as 0.
    """
    table = np.stack([system[name] for system in systems], axis=1).astype(np.float64)
    return ((times @ table) / np.maximum(times.sum(axis=1, keepdims=True), 1)).T


def group_count(items: Items, names: Sequence[str]) -> int:
    """Count the groups of some items: what is drawn of them is independent."""
    return len(np.unique(np.concatenate([items[name + GROUPS] for name in names])))
