"""Table 3: mining, by every way to score and choose pairs."""

import re

import numpy as np
import pytest

from tandem.reporting.claims import judge
from wieting2019.tables.table3 import chosen

METHODS = ["cosine.forward", "yang-9.forward", "yang-10.forward"]
RIGHT = {1: (40, 90, 60), 2: (50, 90, 70)}
"""By seed: of 100 gold pairs, as many as are proposed, those that each method finds."""


@pytest.fixture
def table3(made, scored):
    whole = (np.arange(150) < 100).astype(np.int64)
    for seed, right in RIGHT.items():
        items = {
            "mining": np.array("fr-en"),
            "sentences": np.array([300, 310, 150, 330]),
            "method": np.array(METHODS),
            "threshold": np.array([seed / 10] * 3),
            "training": np.array([[95, 100, 100]] * 3),
            "best": np.array([[92, 100, 100]] * 3),
            "correct": np.array([np.arange(150) < count for count in right], np.int64),
            "proposed": np.stack([whole] * 3),
            "gold": whole,
        }
        scored("sp.en-fr", "mining", seed, items)
    return made("table3", {"encoders": ["sp"], "settings": ["en-fr"]}, 500)


def test_a_row_has_means_over_seeds(table3):
    frame = table3[2].frame
    assert list(frame.columns)[:8] == [
        "task", "experiment", "encoder", "pairs", "neighbours", "score", "retrieval", "threshold"
    ]  # fmt: skip
    rows = frame.set_index("score")
    assert rows.loc["cosine", "test_f1_x100"] == 45.0
    assert rows.loc["cosine", "test_precision_x100"] == 45.0
    assert rows.loc["cosine", "training_f1_x100"] == 95.0
    assert rows.loc["cosine", "test_f1_best_x100"] == 92.0
    assert rows.loc["cosine", "threshold"] == pytest.approx(0.15)
    # of 40 and 50 the standard error is 5, with one degree of freedom; sentences add to both
    assert 45 - 12.7 * 5 < rows.loc["cosine", "test_f1_low_x100"] < 45 - 2 * 5
    assert rows.loc["yang-9", "seed_count"] == 2


def test_markdown_shows_f1_sizes_and_published_figures(table3):
    text = table3[2].markdown
    assert re.search(r"\| cosine, forward \| 45\.0 \[.*\] \| 92\.0 \|", text)
    assert "| yang-9, forward | **90.0** [" in text
    assert "| fr-en | 300 | 310 | 100 | 150 | 330 | 100 |" in text
    assert "| *yang-9, test part* | *yang2019, Table 6* | *90.0* |" in text


def test_the_training_part_chooses_the_method_whose_test_f1_is_told(table3):
    frame = table3[2].frame.copy()
    assert frame.set_index("score")["chosen"].to_dict() == {
        "cosine": True, "yang-9": False, "yang-10": False}  # fmt: skip
    # equal in training: the first, though the others find twice as many in the test part
    told = "best F1 on the training part, and its F1 on the test part: fr-en cosine"
    assert f"{told}, forward: 45.0 [" in table3[2].markdown
    frame.loc[frame["score"] == "yang-10", "training_f1_x100"] = 96.0
    assert frame["score"][chosen(frame)].tolist() == ["yang-10"]
    frame["test_f1_x100"] = [99.0, 0.0, 0.0]
    assert frame["score"][chosen(frame)].tolist() == ["yang-10"]


def test_claims_stand_beside_the_published_difference(table3):
    _, given, report = table3
    claims = {claim.claim: claim for claim in judge(given, report)}
    margin = claims["yang2019.table6.margin-9.sp.fr-en"]
    assert margin.statistic == pytest.approx(45.0)
    assert margin.verdict == "supported"
    assert margin.published == pytest.approx(89.99 - 86.14)
    assert (margin.n, margin.unit) == (100, "f1_x100")
    both = claims["yang2019.table6.both-sides.sp.fr-en"]
    assert both.published == pytest.approx(90.02 - 89.56)
    assert len(claims) == 3  # one task: no claim that all hold


def test_figure_has_a_panel_for_each_task_and_a_series_for_each_score(table3):
    table, given, report = table3
    (panel,) = table.plot("figures/table3", report.frame, given).axes
    assert panel.get_title() == "SP, fr-en"
    assert [c.get_label() for c in panel.containers] == ["cosine", "yang-9", "yang-10"]
