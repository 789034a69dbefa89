"""Draws of items that come in groups."""

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.tasks.groups import GROUPS, drawn_means, drawn_times, group_count


def grouped(**groups):
    """Items of random values with these groups, by name."""
    random = np.random.default_rng(1)
    values = {name: random.random(len(numbers)) for name, numbers in groups.items()}
    return values | {f"{name}{GROUPS}": np.asarray(numbers) for name, numbers in groups.items()}


def test_a_resample_has_whole_groups_the_same_ones_of_all_items():
    items = grouped(en=[4, 1, 4, 9], de=[9, 4, 1])
    times = drawn_times([items], ["en", "de"], 50, 1)
    assert times["en"].shape == (50, 4) and group_count(items, ["en", "de"]) == 3
    assert np.array_equal(times["en"][:, 0], times["en"][:, 2])
    assert np.array_equal(times["en"][:, [3, 0, 1]], times["de"])
    assert (times["de"].sum(1) == 3).all()  # as many groups as there are
    assert np.array_equal(times["en"], drawn_times([items], ["en", "de"], 50, 1)["en"])
    assert not np.array_equal(times["en"], drawn_times([items], ["en", "de"], 50, [1, 2])["en"])
    with pytest.raises(TandemError, match="judged different items"):
        drawn_times([items, grouped(en=[4, 1, 9, 9], de=[9, 4, 1])], ["en", "de"], 5, 1)


def test_three_items_that_always_agree_are_one():
    single = np.random.default_rng(1).integers(0, 2, 80).astype(float)
    tripled, spread = np.repeat(single, 3), []
    for values, numbers in (
        (single, np.arange(80)), (tripled, np.repeat(np.arange(80), 3)), (tripled, np.arange(240)),
    ):  # fmt: skip
        items = {"x": values, f"x{GROUPS}": numbers}
        times = drawn_times([items], ["x"], 4000, 2)["x"]
        spread.append(drawn_means([items], "x", times).std())
    assert spread[1] == pytest.approx(spread[0])
    assert spread[1] == pytest.approx(spread[2] * 3**0.5, rel=0.05)


def test_a_mean_counts_items_of_unequal_groups():
    items = {"x": np.array([1.0, 1.0, 1.0, 0.0]), f"x{GROUPS}": np.array([0, 0, 0, 1])}
    means = drawn_means([items], "x", drawn_times([items], ["x"], 200, 1)["x"])
    assert {*means[0].tolist()} == {0.0, 0.75, 1.0}
