"""Equivalence: two one-sided tests of a difference, against intervals and a simulation."""

from types import SimpleNamespace

import numpy as np
import pytest

from tandem.registry import ConfigurationError
from tandem.reporting.claim_test import Evidence
from tandem.reporting.claim_tests.equivalence import Equivalence
from tandem.reporting.scores import Cell

WHAT = {"task": "t", "unit": "u"}
SIDES = {name: {"experiment": f"{name}.x", **WHAT} for name in ("better", "worse")}
TEST = Equivalence.model_validate(SIDES)
ITEMS = 200


def a_plan():
    """Return what the test asks of a plan: nothing is pretrained, nothing translated."""
    return SimpleNamespace(
        experiments=lambda *_: [], scores=lambda *_: [],
        pretrained=lambda _: None, whole=str, single_translator=lambda _: None,
    )  # fmt: skip


def cell(values, draws):
    return Cell(np.array(values), draws, ITEMS, tuple(range(len(values))), "p_at_1_x100")


def measured(difference, spread, margin, resamples=400):
    """Two encoders of two seeds each, whose seeds spread alike and whose items do not vary."""
    seeds = np.array([-spread, spread])
    cells = {
        "better.x": cell(50 + difference + seeds, np.full((2, resamples), 50.0)),
        "worse.x": cell(50 + seeds, np.full((2, resamples), 50.0)),
    }
    plan = a_plan()
    scores = SimpleNamespace(cell=lambda experiment, *_: cells[experiment])
    return TEST.measure(Evidence(scores, {}, plan), margin)


@pytest.mark.parametrize("difference", [-3.0, -1.5, 0.0, 0.5, 1.9, 2.5])
def test_it_is_supported_where_the_interval_is_inside_the_margins(difference):
    found = measured(difference, 0.2, 2.0)
    inside = -2 < found.low and found.high < 2
    beyond = found.low > 2 or found.high < -2
    assert (found.p < 0.05) == (inside or beyond)
    assert TEST.holds(found.statistic, 2.0) == (abs(difference) < 2)
    assert found.test.endswith("; equivalent within 2, either way")


def test_both_ways_have_one_p():
    assert measured(-0.7, 0.3, 2.0).p == pytest.approx(measured(0.7, 0.3, 2.0).p)
    # of the two margins the nearer one, at 1.3
    assert measured(0.7, 0.3, 2.0).p == pytest.approx(measured(-0.7, 0.3, 2.0).p)
    assert measured(0.7, 0.3, 2.0).p > measured(0.0, 0.3, 2.0).p


def test_a_margin_is_above_0():
    with pytest.raises(ConfigurationError, match="is above 0"):
        measured(0.0, 0.1, 0.0)


def simulated(difference, margin, times=4000, seeds=5):
    """Return the shares of simulated pairs of encoders that are called equal, and unequal."""
    random, called = np.random.default_rng(0), []
    plan = a_plan()
    for _ in range(times):
        values = random.normal(size=(2, seeds)) + [[difference], [0.0]]
        cells = dict(zip(("better.x", "worse.x"), values, strict=True))
        scores = SimpleNamespace(cell=lambda name, *_, c=cells: cell(c[name], np.zeros((seeds, 2))))
        found = TEST.measure(Evidence(scores, {}, plan), margin)
        called.append((found.p < 0.05) * (1 if TEST.holds(found.statistic, margin) else -1))
    return np.mean(np.array(called) == 1), np.mean(np.array(called) == -1)


def test_it_errs_no_more_often_than_it_says():
    equal, unequal = simulated(2.0, 2.0)  # exactly at the margin: neither is true for sure
    assert equal == pytest.approx(0.025, abs=0.01)
    assert unequal == pytest.approx(0.025, abs=0.01)
    equal, unequal = simulated(0.0, 2.0)
    assert equal > 0.5 and unequal < 0.001
    equal, unequal = simulated(4.0, 2.0)
    assert equal < 0.001 and unequal > 0.5
