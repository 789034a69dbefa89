"""Permutation tests of the rank correlations of several features with one outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tandem.statistics.bootstrap import blocks
from tandem.statistics.correlation import NOISE, FloatArray, checked, ranks, unit


@dataclass(frozen=True)
class Permutation:
    """Correlations of several features with one outcome; each array has shape (features,)."""

    statistic: FloatArray
    p: FloatArray
    p_corrected: FloatArray


def permutation_test(
    features: ArrayLike, outcome: ArrayLike, permutations: int, seed: int
) -> Permutation:
    """Two-sided permutation test of Spearman's rho of each feature with the outcome.

    The corrected p-value compares a feature with the largest |rho| of all features under each
    permutation (Westfall and Young's single-step max-T), which holds the family-wise error rate
    and, unlike Bonferroni or Holm, loses nothing to features that repeat each other. Both p-values
    count the observed order as one of the permutations, so neither is ever 0.

    Args:
        features: (features, n).
        outcome: (n,).
        permutations: number of random orders of the outcome.
        seed: of those orders.
    """
    *rows, y = checked(*np.atleast_2d(np.asarray(features, dtype=np.float64)), outcome)
    ordered = unit(ranks(np.stack(rows)))
    target = unit(ranks(y))
    observed = ordered @ target
    least = np.abs(observed) - NOISE
    rng = np.random.default_rng(seed)
    alone, together = np.zeros(len(rows)), np.zeros(len(rows))
    for block in blocks(permutations, len(target)):
        orders = rng.permuted(np.tile(target, (block.stop - block.start, 1)), axis=1)
        shuffled = np.abs(orders @ ordered.T)
        alone += np.sum(shuffled >= least, axis=0)
        together += np.sum(shuffled.max(axis=1)[:, None] >= least, axis=0)
    return Permutation(
        observed, (1 + alone) / (1 + permutations), (1 + together) / (1 + permutations)
    )
