"""Rank correlations over related languages: families are resampled, relatives are permuted.

Related languages are alike in every respect, so they are no independent sample (Galton's problem).
There are two remedies here. Families are resampled whole, which widens intervals as much as kinship
demands; and values are permuted only among languages of one family (or one script), which tests for
a correlation that families (or scripts) do not explain.

A resample is a row of weights, how often it holds each language. Ranks and correlations of all
resamples then follow from a few matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tandem.statistics.blocks import blocks
from tandem.statistics.correlation import NOISE, FloatArray
from tandem.statistics.inference import Estimate


class Sample:
    """Languages to correlate over, with bootstrap resamples of their families.

    Attributes:
        families: how many there are.
        effective: the effective number of families; `families` where all have the same size.
        weights: (1 + resamples, n); the first row, of ones, is the sample itself.
    """

    def __init__(self, families: Sequence[str], resamples: int, seed: int) -> None:
        """Draw the resamples; `families` has the name of each language's family, (n,)."""
        index = _codes(families)
        self.families = int(index.max()) + 1
        sizes = np.bincount(index)
        self.effective = float(sizes.sum() ** 2 / np.sum(sizes**2))
        even = np.full(self.families, 1 / self.families)
        drawn = np.random.default_rng(seed).multinomial(self.families, even, size=resamples)
        self.weights = np.concatenate([np.ones((1, len(index))), drawn[:, index]])

    def rho(self, x: FloatArray, y: FloatArray, strata: Sequence[str] | None = None) -> FloatArray:
        """Return Spearman's rho of the sample and of each resample, (1 + resamples,).

        With strata the ranks are those over all languages, less their mean within the stratum: the
        partial rho with the strata held fixed. NaN where a side is constant.
        """
        return weighted_spearman(x, y, self.weights, strata)

    def estimate(self, values: FloatArray) -> Estimate:
        """Return a statistic of the sample with its error, from the resamples.

        With k families the standard deviation over resamples is sqrt((k - 1) / k) of the error;
        that is corrected, and Student's t has k - 1 degrees of freedom. Where families differ in
        size, k is their effective number (after Carter, Schnepel and Steigerwald, 2017, "Asymptotic
        behavior of a t test robust to cluster heterogeneity"): with the count, p is too small.
        """
        resampled = values[1:][np.isfinite(values[1:])]
        if self.families < 2 or len(resampled) < 2:
            return Estimate(float(values[0]), np.inf, 1)
        freedom = self.effective - 1
        error = resampled.std(ddof=1) * np.sqrt(self.effective / freedom)
        return Estimate(float(values[0]), float(error), freedom)


def weighted_spearman(
    x: FloatArray, y: FloatArray, weights: FloatArray, strata: Sequence[str] | None = None
) -> FloatArray:
    """Return Spearman's rho where item i occurs weights[row, i] times, for each row, (rows,).

    See `Sample.rho` for `strata`.
    """
    left, right = (_centred(_ranks(values, weights), weights, strata) for values in (x, y))
    product, square = (np.sum(weights * left * ranks, axis=1) for ranks in (right, left))
    length = np.sqrt(square * np.sum(weights * right**2, axis=1))
    defined = length > NOISE * weights.shape[1] ** 3
    return np.where(defined, np.clip(product / np.where(defined, length, 1), -1, 1), np.nan)


def permuted_within(
    x: FloatArray, y: FloatArray, strata: Sequence[str], permutations: int, seed: int
) -> float:
    """Return the two-sided p-value of rho within strata, permuting y (n,) within each of them.

    Exact where the languages of a stratum are exchangeable. The observed order counts as one of
    the permutations, so the p-value is never 0.
    """
    once, index = np.ones((1, len(x))), _codes(strata)
    left, right = (_centred(_ranks(values, once), once, strata)[0] for values in (x, y))
    observed = abs(left @ right) * (1 - NOISE)
    place = np.argsort(index, kind="stable")
    rng, extreme = np.random.default_rng(seed), 0
    for block in blocks(permutations, len(x)):
        # a random order within each stratum, strata in the same places as in `place`
        mixed = np.argsort(index + rng.random((block.stop - block.start, len(x))), axis=1)
        extreme += int(np.sum(np.abs(right[mixed] @ left[place]) >= observed))
    return (1 + extreme) / (1 + permutations)


def in_company(strata: Sequence[str]) -> NDArray[np.bool_]:
    """Return which languages share their stratum; others carry no information in it, (n,)."""
    index = _codes(strata)
    return np.bincount(index)[index] > 1


def _codes(names: Sequence[str]) -> NDArray[np.int64]:
    """Number the names, (n,), from 0."""
    return np.unique(np.asarray(names, dtype=str), return_inverse=True)[1]


def _ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the ranks in each resample, (rows, n); ties get their mean."""
    below = (values[:, None] < values).astype(np.float64)
    equal = (values[:, None] == values).astype(np.float64)
    return weights @ below + 0.5 * (weights @ equal)


def _centred(ranks: FloatArray, weights: FloatArray, strata: Sequence[str] | None) -> FloatArray:
    """Subtract from the ranks their mean in each stratum, or over all."""
    index = np.zeros(ranks.shape[1], dtype=np.int64) if strata is None else _codes(strata)
    member = np.eye(int(index.max()) + 1)[index]
    counts = weights @ member
    means = (weights * ranks) @ member / np.where(counts > 0, counts, 1)
    return ranks - means @ member.T
