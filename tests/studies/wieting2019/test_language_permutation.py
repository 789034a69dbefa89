"""Permutation tests against all permutations."""

import itertools

import numpy as np
import pytest

from tandem.statistics import bootstrap
from tandem.statistics.correlation import spearman_rows
from wieting2019.languages import permutation


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


def test_p_does_not_depend_on_the_block_size(monkeypatch):
    rng = np.random.default_rng(1)
    outcome, features = rng.normal(size=11), rng.normal(size=(2, 11))
    whole = permutation.permutation_test(features, outcome, 100, 3)
    monkeypatch.setattr(bootstrap, "BLOCK_ELEMENTS", 50)
    parts = permutation.permutation_test(features, outcome, 100, 3)
    np.testing.assert_array_equal(parts.p, whole.p)
