"""Scores over the size of the text."""

import numpy as np
import pytest

from tandem.files.io import write_json

VALUES = {
    "title": "Sizes",
    "encoder": "sp",
    "curves": [
        {"label": "all", "settings": ["small", "joint"]},
        {"label": "part", "settings": ["small"]},
    ],
    "measures": [
        {"label": "STS", "task": "sts", "unit": "mean"},
        {"label": "verses", "task": "retrieval", "unit": "bible.mean"},
    ],
}


@pytest.fixture
def report(made, scored, hits):
    hits("sp.joint", ar=80, de=90)
    hits("sp.small", ar=50, de=60)
    gold = np.random.default_rng(0).uniform(0, 5, 50)
    shared = {"task": np.array(["2012.a"]), "year": np.array([2012]), "offsets": np.array([0, 50])}
    for name, noise in (("joint", 0.1), ("small", 3.0)):
        for seed in (1, 2):
            cosine = gold + noise * np.random.default_rng(seed).normal(size=50)
            scored(f"sp.{name}", "sts", seed, shared | {"gold": gold, "cosine": cosine})
    return made("size-curve", VALUES)


def test_a_line_for_each_point_with_the_pairs_that_were_drawn(report):
    rows = report[2].frame
    assert list(rows["text"]) == ["all", "all", "part"]
    assert list(rows["pairs"]) == [700, 1400, 700]
    assert list(rows["languages"]) == [3, 5, 3]
    assert rows["STS_pearson_x100"].is_monotonic_decreasing is False
    assert rows.loc[1, "STS_pearson_x100"] > 99 > rows.loc[0, "STS_pearson_x100"]
    assert rows.loc[1, "verses_p_at_1_x100"] == pytest.approx(50)
    assert set(rows["seed_count"]) == {2}


def test_variants_of_a_language_are_counted_once(plan, scored, made):
    folder = plan.segmented("sp.small", 1)
    drawn = [("en-kjv", 5), ("en-GB", 3), ("pt", 7), ("pt-BR", 2), ("de", 0)]
    parts = [{"left": "en", "right": name, "pairs": pairs} for name, pairs in drawn]
    write_json(f"{folder}/parts.json", {"parts": parts})
    values = VALUES | {"curves": [{"label": "part", "settings": ["small"]}]}
    assert list(made("size-curve", values)[2].frame["languages"]) == [2]


def test_a_panel_for_each_measure_over_a_logarithmic_axis(report):
    table, given, made = report
    figure = table.plot("figures/sizes", made.frame, given)
    assert [axes.get_title() for axes in figure.axes] == ["STS", "verses"]
    assert {axes.get_xscale() for axes in figure.axes} == {"log"}
    assert [list(line[0].get_xdata()) for line in figure.axes[0].containers] == [[700, 1400], [700]]
    assert figure.axes[1].get_ylabel() == "P@1 × 100"
