"""Correlations against hand-computed numbers and scipy."""

import numpy as np
import pytest
import scipy.stats

from tandem.statistics import correlation as statistics
from tandem.statistics.correlation import UndefinedCorrelationError

X = [1.0, 2.0, 3.0, 4.0]
Y = [1.0, 3.0, 2.0, 4.0]


def spearman(x, y):
    return float(statistics.spearman_rows(np.array(x, float), np.array(y, float)))


def test_pearson_and_spearman_by_hand():
    # Centred: (-1.5, -.5, .5, 1.5) and (-1.5, .5, -.5, 1.5): 4 / 5
    assert statistics.pearson(X, Y) == pytest.approx(0.8)
    assert spearman([10, 200, 30, 4000], [1, 3, 2, 4]) == pytest.approx(1.0)
    # Ties: ranks of (1, 1, 2) are (1.5, 1.5, 3); with (1, 2, 3): 1.5 / sqrt(1.5 * 2)
    assert spearman([1, 1, 2], [5, 6, 7]) == pytest.approx(1.5 / np.sqrt(3))
    assert spearman(X, [2, 1, 4, 3]) == pytest.approx(0.6)
    assert spearman(Y, [2, 1, 4, 3]) == pytest.approx(0.0, abs=1e-12)


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
    with pytest.raises(UndefinedCorrelationError, match=message):
        statistics.pearson(x, y)


def test_rows_agree_with_scipy_and_give_nan_where_constant():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (6, 12)).astype(float), rng.normal(size=(6, 12))
    x[2] = 3.0
    pearson, spearman = statistics.pearson_rows(x, y), statistics.spearman_rows(x, y)
    assert np.isnan(pearson[2]) and np.isnan(spearman[2])
    for row in (0, 1, 3, 4, 5):
        assert pearson[row] == pytest.approx(scipy.stats.pearsonr(x[row], y[row]).statistic)
        assert spearman[row] == pytest.approx(scipy.stats.spearmanr(x[row], y[row]).statistic)
