"""Permutation tests against all permutations, and corrections by hand."""

import itertools

import numpy as np
import pytest

from tandem.statistics import permutation
from tandem.statistics.correlation import spearman_rows


def test_permutation_p_approaches_the_exact_one():
    outcome, feature = [1, 2, 3, 4, 5], [1, 3, 2, 5, 4]
    rho = spearman_rows(np.array(outcome), np.array(feature))
    exact = np.mean(
        [
            abs(spearman_rows(np.array(order), np.array(feature))) >= rho - 1e-12
            for order in itertools.permutations(outcome)
        ]
    )
    result = permutation.permutation_test([feature], outcome, 20_000, 0)
    assert result.statistic[0] == pytest.approx(rho)
    assert result.p[0] == pytest.approx(exact, abs=0.01)
    assert result.p_corrected[0] == result.p[0]


def test_max_t_corrects_for_distinct_features_and_not_for_repeated_ones():
    rng = np.random.default_rng(0)
    outcome = rng.normal(size=25)
    signal = outcome + rng.normal(size=25)
    repeated = permutation.permutation_test([signal, signal**3], outcome, 2000, 1)
    np.testing.assert_array_equal(repeated.p, repeated.p_corrected)
    noise = rng.normal(size=(20, 25))
    many = permutation.permutation_test([signal, *noise], outcome, 2000, 1)
    assert many.p[0] < many.p_corrected[0] <= 21 * many.p[0]
    assert (many.p_corrected >= many.p).all()
    assert many.p_corrected.min() >= 1 / 2001


def test_holm_by_hand():
    # Sorted .01 .02 .04 times 3 2 1: .03 .04 .04; the cap and the running maximum below
    np.testing.assert_allclose(permutation.holm([0.04, 0.01, 0.02]), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(permutation.holm([0.03, 0.03, 0.9]), [0.09, 0.09, 0.9])
    np.testing.assert_allclose(permutation.holm([0.6, 0.7]), [1.0, 1.0])
