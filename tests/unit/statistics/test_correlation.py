"""Correlations, bootstraps and corrections, against hand-computed numbers and plain loops."""

import itertools

import numpy as np
import pytest
import scipy.stats

from tandem.statistics import correlation as statistics
from tandem.statistics.correlation import UndefinedCorrelationError

X = [1.0, 2.0, 3.0, 4.0]
Y = [1.0, 3.0, 2.0, 4.0]


def test_pearson_and_spearman_by_hand():
    # Centred: (-1.5, -.5, .5, 1.5) and (-1.5, .5, -.5, 1.5): 4 / 5
    assert statistics.pearson(X, Y) == pytest.approx(0.8)
    assert statistics.spearman([10, 200, 30, 4000], [1, 3, 2, 4]) == pytest.approx(1.0)
    # Ties: ranks of (1, 1, 2) are (1.5, 1.5, 3); with (1, 2, 3): 1.5 / sqrt(1.5 * 2)
    assert statistics.spearman([1, 1, 2], [5, 6, 7]) == pytest.approx(1.5 / np.sqrt(3))


def test_partial_spearman_by_hand():
    # rho(x,y) = .8; z = (2, 1, 4, 3): rho(x,z) = .6, rho(y,z) = 0
    z = [2, 1, 4, 3]
    assert statistics.spearman(X, z) == pytest.approx(0.6)
    assert statistics.spearman(Y, z) == pytest.approx(0.0, abs=1e-12)
    assert statistics.partial_spearman(X, Y, z) == pytest.approx((0.8 - 0) / np.sqrt(1 - 0.36))


def test_partial_spearman_refuses_a_control_that_repeats_a_variable():
    with pytest.raises(UndefinedCorrelationError, match="another control"):
        statistics.partial_spearman(X, Y, [10, 20, 30, 40])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1, 1, 1], [1, 2, 3], "variable 1 is constant"),
        ([1, 2, 3], [0, 0, 0], "variable 2 is constant"),
        ([0.1 + 0.2, 0.3, 0.3], [1, 2, 3], "variable 1 is constant"),
        ([1, 2], [1, 2], "2 pairs: at least 3"),
        ([1, 2, 3], [1, 2, 3, 4], "different lengths"),
        ([1, 2, float("nan")], [1, 2, 3], "NaN or infinite"),
    ],
)
def test_data_without_a_correlation_are_refused(x, y, message):
    for function in (statistics.pearson, statistics.spearman):
        with pytest.raises(UndefinedCorrelationError, match=message):
            function(x, y)


def test_rows_agree_with_scipy_and_give_nan_where_constant():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (6, 12)).astype(float), rng.normal(size=(6, 12))
    x[2] = 3.0
    pearson, spearman = statistics.pearson_rows(x, y), statistics.spearman_rows(x, y)
    assert np.isnan(pearson[2]) and np.isnan(spearman[2])
    for row in (0, 1, 3, 4, 5):
        assert pearson[row] == pytest.approx(scipy.stats.pearsonr(x[row], y[row]).statistic)
        assert spearman[row] == pytest.approx(scipy.stats.spearmanr(x[row], y[row]).statistic)


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
    draws = statistics.bootstrap_pearson(gold, [score], 300, np.random.default_rng(7))
    np.testing.assert_allclose(draws[:, 0], expected, atol=1e-10)
    interval = statistics.bootstrap(statistics.pearson_rows, (gold, score), 300, 7)
    low, high = np.quantile(expected, [0.025, 0.975])
    assert interval.estimate == pytest.approx(statistics.pearson(gold, score))
    assert (interval.low, interval.high) == pytest.approx((low, high))


def test_bootstrap_does_not_depend_on_the_block_size(monkeypatch):
    rng = np.random.default_rng(1)
    gold, scores = rng.normal(size=11), rng.normal(size=(2, 11))
    whole = statistics.bootstrap_pearson(gold, scores, 100, np.random.default_rng(3))
    tests = statistics.permutation_test(scores, gold, 100, 3)
    monkeypatch.setattr(statistics, "_BLOCK_ELEMENTS", 50)
    parts = statistics.bootstrap_pearson(gold, scores, 100, np.random.default_rng(3))
    np.testing.assert_allclose(parts, whole, atol=1e-12)
    np.testing.assert_array_equal(statistics.permutation_test(scores, gold, 100, 3).p, tests.p)


def test_a_system_meets_the_same_resamples_alone_and_among_others():
    rng = np.random.default_rng(1)
    gold, scores = rng.normal(size=30), rng.normal(size=(3, 30))
    together = statistics.bootstrap_pearson(gold, scores, 50, np.random.default_rng(3))
    alone = statistics.bootstrap_pearson(gold, scores[2:], 50, np.random.default_rng(3))
    np.testing.assert_allclose(together[:, 2:], alone, atol=1e-12)


def test_a_constant_system_correlates_zero_in_every_resample():
    draws = statistics.bootstrap_pearson(X, [[1.0] * 4], 20, np.random.default_rng(0))
    assert (draws == 0).all()


def test_paired_difference_of_a_system_with_itself_is_exactly_zero():
    rng = np.random.default_rng(0)
    gold, score = rng.normal(size=40), rng.normal(size=40)
    interval = statistics.paired_difference(gold, score, score, 100, 0)
    assert (interval.estimate, interval.low, interval.high) == (0, 0, 0)


def test_paired_difference_is_narrower_than_the_two_intervals():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    first = gold + rng.normal(size=200)
    second = first + 0.1 * rng.normal(size=200)
    paired = statistics.paired_difference(gold, first, second, 500, 0)
    alone = statistics.bootstrap(statistics.pearson_rows, (gold, first), 500, 0)
    expected = statistics.pearson(gold, first) - statistics.pearson(gold, second)
    assert paired.estimate == pytest.approx(expected)
    assert paired.low < paired.estimate < paired.high
    assert paired.high - paired.low < 0.5 * (alone.high - alone.low)


def test_permutation_p_approaches_the_exact_one():
    outcome, feature = [1, 2, 3, 4, 5], [1, 3, 2, 5, 4]
    rho = statistics.spearman(outcome, feature)
    exact = np.mean(
        [
            abs(statistics.spearman(order, feature)) >= rho - 1e-12
            for order in itertools.permutations(outcome)
        ]
    )
    result = statistics.permutation_test([feature], outcome, 20_000, 0)
    assert result.statistic[0] == pytest.approx(rho)
    assert result.p[0] == pytest.approx(exact, abs=0.01)
    assert result.p_corrected[0] == result.p[0]


def test_max_t_corrects_for_distinct_features_and_not_for_repeated_ones():
    rng = np.random.default_rng(0)
    outcome = rng.normal(size=25)
    signal = outcome + rng.normal(size=25)
    repeated = statistics.permutation_test([signal, signal**3], outcome, 2000, 1)
    np.testing.assert_array_equal(repeated.p, repeated.p_corrected)
    noise = rng.normal(size=(20, 25))
    many = statistics.permutation_test([signal, *noise], outcome, 2000, 1)
    assert many.p[0] < many.p_corrected[0] <= 21 * many.p[0]
    assert (many.p_corrected >= many.p).all()
    assert many.p_corrected.min() >= 1 / 2001


def test_holm_by_hand():
    # Sorted .01 .02 .04 times 3 2 1: .03 .04 .04; the cap and the running maximum below
    np.testing.assert_allclose(statistics.holm([0.04, 0.01, 0.02]), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(statistics.holm([0.03, 0.03, 0.9]), [0.09, 0.09, 0.9])
    np.testing.assert_allclose(statistics.holm([0.6, 0.7]), [1.0, 1.0])
