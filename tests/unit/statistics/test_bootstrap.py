"""Bootstrap draws against plain loops."""

import numpy as np
import pytest
import scipy.stats

from tandem.statistics import blocks, bootstrap, correlation


def loop_draws(gold, score, resamples, seed):
    """The bootstrap in its plainest form."""
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(resamples):
        index = rng.integers(len(gold), size=len(gold))
        g, s = np.asarray(gold)[index], np.asarray(score)[index]
        flat = len(set(g)) == 1 or len(set(s)) == 1
        draws.append(0.0 if flat else scipy.stats.pearsonr(g, s).statistic)
    return np.array(draws)


def test_bootstrap_pearson_equals_a_direct_loop():
    gold, score = [0.0, 1.0, 2.0, 5.0], [0.1, 0.5, 0.2, 0.9]
    expected = loop_draws(gold, score, 300, 7)
    assert (expected == 0).any()  # this seed draws constant resamples too
    draws = bootstrap.bootstrap_pearson(gold, [score], 300, np.random.default_rng(7))
    np.testing.assert_allclose(draws[:, 0], expected, atol=1e-10)
    interval = bootstrap.bootstrap(correlation.pearson_rows, (gold, score), 300, 7)
    low, high = np.quantile(expected, [0.025, 0.975])
    assert interval.estimate == pytest.approx(correlation.pearson(gold, score))
    assert (interval.low, interval.high) == pytest.approx((low, high))


def test_bootstrap_does_not_depend_on_the_block_size(monkeypatch):
    rng = np.random.default_rng(1)
    gold, scores = rng.normal(size=11), rng.normal(size=(2, 11))
    whole = bootstrap.bootstrap_pearson(gold, scores, 100, np.random.default_rng(3))
    monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", 50)
    parts = bootstrap.bootstrap_pearson(gold, scores, 100, np.random.default_rng(3))
    np.testing.assert_allclose(parts, whole, atol=1e-12)


def test_a_system_meets_the_same_resamples_alone_and_among_others():
    rng = np.random.default_rng(1)
    gold, scores = rng.normal(size=30), rng.normal(size=(3, 30))
    together = bootstrap.bootstrap_pearson(gold, scores, 50, np.random.default_rng(3))
    alone = bootstrap.bootstrap_pearson(gold, scores[2:], 50, np.random.default_rng(3))
    np.testing.assert_allclose(together[:, 2:], alone, atol=1e-12)


def test_a_constant_system_correlates_zero_in_every_resample():
    rng = np.random.default_rng(0)
    draws = bootstrap.bootstrap_pearson([1.0, 2.0, 3.0, 4.0], [[1.0] * 4], 20, rng)
    assert (draws == 0).all()


def test_the_interval_of_a_difference_is_narrower_than_those_of_its_sides():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    first = gold + rng.normal(size=200)
    second = first + 0.1 * rng.normal(size=200)
    draws = bootstrap.bootstrap_pearson(gold, [first, second], 500, np.random.default_rng(0))
    paired, alone = np.quantile([draws[:, 0] - draws[:, 1], draws[:, 0]], [0.025, 0.975], axis=1).T
    assert np.diff(paired) < 0.5 * np.diff(alone)
