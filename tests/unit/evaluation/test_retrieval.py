"""P@k by hand, its interval, and the two directions."""

from __future__ import annotations

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.evaluation.retrieval import evaluate_retrieval, precision_at


def test_precision_by_hand() -> None:
    indices = np.array([[0, 1], [0, 1], [5, 6], [3, 9]])
    scores = precision_at(indices, np.arange(4), [1, 2], seed=0)
    assert scores[1].estimate == 50
    assert scores[2].estimate == 75


def test_interval_of_half_of_a_hundred() -> None:
    indices = np.where(np.arange(100) < 50, np.arange(100), -1)[:, None]
    interval = precision_at(indices, np.arange(100), [1], seed=1, resamples=50_000)[1]
    # binomial(100, .5): the central 95% is 40 to 60
    assert (interval.low, interval.high) == (40, 60)
    sure = precision_at(np.arange(9)[:, None], np.arange(9), [1], seed=1)[1]
    assert (sure.low, sure.estimate, sure.high) == (100, 100, 100)


def test_directions_differ() -> None:
    # y1 is the nearest of both sources; each target's nearest source is its own
    source = np.array([[1.0, 0.0], [0.8, 0.6]])
    target = np.array([[0.6, -0.8], [0.9, 0.45]])
    result = evaluate_retrieval(source, target, [1, 2], seed=0)
    assert result.queries == 2
    assert [result.forward[k].estimate for k in (1, 2)] == [50, 100]
    assert [result.backward[k].estimate for k in (1, 2)] == [100, 100]


def test_further_targets_are_candidates_only() -> None:
    source, more = np.eye(3), np.concatenate([np.eye(3), np.eye(3) * 2, -np.eye(3)])
    result = evaluate_retrieval(source, more, seed=0)
    assert result.queries == 3
    assert result.forward[1].estimate == 100  # the equal copy has the higher index
    assert result.backward[1].estimate == 100
    with pytest.raises(TandemError, match="Row i must translate row i"):
        evaluate_retrieval(more, source, seed=0)


def test_nothing_to_judge_is_refused() -> None:
    with pytest.raises(TandemError, match="one list per answer"):
        precision_at(np.zeros((0, 1)), np.zeros(0), [1], seed=0)
