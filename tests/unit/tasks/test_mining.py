"""BUCC scoring by hand; thresholds carried from one part to the other; draws that compare."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.corpora.mining_task import write_task
from tandem.corpora.readers.bucc import MiningTask
from tandem.errors import TandemError
from tandem.search.margins import MinedPairs
from tandem.tasks.kinds.mining import best_threshold, figures, is_correct
from tandem.tasks.task import TASKS, read_items, write_items


def pairs(*rows):
    source, target, score = zip(*rows, strict=True)
    return MinedPairs(np.array(source), np.array(target), np.array(score, np.float64))


# right, wrong, right, then a tie of a right and a wrong one, wrong
MINED = pairs((0, 0, 0.9), (1, 7, 0.8), (2, 2, 0.7), (3, 3, 0.5), (4, 8, 0.5), (5, 9, 0.4))
GOLD = [(0, 0), (2, 2), (3, 3), (6, 6)]


def test_best_threshold_by_hand():
    # F1 at .9: 2/5; .8: 2/6; .7: 4/7 = .571; .5, both of the tie: 6/9 = .667; .4: 6/10
    assert best_threshold(MINED, GOLD) == (0.5, (3, 5, 4))
    found = figures(3, 5, 4)
    assert (found["precision"], found["recall"]) == (60, 75)
    assert found["f1"] == pytest.approx(200 / 3)


def test_ties_stand_or_fall_together():
    # taken alone the right one of the tie would give F1 = 1
    value, counts = best_threshold(pairs((0, 0, 0.9), (1, 1, 0.5), (2, 5, 0.5)), [(0, 0), (1, 1)])
    assert (value, counts) == (0.5, (2, 3, 2))


def test_of_equal_f1_the_highest_threshold():
    # .9: 2*1/(1+2) = 2/3; .5: 2*2/(4+2) = 2/3
    mined = pairs((0, 0, 0.9), (1, 5, 0.8), (2, 6, 0.7), (3, 3, 0.5))
    assert best_threshold(mined, [(0, 0), (3, 3)])[0] == 0.9


def test_no_gold_and_no_pairs_are_refused():
    with pytest.raises(TandemError, match="0 gold"):
        best_threshold(MINED, [])
    with pytest.raises(TandemError, match="0 pairs"):
        best_threshold(MINED.take(slice(0)), GOLD)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
def test_sweep_equals_trying_every_threshold(seed, n):
    rng = np.random.default_rng(seed)
    score = -np.sort(-rng.integers(0, 6, n) / 6)
    mined = MinedPairs(np.arange(n), np.arange(n), score)
    gold = [(i, i) for i in range(n) if rng.random() < 0.5] + [(99, 99)]
    tried = {}
    for value in set(score.tolist()):
        kept = mined.above(value)
        counts = int(is_correct(kept, gold).sum()), len(kept), len(gold)
        tried[value] = figures(*counts)["f1"], counts
    best = max(f1 for f1, _ in tried.values())
    value, counts = best_threshold(mined, gold)
    assert value == max(t for t, (f1, _) in tried.items() if f1 >= best - 1e-9)
    assert counts == tried[value][1]


class Angles:
    """A sentence is a number of degrees: a vector at that angle, not of length 1."""

    def encode(self, sentences, language=None, batch_size=1024):
        angles = np.radians([float(sentence) for sentence in sentences])
        return 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def part(source, target, gold):
    """Number the sentences of both sides."""
    sides = [
        {f"{prefix}-{row}": str(angle) for row, angle in enumerate(side)}
        for prefix, side in (("fr", source), ("en", target))
    ]
    return MiningTask(*sides, [(f"fr-{i}", f"en-{j}") for i, j in gold])


@pytest.fixture
def data(tmp_path):
    # training: gold at 5 degrees, wrong ones at 20; test: right at 4, wrong at 3, missed at 10
    parts = {
        "training": part((0, 90, 180), (5, 110, 200, 210), [(0, 0)]),
        "test": part((0, 90, 180), (4, 93, 190), [(0, 0), (2, 2)]),
    }
    write_task(tmp_path / "fr-en", "fr", parts, [])
    return {"mining": tmp_path / "fr-en"}


def mining(**settings):
    return TASKS.parse({"kind": "mining", **settings})


COSINE = {"scores": ["cosine"], "retrievals": ["forward"], "neighbours": 1}


def test_the_threshold_of_the_training_part_is_applied_to_the_test_part(data):
    task = mining(**COSINE)
    items = task.score(Angles(), data)
    assert items["correct"].tolist() == [[1, 0, 0]]
    assert items["proposed"].tolist() == [[1, 1, 0]]
    assert items["gold"].tolist() == [1, 0, 1]
    assert task.estimate(items, "cosine.forward") == 50
    assert task.count(items, "cosine.forward") == 3
    details = task.details(items)
    assert details["mining"] == "fr-en"
    assert details["neighbours"] == 1
    assert details["sentences"] == [3, 4, 3, 3]
    method = details["methods"]["cosine.forward"]
    assert method["threshold"] == pytest.approx(np.cos(np.radians(5)), abs=1e-6)
    assert method["training"] == {
        "precision": 100, "recall": 100, "f1": 100, "correct": 1, "proposed": 1, "gold": 1
    }  # fmt: skip
    assert (method["test"]["precision"], method["test"]["recall"]) == (50, 50)
    assert method["best"]["f1"] == 80  # with all three proposed


def test_every_method_is_a_unit_in_the_order_asked_for(data):
    scores, retrievals = ["distance", "yang-9", "cosine"], ["max", "backward"]
    task = mining(scores=scores, retrievals=retrievals)
    items = task.score(Angles(), data)
    assert task.units(items) == [f"{s}.{r}" for s in scores for r in retrievals]
    assert items["correct"].shape == (6, 3)


def test_too_little_memory_is_refused(data):
    with pytest.raises(TandemError, match="memory"):
        mining(**COSINE, memory_mb=8).score(Angles(), data)


def random_items(seed):
    rng = np.random.default_rng(seed)
    proposed = rng.integers(0, 2, (2, 50))
    gold = np.random.default_rng(0).integers(0, 2, 50)
    correct = proposed * gold * rng.integers(0, 2, (2, 50))
    return {"method": np.array(["a", "b"]), "correct": correct, "proposed": proposed, "gold": gold}


def test_draws_centre_on_the_estimate_and_systems_meet_equal_resamples():
    task, one, other = mining(), random_items(1), random_items(2)
    for unit in ("a", "b"):
        draws = task.draws([one, other, one], unit, resamples=2000, seed=3)
        assert draws.shape == (3, 2000)
        np.testing.assert_array_equal(draws[0], draws[2])
        # in another call too: else experiments that are compared would not be paired
        np.testing.assert_array_equal(draws[1], task.draws([other], unit, 2000, 3)[0])
        assert draws[0].mean() == pytest.approx(task.estimate(one, unit), abs=1)
        assert draws[1].mean() == pytest.approx(task.estimate(other, unit), abs=1)
        assert draws[0].std() > 1


def test_draws_have_the_spread_of_a_share():
    # every sentence has one proposed and one gold pair, so F1 is the share of right ones
    whole = np.ones(400, np.int64)
    items = {"method": np.array(["a"]), "correct": (np.arange(400) % 2)[None],
             "proposed": whole[None], "gold": whole}  # fmt: skip
    low, high = np.quantile(mining().draws([items], "a", 4000, 3)[0], [0.025, 0.975])
    half = 100 * 1.96 * np.sqrt(0.25 / 400)
    assert low == pytest.approx(50 - half, abs=0.5)
    assert high == pytest.approx(50 + half, abs=0.5)


def test_draws_refuse_systems_of_different_tasks():
    other = random_items(2)
    changed = other | {"gold": 1 - other["gold"]}
    with pytest.raises(TandemError, match="different tasks"):
        mining().draws([random_items(1), changed], "a", resamples=10, seed=1)


def test_nothing_proposed_and_nothing_to_find_is_zero():
    nothing = {"method": np.array(["a"]), "correct": np.zeros((1, 4), np.int64),
               "proposed": np.zeros((1, 4), np.int64), "gold": np.zeros(4, np.int64)}  # fmt: skip
    assert mining().estimate(nothing, "a") == 0
    assert mining().draws([nothing], "a", resamples=5, seed=1).tolist() == [[0.0] * 5]


def test_items_say_the_same_when_read_again(data, tmp_path):
    task = mining(**COSINE)
    items = task.score(Angles(), data)
    write_items(tmp_path / "items.npz", items)
    assert task.details(read_items(tmp_path / "items.npz")) == task.details(items)
