"""Draws of items that come in groups."""

import numpy as np
import pytest

from tandem.statistics.groups import group_sums, resampled_means, resampled_sums


def test_a_resample_has_whole_groups():
    groups = np.array(["b", "a", "b", "c"])
    values = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0], [8.0, 80.0]])
    assert group_sums(groups, values).tolist() == [[2, 20], [5, 50], [8, 80]]
    drawn = resampled_sums(groups, values, 50, np.random.default_rng(1))
    assert drawn.shape == (50, 2) and np.array_equal(10 * drawn[:, 0], drawn[:, 1])
    # three groups of 5, 2 and 8
    possible = {a + b + c for a in (5, 2, 8) for b in (5, 2, 8) for c in (5, 2, 8)}
    assert {*drawn[:, 0].tolist()} <= possible
    again = resampled_sums(groups, values, 50, np.random.default_rng(1))
    assert np.array_equal(drawn, again)


def test_three_items_that_always_agree_are_one():
    rng = np.random.default_rng(1)
    single = rng.integers(0, 2, (80, 1)).astype(float)
    tripled, numbers = np.repeat(single, 3, axis=0), np.repeat(np.arange(80), 3)
    spread = [
        resampled_means(groups, values, 4000, np.random.default_rng(2)).std()
        for groups, values in (
            (np.arange(80), single), (numbers, tripled), (np.arange(240), tripled),
        )
    ]  # fmt: skip
    assert spread[1] == pytest.approx(spread[0])
    assert spread[1] == pytest.approx(spread[2] * 3**0.5, rel=0.05)


def test_a_mean_counts_items_of_unequal_groups():
    groups, values = np.array([0, 0, 0, 1]), np.array([[1.0], [1.0], [1.0], [0.0]])
    means = resampled_means(groups, values, 200, np.random.default_rng(1))
    assert {*means[:, 0].tolist()} == {0.0, 0.75, 1.0}
