"""Pearson's and Spearman's correlation, of one pair of samples or of many rows at once.

A correlation is undefined where one side is constant: the functions of one pair refuse such input,
those of rows return NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem.errors import TandemError

MINIMUM_PAIRS = 3
"""Fewest pairs a correlation is computed from: two points are always on a line."""

NOISE = 1e-12
"""Spread, relative to the largest value, under which floating-point noise is all there is."""

FloatArray = NDArray[np.float64]


class UndefinedCorrelationError(TandemError):
    """The data do not define a correlation (too few pairs, a constant side, not finite)."""


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r of two sequences of n numbers; refused where it is undefined."""
    return float(pearson_rows(*checked(x, y)))


def pearson_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r along the last axis: shapes (..., n) to (...); NaN where a side is constant."""
    return np.clip(np.sum(standardised(x) * standardised(y), axis=-1), -1.0, 1.0)


def spearman_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rho along the last axis: shapes (..., n) to (...); NaN where undefined."""
    return pearson_rows(ranks(x), ranks(y))


def checked(*samples: ArrayLike) -> list[FloatArray]:
    """Return the samples as arrays; refuse one that has no correlation, and say why."""
    arrays = [np.asarray(sample, dtype=np.float64) for sample in samples]
    if problem := next(_problems(arrays), None):
        raise UndefinedCorrelationError(problem)
    return arrays


def _problems(arrays: Sequence[FloatArray]) -> Iterator[str]:
    sizes = sorted({len(array) for array in arrays})
    if len(sizes) > 1:
        yield f"samples of different lengths ({', '.join(map(str, sizes))}): pair them first"
    if sizes[0] < MINIMUM_PAIRS:
        yield f"{sizes[0]} pairs: at least {MINIMUM_PAIRS} are needed for a correlation"
    for number, array in enumerate(arrays, start=1):
        if not np.isfinite(array).all():
            yield f"variable {number} holds NaN or infinite values: remove those items"
        if is_constant(array):
            yield (f"variable {number} is constant ({array[0]:g} throughout): its correlation is "
                   "undefined; check what produced it")  # fmt: skip


def is_constant(values: FloatArray) -> bool:
    """Whether values, shape (n,), differ by no more than floating-point noise."""
    return bool(np.ptp(values) <= NOISE * np.max(np.abs(values)))


def ranks(values: FloatArray) -> FloatArray:
    """Ranks along the last axis, ties given their mean."""
    # here, since it takes a second to import and most jobs correlate no ranks
    from scipy.stats import rankdata

    return rankdata(values, axis=-1)


def standardised(values: FloatArray) -> FloatArray:
    """Centre along the last axis and scale to length 1; NaN where the values are constant."""
    centred = values - values.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    floor = NOISE * np.max(np.abs(values), axis=-1, keepdims=True)
    return centred / np.where(length > floor, length, np.nan)
