"""Correlations and how sure they are: bootstrap intervals, permutation tests, corrections.

Every random function takes its seed or generator and gives the same numbers for the same one,
whatever the size of the blocks it works in. A correlation is undefined where one side is constant:
the scalar functions refuse such input, the row-wise ones give NaN, and inside a bootstrap such a
resample counts as 0 (a constant orders nothing), so that one odd draw cannot void an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem.errors import TandemError

LEVEL = 0.95
"""Coverage of every interval that Tandem reports."""

MINIMUM_PAIRS = 3
"""Fewest pairs a correlation is computed from: two points are always on a line."""

_BLOCK_ELEMENTS = 1 << 21
"""Resampled values held at once (16 MiB as float64): bounds memory, never changes a number."""

_CONSTANT = 1e-12
"""Spread, relative to the largest value, under which floating-point noise is all there is."""

FloatArray = NDArray[np.float64]
Statistic = Callable[..., FloatArray]


class UndefinedCorrelationError(TandemError):
    """The data do not define a correlation (too few pairs, a constant side, not finite)."""


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval around it, in the unit of the statistic."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Permutation:
    """Correlations of several features with one outcome; each array has shape (features,)."""

    statistic: FloatArray
    p: FloatArray
    p_corrected: FloatArray


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r of two sequences of n numbers.

    Raises:
        UndefinedCorrelationError: as `_checked` says.
    """
    return float(pearson_rows(*_checked(x, y)))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rho of two sequences of n numbers, ties given their mean rank.

    Raises:
        UndefinedCorrelationError: as `_checked` says.
    """
    return float(spearman_rows(*_checked(x, y)))


def partial_spearman(x: ArrayLike, y: ArrayLike, control: ArrayLike) -> float:
    """Spearman's rho of x and y with `control` held fixed: the partial correlation of the ranks.

    Raises:
        UndefinedCorrelationError: as `_checked` says, or when `control` orders the items exactly
            as x or y does, so that nothing is left to correlate.
    """
    rho = float(partial_spearman_rows(*_checked(x, y, control)))
    if np.isnan(rho):
        raise UndefinedCorrelationError(
            "the control orders the items exactly as one of the two variables does, so no partial "
            "correlation is defined; use another control"
        )
    return rho


def pearson_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r along the last axis: shapes (..., n) to (...); NaN where a side is constant."""
    return np.clip(np.sum(_unit(x) * _unit(y), axis=-1), -1.0, 1.0)


def spearman_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rho along the last axis: shapes (..., n) to (...); NaN where undefined."""
    return pearson_rows(_ranks(x), _ranks(y))


def partial_spearman_rows(x: FloatArray, y: FloatArray, control: FloatArray) -> FloatArray:
    """Partial Spearman's rho along the last axis: shapes (..., n) to (...); NaN where undefined."""
    xy, xc, yc = spearman_rows(x, y), spearman_rows(x, control), spearman_rows(y, control)
    left = (1 - xc**2) * (1 - yc**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left > _CONSTANT, np.clip((xy - xc * yc) / np.sqrt(left), -1, 1), np.nan)


def percentile_interval(estimate: float, draws: FloatArray) -> Interval:
    """Put the central 95% of bootstrap `draws`, shape (resamples,), around an estimate."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(estimate), float(low), float(high))


def bootstrap(
    statistic: Statistic, samples: Sequence[ArrayLike], resamples: int, seed: int
) -> Interval:
    """Percentile interval of any statistic by resampling items, the same ones in every sample.

    Args:
        statistic: takes as many arrays as there are samples, each (..., n), and returns (...); for
            instance `spearman_rows`, or the difference of two correlations (a paired bootstrap).
        samples: sequences of n numbers; position i belongs to item i in each.
        resamples: number of bootstrap draws.
        seed: of the draws.
    """
    data = _checked(*samples)
    draws = np.empty(resamples)
    rng = np.random.default_rng(seed)
    for rows, index in _resampled(len(data[0]), resamples, rng):
        draws[rows] = np.nan_to_num(statistic(*(values[index] for values in data)), nan=0.0)
    return percentile_interval(float(statistic(*data)), draws)


def bootstrap_pearson(
    gold: ArrayLike, scores: ArrayLike, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Pearson's r of many systems with one gold standard, on the same resampled pairs.

    A resample is a vector of counts, so every system's r follows from five sums, and the sums of
    all resamples from one matrix product; nothing of size (systems, resamples, pairs) exists.

    Args:
        gold: (pairs,) gold scores.
        scores: (systems, pairs) predicted scores.
        resamples: number of bootstrap draws.
        rng: the source of the draws; equal states give equal resamples, whatever the systems.

    Returns:
        (resamples, systems); 0 where a resample leaves one side constant.
    """
    y = _standard(np.asarray(gold, dtype=np.float64))
    x = _standard(np.atleast_2d(np.asarray(scores, dtype=np.float64)))
    systems, pairs = x.shape
    columns = np.concatenate([y[None], y[None] ** 2, x, x**2, x * y]).T / pairs
    result = np.empty((resamples, systems))
    for rows, index in _resampled(pairs, resamples, rng):
        result[rows] = _from_moments(_counts(index, pairs) @ columns, systems)
    return result


def paired_difference(
    gold: ArrayLike, first: ArrayLike, second: ArrayLike, resamples: int, seed: int
) -> Interval:
    """Interval of r(gold, first) - r(gold, second), both on the same resampled pairs."""
    gold, first, second = _checked(gold, first, second)
    rng = np.random.default_rng(seed)
    draws = bootstrap_pearson(gold, np.stack([first, second]), resamples, rng)
    estimate = pearson(gold, first) - pearson(gold, second)
    return percentile_interval(estimate, draws[:, 0] - draws[:, 1])


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
    *rows, y = _checked(*np.atleast_2d(np.asarray(features, dtype=np.float64)), outcome)
    ranks = _unit(_ranks(np.stack(rows)))
    target = _unit(_ranks(y))
    observed = ranks @ target
    least = np.abs(observed) - _CONSTANT
    rng = np.random.default_rng(seed)
    alone, together = np.zeros(len(rows)), np.zeros(len(rows))
    for block in _blocks(permutations, len(target)):
        orders = rng.permuted(np.tile(target, (block.stop - block.start, 1)), axis=1)
        shuffled = np.abs(orders @ ranks.T)
        alone += np.sum(shuffled >= least, axis=0)
        together += np.sum(shuffled.max(axis=1)[:, None] >= least, axis=0)
    return Permutation(
        observed, (1 + alone) / (1 + permutations), (1 + together) / (1 + permutations)
    )


def holm(p: ArrayLike) -> FloatArray:
    """Holm's step-down correction of p-values, shape (tests,), for their number."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def _checked(*samples: ArrayLike) -> list[FloatArray]:
    """Return the samples as arrays, or refuse what has no correlation, saying which and why."""
    arrays = [np.asarray(sample, dtype=np.float64) for sample in samples]
    sizes = sorted({len(array) for array in arrays})
    if len(sizes) > 1:
        raise UndefinedCorrelationError(
            f"samples of different lengths ({', '.join(map(str, sizes))}): pair them first"
        )
    if sizes[0] < MINIMUM_PAIRS:
        raise UndefinedCorrelationError(
            f"{sizes[0]} pairs: at least {MINIMUM_PAIRS} are needed for a correlation"
        )
    for number, array in enumerate(arrays, start=1):
        if not np.isfinite(array).all():
            raise UndefinedCorrelationError(
                f"variable {number} holds NaN or infinite values: remove those items"
            )
        if is_constant(array):
            raise UndefinedCorrelationError(
                f"variable {number} is constant ({array[0]:g} throughout): its correlation is "
                "undefined; check what produced it"
            )
    return arrays


def is_constant(values: FloatArray) -> bool:
    """Whether values, shape (n,), differ by no more than floating-point noise."""
    return bool(np.ptp(values) <= _CONSTANT * np.max(np.abs(values)))


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks along the last axis, ties given their mean."""
    # here, since it takes a second to import and most jobs correlate no ranks
    from scipy.stats import rankdata

    return rankdata(values, axis=-1)


def _unit(values: FloatArray) -> FloatArray:
    """Centre along the last axis and scale to length 1; NaN where the values are constant."""
    centred = values - values.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    floor = _CONSTANT * np.max(np.abs(values), axis=-1, keepdims=True)
    return centred / np.where(length > floor, length, np.nan)


def _standard(values: FloatArray) -> FloatArray:
    """Centre along the last axis and scale to variance 1; 0 where the values are constant."""
    return np.nan_to_num(_unit(values)) * np.sqrt(values.shape[-1])


def _counts(index: NDArray[np.int64], items: int) -> FloatArray:
    """Count how often each resample draws each item: (rows, items) from indices (rows, items)."""
    rows = len(index)
    offset = index + np.arange(rows)[:, None] * items
    counts = np.bincount(offset.ravel(), minlength=rows * items)
    return counts.reshape(rows, items).astype(np.float64)


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
    for block in _blocks(resamples, items):
        yield block, rng.integers(items, size=(block.stop - block.start, items))


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Cut `rows` rows of `width` values into blocks of bounded size."""
    step = max(1, _BLOCK_ELEMENTS // width)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
