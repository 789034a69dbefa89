"""Splits of the STS pairs by symmetric word error rate, human score and negation."""

import json

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.tasks.task import TASKS
from wieting2020.methods import hard_pairs


@pytest.fixture
def task():
    return TASKS.parse({"kind": "hard-sts", "years": [2012, 2013, 2014, 2016]})


@pytest.fixture
def scored(task, words, sts):
    return task.score(words(), {"sts": sts})


@pytest.mark.parametrize(
    "left, right, distance",
    [("a b c", "a b c", 0), ("a b c", "a x c", 1), ("a b", "b a", 2), ("", "a b", 2), ("a", "", 1),
     ("k i t t e n", "s i t t i n g", 3)],
)  # fmt: skip
def test_edit_distance(left, right, distance):
    assert hard_pairs.edit_distance(left.split(), right.split()) == distance


def test_the_error_rate_is_the_mean_of_both_directions_in_lower_case():
    # four words (a mark is one) against two, two of them to delete: WER of 2/2 and of 2/4
    assert hard_pairs.error_rate("The cat sleeps.", "the cat") == 0.75
    assert hard_pairs.error_rate("Same here", "same HERE") == 0
    assert hard_pairs.error_rate("", "") == 0


@pytest.mark.parametrize(
    "first, second, split",
    [("It's not good", "It's good", True), ("He can't go", "He can go", True),
     ("I don\u2019t know", "I know", True), ("not now", "I don't", False),
     ("a knot", "a notion", False)],
)  # fmt: skip
def test_negation_is_in_one_sentence_and_not_in_the_other(first, second, split):
    assert hard_pairs.negation(first, second) == hard_pairs.negation(second, first) == split


def test_members_by_hand():
    rates = np.arange(10) / 10
    gold = np.array([0.0, 1, 4, 5, 2, 2, 2, 2, 1, 5])
    negated = gold == 4
    units = ("all", "negation", *hard_pairs.SPLITS, *hard_pairs.AS_PRINTED)
    rows = {
        unit: np.flatnonzero(hard_pairs.members(unit, gold, rates, negated)).tolist()
        for unit in units
    }
    assert rows["all"] == list(range(10)) and rows["negation"] == [2]
    assert rows["hard-minus"] == [0, 1] == rows["bottom20-0-2"]
    assert rows["bottom10-0-1"] == [0] and rows["bottom20-3-5"] == []
    assert rows["hard-plus"] == rows["top10-4-5"] == rows["top20-3-5"] == [9]
    assert rows["top20-0-2"] == [8]
    # the text of section 4.3 has the names the other way round
    assert rows["hard-plus-as-printed"] == rows["hard-minus"]
    assert rows["hard-minus-as-printed"] == rows["hard-plus"]


def test_scores_of_every_split(task, scored):
    assert task.units(scored) == [
        "all", "negation", *hard_pairs.SPLITS, *hard_pairs.AS_PRINTED, "hard-mean",
    ]  # fmt: skip
    whole = np.corrcoef(scored["gold"], scored["cosine"])[0, 1]
    assert task.estimate(scored, "all") == pytest.approx(100 * whole)
    hard = [task.estimate(scored, unit) for unit in hard_pairs.HARD]
    assert task.estimate(scored, "hard-mean") == pytest.approx(np.mean(hard))
    assert max(hard) < task.estimate(scored, "all")
    assert scored["tasks"].tolist() == ["2012.a", "2013.b", "2016.c"]  # SICK stands apart
    details = {entry["split"]: entry for entry in task.details(scored)["splits"]}
    assert details["all"] == {"split": "all", "pairs": 1000}
    bound = details["bottom20-0-2"]["bound"]
    assert np.mean(scored["rates"] <= bound + 1e-4) == pytest.approx(0.2, abs=0.1)
    counts = [task.count(scored, unit) for unit in (*hard_pairs.HARD, "hard-mean")]
    assert counts[0] + counts[1] == counts[2] > 0
    assert details["hard-plus"]["pairs"] == counts[0]


def test_a_pair_counts_once_for_each_score(task, words, tmp_path):
    lines = ["1.0\ta b\tc d", "1.0\ta b\tc d", "2.0\ta b\tc d", "5.0\tc d\ta b"]
    (tmp_path / "2012.a.tsv").write_text("\n".join(lines) + "\n")
    entry = {"file": "2012.a.tsv", "year": "2012", "of": 4}
    (tmp_path / "index.json").write_text(json.dumps({"tasks": [entry], "missing": []}))
    items = task.score(words(), {"sts": tmp_path})
    assert items["gold"].tolist() == [1, 2, 5]
    # of so few pairs no split but the whole is left
    assert task.units(items) == ["all"]
    assert np.all(np.isfinite(task.draws([items], "all", 20, 1)))


def test_systems_are_compared_on_the_same_resamples(task, words, sts, scored):
    other = task.score(words(noise=2.0), {"sts": sts})
    both = task.draws([scored, other], "hard-plus", 50, 1)
    assert both.shape == (2, 50)
    assert np.array_equal(both[1:], task.draws([other], "hard-plus", 50, 1))
    assert np.array_equal(both, task.draws([scored, other], "hard-minus-as-printed", 50, 1))
    mean = task.draws([scored, other], "hard-mean", 50, 1)
    assert np.allclose(mean, (both + task.draws([scored, other], "hard-minus", 50, 1)) / 2)
    with pytest.raises(TandemError, match="different pairs: score them again"):
        task.draws([scored, {**other, "gold": other["gold"] + 1}], "all", 5, 1)


def test_refusals(task, words, sts):
    with pytest.raises(TandemError, match="the encoder has no English"):
        task.score(words(languages=("fr",)), {"sts": sts})
    empty = TASKS.parse({"kind": "hard-sts", "years": [2015]})
    with pytest.raises(TandemError, match="no English task of 2015. Change the years"):
        empty.score(words(), {"sts": sts})
