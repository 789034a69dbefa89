"""Bootstrap draws of items in groups, such as versions of one sentence, which are not independent.

Whole groups are resampled; items without groups are each a group of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tandem.statistics.correlation import FloatArray


def resampled_sums(
    groups: NDArray, values: FloatArray, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Return sums of values over resamples of their groups, (resamples, columns).

    A resample draws as many groups, with replacement, as there are, each with all its items. Equal
    states of `rng` give equal resamples of the same groups.

    Args:
        groups: (items,) the same for items of one group.
        values: (items, columns).
        resamples: how many.
        rng: draws them.
    """
    sums = group_sums(groups, values)
    equal = np.full(len(sums), 1 / len(sums))
    return np.array([rng.multinomial(len(sums), equal) @ sums for _ in range(resamples)])


def resampled_means(
    groups: NDArray, values: FloatArray, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Return means of values over items of resamples of their groups, as `resampled_sums`."""
    counted = np.column_stack([values, np.ones(len(groups))])
    sums = resampled_sums(groups, counted, resamples, rng)
    return sums[:, :-1] / sums[:, -1:]


def group_sums(groups: NDArray, values: FloatArray) -> FloatArray:
    """Return the sums of the values of each group, (groups, columns)."""
    names, places = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, places, values)
    return sums
