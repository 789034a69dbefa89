"""Which pairs each condition trains on: a filter with bounds, two together, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wieting2017.methods.settings import UNFILTERED, Bound, Experiment


class Kept(NamedTuple):
    """What a filter keeps: scores from low to high, both as they are; None: any.

    `shares` are the parts of the pairs that these bounds cut off, where they were given so.
    """

    filter: str
    score: str
    low: float | None
    high: float | None
    shares: Bound | None = None


class Condition(NamedTuple):
    """Pairs that pass some filters, or all of them."""

    name: str
    kept: tuple[Kept, ...]

    def passing(self, scores: pd.DataFrame) -> NDArray[np.bool_]:
        """Return which pairs pass, (pairs,)."""
        passed = np.ones(len(scores), bool)
        for each in self.kept:
            values = scores[each.score].to_numpy()
            if each.low is not None:
                passed &= values >= each.low
            if each.high is not None:
                passed &= values <= each.high
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
    """Return so many of the pairs that pass, in the order in which a seed puts all pairs.

    Conditions of one seed so have as many pairs in common as can be. None: too few pass.
    """
    order = np.random.default_rng(seed).permutation(len(passing))
    chosen = order[passing[order]]
    return chosen[:size] if len(chosen) >= size else None


def combined(conditions: Sequence[Condition], name: str) -> Condition:
    """Return what passes all filters of some conditions."""
    return Condition(name, tuple(kept for each in conditions for kept in each.kept))
