"""Corrections of p-values for the number of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tandem.statistics.correlation import FloatArray


def holm(p: ArrayLike) -> FloatArray:
    """Holm's step-down correction of p-values, shape (tests,), for their number."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected
