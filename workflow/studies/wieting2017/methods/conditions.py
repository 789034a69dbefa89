"""Which pairs each condition trains on: a filter with bounds, two together, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wieting2017.methods.settings import UNFILTERED, Bound, Experiment


class Kept(NamedTuple):
    """The scores that a filter keeps: from low to high, both included; None: no bound.

    `shares` are the same bounds as shares of the pairs, where the configuration has them so.
    """

    filter: str
    score: str
    low: float | None
    high: float | None
    shares: Bound | None = None


class Condition(NamedTuple):
    """The pairs that pass these filters; without any, all pairs."""

    name: str
    kept: tuple[Kept, ...]

    def passing(self, scores: pd.DataFrame) -> NDArray[np.bool_]:
        """Return which pairs pass, (pairs,)."""
        passed = np.ones(len(scores), bool)
        for bounds in self.kept:
            values = scores[bounds.score].to_numpy()
            if bounds.low is not None:
                passed &= values >= bounds.low
            if bounds.high is not None:
                passed &= values <= bounds.high
        return passed


EVERYTHING = Condition(UNFILTERED, ())


def tried(experiment: Experiment, encoder: str, scores: pd.DataFrame) -> list[Condition]:
    """Return each filter with each of its bounds, for an encoder and a text.

    A filter whose scores the text lacks is left out.
    """
    conditions = []
    for name in experiment.encoders[encoder].filters:
        entry = experiment.filters[name]
        if entry.score not in scores:
            continue
        for bound in entry.bounds:
            low, high = bound
            if entry.shares:
                low, high = (
                    None if share is None else float(scores[entry.score].quantile(share))
                    for share in bound
                )
            kept = Kept(name, entry.score, low, high, bound if entry.shares else None)
            conditions.append(Condition(name, (kept,)))
    return conditions


def drawn(passing: NDArray[np.bool_], size: int, seed: int) -> NDArray[np.int64] | None:
    """Return the first `size` pairs that pass, in an order of all pairs that the seed draws.

    So conditions with the same seed share as many pairs as possible. None: too few pass.
    """
    order = np.random.default_rng(seed).permutation(len(passing))
    chosen = order[passing[order]]
    return chosen[:size] if len(chosen) >= size else None


def combined(conditions: Sequence[Condition], name: str) -> Condition:
    """Return the condition that has all filters of some conditions."""
    return Condition(name, tuple(kept for condition in conditions for kept in condition.kept))
