"""Choosing a value by its scores, by the rule of one standard error.

Breiman et al. (1984), Classification and Regression Trees, chapter 3: what is not told from the
best by one standard error is as good, and the simplest of these is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def within_one_error(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values have a mean score within one standard error of the best one's.

    The error is that of the difference, paired by the seeds; of one seed it is unknown, and only
    the best is told.

    Args:
        scores: a score of each value with each seed, higher is better, (values, seeds).

    Returns:
        (values,), of which at least one is true.
    """
    behind = scores[scores.mean(axis=1).argmax()] - scores
    seeds = scores.shape[1]
    errors = behind.std(axis=1, ddof=1) / np.sqrt(seeds) if seeds > 1 else np.zeros(len(scores))
    return behind.mean(axis=1) <= errors
