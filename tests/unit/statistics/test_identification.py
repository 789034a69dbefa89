"""What tells labelled pairs apart, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn import metrics

from tandem.errors import TandemError
from tandem.statistics.identification import (
    Ranked,
    area,
    average_precision,
    best_accuracy,
    drawn_figures,
    equal_error,
    f1,
)


def drawn(seed, ties=False):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=80)
    scores = rng.normal(size=80) + labels
    return (scores.round() if ties else scores), labels


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_library(seed, ties):
    scores, labels = drawn(seed, ties)
    assert area(scores, labels) == pytest.approx(metrics.roc_auc_score(labels, scores))
    expected = metrics.average_precision_score(labels, scores)
    assert average_precision(scores, labels) == pytest.approx(expected)
    threshold, share = best_accuracy(scores, labels)
    predicted = scores >= threshold
    assert share == pytest.approx(metrics.accuracy_score(labels, predicted))
    every = [np.mean((scores >= t) == labels) for t in [*scores, np.inf]]
    assert share == pytest.approx(max(every))
    assert f1(predicted, labels) == pytest.approx(metrics.f1_score(labels, predicted))
    false, true, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    error = equal_error(scores, labels)
    steps = zip(false, false[1:], 1 - true, (1 - true)[1:], strict=False)
    # the point of equal errors is on a step of the curve
    assert any(a - 1e-9 <= error <= b + 1e-9 and d - 1e-9 <= error <= c + 1e-9
               for a, b, c, d in steps)  # fmt: skip


def test_figures_of_resamples_are_those_of_their_pairs():
    scores, labels = drawn(1, ties=True)
    ranked = Ranked(scores, labels)
    for seed in range(5):
        times = np.random.default_rng(seed).integers(3, size=80)
        some, truth = np.repeat(scores, times), np.repeat(labels, times)
        for threshold in (-9.0, 0.5, 1.0, 9.0):  # between two scores, at one, and beyond all
            told = some >= threshold
            expected = [np.mean(told == truth), f1(told, truth), average_precision(some, truth),
                        area(some, truth), equal_error(some, truth)]  # fmt: skip
            assert ranked.figures(threshold, times) == pytest.approx(expected)


def test_groups_are_drawn_whole():
    """Of pairs that stand twice there is as much to know as of each once."""
    scores, labels = drawn(2)
    twice = np.repeat(scores, 2), np.repeat(labels, 2)
    once = drawn_figures(Ranked(scores, labels), 0.5, np.arange(80), 300, 1)
    whole = drawn_figures(Ranked(*twice), 0.5, np.arange(160) // 2, 300, 1)
    apart = drawn_figures(Ranked(*twice), 0.5, np.arange(160), 300, 1)
    np.testing.assert_allclose(whole, once)
    assert np.all(apart.std(axis=0) < 0.85 * whole.std(axis=0))


def test_the_threshold_is_in_the_middle():
    assert best_accuracy(np.array([0.2, 0.8]), np.array([0, 1])) == (pytest.approx(0.5), 1.0)
    # one label alone: all or nothing is taken
    threshold, share = best_accuracy(np.array([0.2, 0.8]), np.array([1, 1]))
    assert threshold <= 0.2 and share == 1
    threshold, share = best_accuracy(np.array([0.2, 0.8]), np.array([0, 0]))
    assert threshold > 0.8 and share == 1


def test_equal_scores_are_not_told_apart():
    scores, labels = np.zeros(4), np.array([1, 0, 1, 0])
    assert best_accuracy(scores, labels)[1] == 0.5
    assert area(scores, labels) == 0.5 and equal_error(scores, labels) == pytest.approx(0.5)


def test_nothing_is_refused():
    with pytest.raises(TandemError, match="no labelled pairs"):
        best_accuracy(np.zeros(0), np.zeros(0, int))
    with pytest.raises(TandemError, match="no finite number"):
        best_accuracy(np.array([np.nan]), np.array([1]))
