"""Resampled families and permutations among kin, by hand or against all orders."""

import itertools

import numpy as np
import pytest

from tandem.statistics import blocks
from tandem.statistics.correlation import spearman_rows
from wieting2019.methods.kinship import (
    Sample,
    in_company,
    permuted_within,
    weighted_spearman,
)


def test_weights_are_repetitions() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, (2, 12)).astype(float)
    weights = rng.integers(0, 4, (5, 12))
    found = weighted_spearman(x, y, weights.astype(float))
    for row, rho in zip(weights, found, strict=True):
        assert rho == pytest.approx(spearman_rows(np.repeat(x, row), np.repeat(y, row)))


def test_with_strata_only_differences_within_them_count() -> None:
    # within each stratum y falls as x rises; between them both rise
    x, y = np.array([1.0, 2, 3, 11, 12, 13]), np.array([3.0, 2, 1, 13, 12, 11])
    strata, once = list("aaabbb"), np.ones((1, 6))
    assert weighted_spearman(x, y, once)[0] == pytest.approx(1 - 6 * 16 / (6 * 35))
    assert weighted_spearman(x, y, once, strata)[0] == pytest.approx(-1)
    assert np.isnan(weighted_spearman(np.array([1.0, 1, 1, 2, 2, 2]), y, once, strata)[0])


def test_families_are_drawn_whole() -> None:
    sample = Sample(["a", "b", "a", "c", "b"], 500, 1)
    assert sample.families == 3
    assert (sample.weights[0] == 1).all()
    assert (sample.weights[:, 0] == sample.weights[:, 2]).all()
    drawn = sample.weights[1:, [0, 1, 3]]
    assert set(drawn.sum(axis=1)) == {3}
    np.testing.assert_allclose(drawn.mean(axis=0), 1, atol=0.1)


def test_the_error_of_a_mean_is_that_of_independent_families() -> None:
    # of a mean the error is known: s / sqrt(families)
    values = np.random.default_rng(2).normal(size=20)
    sample = Sample([str(number) for number in range(20)], 20_000, 1)
    means = sample.weights @ values / sample.weights.sum(axis=1)
    estimate = sample.estimate(means)
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.error == pytest.approx(values.std(ddof=1) / np.sqrt(20), rel=0.03)
    assert estimate.freedom == 19


def test_kin_that_repeat_each_other_add_no_certainty() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 12))
    one = Sample([str(number) for number in range(12)], 2000, 1)
    kin = Sample([str(number) for number in range(12) for _ in range(4)], 2000, 1)
    alone = one.estimate(one.rho(x, y))
    together = kin.estimate(kin.rho(np.repeat(x, 4), np.repeat(y, 4)))
    assert together.error == pytest.approx(alone.error, rel=0.02)
    assert together.p(0) == pytest.approx(alone.p(0), abs=0.02)


def test_a_single_family_proves_nothing() -> None:
    sample = Sample(["a"] * 9, 50, 1)
    estimate = sample.estimate(sample.rho(np.arange(9.0), np.arange(9.0)))
    assert (estimate.value, estimate.p(0)) == (1, 1)


def test_under_independence_of_families_p_is_not_too_small() -> None:
    # features and outcomes that families have in common, and no relation between them
    rng = np.random.default_rng(4)
    families = [str(number) for number in range(20) for _ in range(1 + number % 4)]
    index, rejected, naive = np.array(families, dtype=int), 0, 0
    for _ in range(200):
        x, y = (rng.normal(size=20)[index] + 0.3 * rng.normal(size=50) for _ in range(2))
        sample = Sample(families, 200, 1)
        rejected += sample.estimate(sample.rho(x, y)).p(0) < 0.05
        naive += permuted_within(x, y, ["all"] * 50, 200, 1) < 0.05
    assert rejected <= 20  # 5% of 200, and chance
    assert naive > 40  # languages taken as independent


def test_permutation_within_strata_approaches_the_exact_p() -> None:
    x, y = np.array([1.0, 2, 3, 4, 10, 11, 12]), np.array([1.0, 3, 2, 4, 12, 10, 11])
    strata, once = list("aaaabbb"), np.ones((1, 7))
    observed = weighted_spearman(x, y, once, strata)[0]
    every = [
        weighted_spearman(x, np.array([*first, *second]), once, strata)[0]
        for first in itertools.permutations(y[:4])
        for second in itertools.permutations(y[4:])
    ]
    exact = np.mean(np.abs(every) >= abs(observed) - 1e-12)
    assert permuted_within(x, y, strata, 20_000, 0) == pytest.approx(exact, abs=0.01)


def test_what_only_strata_explain_is_not_found_within_them() -> None:
    rng = np.random.default_rng(5)
    strata = ["a"] * 15 + ["b"] * 15
    shift = np.repeat([0.0, 5.0], 15)
    x, y = (shift + rng.normal(size=30) for _ in range(2))
    assert permuted_within(x, y, ["all"] * 30, 999, 1) == 0.001
    assert permuted_within(x, y, strata, 999, 1) > 0.05
    assert permuted_within(x, x + 0.1 * y, strata, 999, 1) == 0.001


def test_p_does_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 11))
    whole = permuted_within(x, y, list("aaaabbbbccc"), 100, 3)
    monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", 50)
    assert permuted_within(x, y, list("aaaabbbbccc"), 100, 3) == whole


def test_the_lone_members_of_a_stratum_are_told() -> None:
    assert in_company(["a", "b", "a", "c"]).tolist() == [True, False, True, False]
