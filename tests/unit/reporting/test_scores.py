"""Cells over seeds, from score files in any order."""

import json

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from tandem.reporting.cards import card_scores
from tandem.reporting.scores import Cell, Scores
from tandem.statistics.inference import over_seeds
from tandem.tasks.kinds.sts import Sts

TASKS = {"sts": Sts(years=[2012, 2013])}


def test_a_cell_is_the_mean_over_seeds(scores, items):
    cell = scores.cell("sp.en-cs", "sts", "mean")
    each = [TASKS["sts"].estimate(items(0.5, seed), "mean") for seed in (1, 2)]
    assert cell.estimate == pytest.approx(np.mean(each))
    assert cell.values == pytest.approx(each, abs=1e-4)  # the files hold four decimals
    assert (cell.seeds, cell.items, cell.metric) == ((1, 2), 110, "pearson_x100")
    assert cell.interval.low < cell.estimate < cell.interval.high
    assert scores.cell("sp.random", "sts", "2013").seeds == (1,)
    assert scores.cell("sp.random", "sts", "2013").items == 30


def test_items_come_in_the_order_of_the_seeds(scores, items):
    assert scores.seeds("sp.en-cs", "sts") == [1, 2] and scores.seeds("sp.en-cs", "other") == []
    read = [one_seed["cosine"] for one_seed in scores.items("sp.en-cs", "sts")]
    np.testing.assert_allclose(read, [items(0.5, seed)["cosine"] for seed in (1, 2)], atol=1e-6)


def test_the_draws_of_a_cell_are_those_of_its_seeds_on_the_same_pairs(scores, items):
    expected = TASKS["sts"].draws([items(0.5, 1), items(0.5, 2)], "mean", 200, 5)
    cell = scores.cell("sp.en-cs", "sts", "mean")
    np.testing.assert_allclose(cell.draws, expected)
    assert cell.interval == over_seeds(cell).interval


def test_what_was_not_scored_has_no_cell(scores):
    assert scores.cell("lstm.en-en", "sts", "mean") is None
    assert scores.cell("sp.en-cs", "other", "mean") is None
    assert scores.cell("sp.en-cs", "sts", "2016") is None
    assert scores.units("sp.en-cs", "sts") == ["2012", "2013", "mean"]
    assert scores.units("lstm.en-en", "sts") == scores.details("lstm.en-en", "sts") == []


def test_values_and_details_come_by_seed(scores, score_files):
    stored = [json.loads(file.read_text()) for file in score_files[:2]]
    expected = {one["seed"]: one["rows"][0]["value"] for one in stored}
    assert scores.values("sp.en-cs", "sts", "2012") == expected
    found = scores.details("sp.en-cs", "sts")
    assert [task["pairs"] for task in found[1]["tasks"]] == [40, 40, 30]


def test_a_second_score_of_a_seed_is_refused(score_files):
    with pytest.raises(TandemError, match=r"second score of sp.en-cs, seed 1\. Give one"):
        Scores([*score_files, score_files[0]], TASKS, 10, 1)


def test_a_score_of_another_task_is_refused_with_the_known_ones(score_files):
    with pytest.raises(InputError, match=r"a score of task sts\. The study has sts2017"):
        Scores(score_files, {"sts2017": TASKS["sts"]}, 10, 1)


def test_a_card_has_every_figure_with_its_interval(scores):
    found = card_scores(scores, "sp.en-cs")
    assert [each[:2] for each in found] == [
        (f"sts, {unit}", "Pearson's r × 100") for unit in ("2012", "2013", "mean")
    ]
    mean = scores.cell("sp.en-cs", "sts", "mean").interval
    assert found[2][2:] == (mean.estimate, mean.low, mean.high)


def test_an_interval_of_a_share_is_a_share():
    draws = np.random.default_rng(1).normal(99.8, 0.3, (1, 500))
    near = {metric: Cell(np.array([99.8]), draws, 500, (1,), metric)
            for metric in ("p_at_1_x100", "pearson_x100")}  # fmt: skip
    assert near["pearson_x100"].interval.high > 100
    assert 98 < near["p_at_1_x100"].interval.low < near["p_at_1_x100"].interval.high <= 100
