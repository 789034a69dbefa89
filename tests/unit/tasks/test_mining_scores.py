"""Thresholds carried from one part to the other, and what bootstrap draws must agree on."""

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.search.exact import search
from tandem.search.margins import Retrieval, Score
from tandem.tasks.mining_counts import SourceCounts, f1_draws, read_counts, write_counts
from tandem.tasks.mining_scores import Method, score_mining

COSINE = Method(Score.COSINE, Retrieval.FORWARD)


def at(*degrees):
    """Unit vectors at these angles."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture
def parts():
    # training: gold at 5 degrees, wrong ones at 20; test: right at 4, wrong at 3, missed at 10
    training = search(at(0, 90, 180), at(5, 110, 200), 1), [(0, 0)]
    test = search(at(0, 90, 180), at(4, 93, 190), 1), [(0, 0), (2, 2)]
    return training, test


def test_the_threshold_of_the_training_part_is_applied_to_the_test_part(parts):
    scores, counts = score_mining(*parts, [COSINE], resamples=200, seed=1)
    row = scores["methods"][0]
    assert row["threshold"] == pytest.approx(np.cos(np.radians(5)), abs=1e-6)
    assert row["training"]["f1"] == 100.0
    assert row["test"]["precision"] == 50.0
    assert row["test"]["recall"] == 50.0
    assert row["test"]["f1"] == 50.0
    assert row["test"]["f1_low"] == 0.0
    assert 50.0 < row["test"]["f1_high"] <= 100.0
    assert counts.correct.tolist() == [[1, 0, 0]]
    assert counts.proposed.tolist() == [[1, 1, 0]]
    assert counts.gold.tolist() == [1, 0, 1]


def test_every_method_gets_a_row_in_the_order_asked_for(parts):
    methods = [Method(score, way) for score in Score for way in Retrieval]
    scores, counts = score_mining(*parts, methods, resamples=10, seed=1)
    assert [(r["score"], r["retrieval"]) for r in scores["methods"]] == [
        (str(m.score), str(m.retrieval)) for m in methods
    ]
    assert counts.correct.shape == (len(methods), 3)


def random_counts(seed):
    rng = np.random.default_rng(seed)
    proposed = rng.integers(0, 2, (2, 50))
    gold = np.random.default_rng(0).integers(0, 2, 50)
    return SourceCounts(proposed * gold * rng.integers(0, 2, (2, 50)), proposed, gold)


def test_draws_centre_on_the_estimate_and_equal_methods_meet_equal_resamples():
    one, other = random_counts(1), random_counts(2)
    draws = f1_draws([one, other, one], resamples=2000, seed=3)
    assert draws.shape == (3, 2, 2000)
    np.testing.assert_array_equal(draws[0], draws[2])
    estimate = 200 * one.correct.sum(1) / (one.proposed.sum(1) + one.gold.sum())
    np.testing.assert_allclose(draws[0].mean(1), estimate, atol=1.0)
    assert draws[0].std() > 1


def test_draws_refuse_systems_of_different_tasks():
    other = random_counts(2)
    changed = SourceCounts(other.correct, other.proposed, 1 - other.gold)
    with pytest.raises(TandemError, match="different tasks"):
        f1_draws([random_counts(1), changed], resamples=10, seed=1)


def test_nothing_proposed_and_nothing_to_find_is_zero():
    nothing = SourceCounts(*np.zeros((2, 1, 4), np.int64), np.zeros(4, np.int64))
    assert f1_draws([nothing], resamples=5, seed=1).tolist() == [[[0.0] * 5]]


def test_counts_are_read_as_written_and_written_alike(tmp_path):
    for name in ("one", "two"):
        write_counts(tmp_path / name, random_counts(1))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    read = read_counts(tmp_path / "one")
    np.testing.assert_array_equal(read.correct, random_counts(1).correct)
    np.testing.assert_array_equal(read.gold, random_counts(1).gold)
