"""Bootstrap draws and the intervals that follow from them.

Every function takes its seed or generator and gives the same numbers for the same one, whatever the
size of the blocks it works in. A resample that leaves one side constant counts as a correlation of
0 (a constant orders nothing), so that one odd draw cannot void an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import NonNegativeInt, PositiveInt

from tandem.registry import Settings
from tandem.statistics.blocks import blocks
from tandem.statistics.correlation import FloatArray, checked, standardised

LEVEL = 0.95
"""Coverage of every interval that Tandem reports."""

Statistic = Callable[..., FloatArray]


class Bootstrap(Settings):
    """How 95% bootstrap intervals are computed."""

    resamples: PositiveInt = 1000
    """Number of times that the scored items are resampled."""
    seed: NonNegativeInt = 1
    """Seed of the resampling."""


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval around it, in the unit of the statistic."""

    estimate: float
    low: float
    high: float


def bootstrap(
    statistic: Statistic, samples: Sequence[ArrayLike], resamples: int, seed: int
) -> Interval:
    """Percentile interval of any statistic by resampling items, the same ones in every sample.

    The statistic takes as many arrays as there are samples, each (..., n), and returns (...); for
    instance `spearman_rows`, or the difference of two correlations (a paired bootstrap).
    """
    data, draws = checked(*samples), np.empty(resamples)
    rng = np.random.default_rng(seed)
    for rows, index in _resampled(len(data[0]), resamples, rng):
        draws[rows] = np.nan_to_num(statistic(*(values[index] for values in data)), nan=0.0)
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(statistic(*data)), float(low), float(high))


def bootstrap_pearson(
    gold: ArrayLike, scores: ArrayLike, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Pearson's r of many systems with one gold standard, on the same resampled pairs.

    A resample is a vector of counts, so every system's r follows from five sums, and the sums of
    all resamples from one matrix product; nothing of size (systems, resamples, pairs) exists. Equal
    states of `rng` give equal resamples, whatever the systems. From (pairs,) and (systems, pairs)
    to (resamples, systems); 0 where a resample leaves one side constant.
    """
    y = _standard(np.asarray(gold, dtype=np.float64))
    x = _standard(np.atleast_2d(np.asarray(scores, dtype=np.float64)))
    systems, pairs = x.shape
    columns = np.concatenate([y[None], y[None] ** 2, x, x**2, x * y]).T / pairs
    result = np.empty((resamples, systems))
    for rows, index in _resampled(pairs, resamples, rng):
        result[rows] = _from_moments(_counts(index, pairs) @ columns, systems)
    return result


def _standard(values: FloatArray) -> FloatArray:
    """Centre along the last axis and scale to variance 1; 0 where the values are constant."""
    return np.nan_to_num(standardised(values)) * np.sqrt(values.shape[-1])


def _counts(index: NDArray[np.int64], items: int) -> FloatArray:
    """Count how often each resample draws each item: (rows, items) from indices (rows, items)."""
    offset = index + np.arange(len(index))[:, None] * items
    counts = np.bincount(offset.ravel(), minlength=len(index) * items)
    return counts.reshape(-1, items).astype(np.float64)


def _from_moments(moments: FloatArray, systems: int) -> FloatArray:
    """Correlations (rows, systems) from the means of y, y^2, x, x^2 and xy in each row."""
    y, yy = moments[:, :1], moments[:, 1:2]
    x, xx, xy = np.split(moments[:, 2:], [systems, 2 * systems], axis=1)
    # The data have variance 1, so this bound is far above rounding and far below any real spread
    product = np.clip(yy - y**2, 0, None) * np.clip(xx - x**2, 0, None)
    r = (xy - x * y) / np.sqrt(np.where(product > 1e-10, product, np.inf))
    return np.clip(r, -1.0, 1.0)


def _resampled(
    items: int, resamples: int, rng: np.random.Generator
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Yield blocks of rows and, for each row, `items` positions drawn with replacement."""
    for block in blocks(resamples, items):
        yield block, rng.integers(items, size=(block.stop - block.start, items))
