"""Speed beside score, in one table and one picture."""

from pathlib import Path

import numpy as np
import pytest

from tandem.files.io import write_json
from tandem.registry import ConfigurationError

VALUES = {
    "title": "Both", "speed": "times", "task": "sts", "unit": "mean", "label": "STS",
}  # fmt: skip


def entry(name, device, *unseen):
    return {"name": name, "device": device, "threads": 2, "unseen": unseen, "tokenisation": None,
            "seen": {"128": 1.0, "1024": 1.0}, "training": []}  # fmt: skip


@pytest.fixture
def report(made, plan, scored):
    gold = np.random.default_rng(0).uniform(0, 5, 50)
    shared = {"task": np.array(["2012.a"]), "year": np.array([2012]), "offsets": np.array([0, 50])}
    for name, noise, seeds in (("sp.joint", 2.0, [1, 2]), ("muse.joint", 0.1, [0])):
        for seed in seeds:
            cosine = gold + noise * np.random.default_rng(seed).normal(size=50)
            scored(name, "sts", seed, shared | {"gold": gold, "cosine": cosine})
    # a third of the text at 50 a second and the rest at 200 takes as long as all at 100
    timed = [entry("muse", "cpu", 50.0, 200.0, 200.0), entry("sp.joint", "cpu", *[9000.0] * 3),
             entry("sp.joint", "cuda (Card)", *[40000.0] * 3)]  # fmt: skip
    write_json(plan.path("benchmarks/times.json"), {"speeds": timed})
    return made("speed-and-score", VALUES)


def test_reads_the_times_of_the_named_table_and_the_scores_of_what_it_times(report, plan):
    assert report[0].inputs(plan) == {
        "speeds": ["results/toy/benchmarks/times.json"],
        "scores": ["results/toy/scores/sp.joint/sts", "results/toy/scores/muse.joint/sts"],
    }
    for speed, said in (("time", "no table of kind speed 'time'"), ("sizes", "'sizes'")):
        with pytest.raises(ConfigurationError, match=said):
            report[0].model_copy(update={"speed": speed}).inputs(plan)


def test_a_line_for_each_encoder_and_device_fastest_first(report):
    rows = report[2].frame
    assert list(rows["encoder"]) == ["SP", "SP", "Multilingual USE"]
    assert list(rows["device"]) == ["cuda (Card)", "cpu", "cpu"]
    assert list(rows["unseen_per_s"]) == pytest.approx([40000, 9000, 100])
    assert rows.loc[2, ["unseen_slowest_per_s", "unseen_fastest_per_s"]].to_list() == [50, 200]
    assert list(rows["seed_count"]) == [2, 2, 1]
    scores = rows["STS_pearson_x100"]
    assert scores[2] > 99 > scores[0] == scores[1]
    assert (rows["STS_low_pearson_x100"] < scores).all()
    lines = report[2].markdown.split("\n")
    assert any(line.startswith("| Multilingual USE | cpu | 100 | **99.8** [99.") for line in lines)
    assert any(line.startswith("| SP | cpu | 9,000 | ") and "**" not in line for line in lines)


def test_one_picture_has_a_named_point_for_each_with_both_intervals(report):
    table, given, made = report
    (axes,) = table.plot("figures/both", made.frame, given).axes
    assert axes.get_xscale() == "log"
    assert axes.get_ylabel() == "STS, Pearson's r × 100"
    names = [text.get_text() for text in axes.texts]
    assert names == ["SP (cuda)", "SP (cpu)", "Multilingual USE (cpu)"]
    points = [tuple(bar.lines[0].get_xydata()[0]) for bar in axes.containers]
    scores = made.frame["STS_pearson_x100"]
    assert points == [pytest.approx(p) for p in zip([40000, 9000, 100], scores, strict=True)]
    drawn = axes.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(drawn) for text in axes.texts]
    ends = [axes.transData.transform(point) for point in points]
    assert not any(box.contains(*end) for box in boxes for end in ends)
    across = axes.containers[2].lines[2][0].get_segments()[0][:, 0]  # of multilingual USE
    assert across == pytest.approx([50, 200])
    assert all(len(bar.lines[2]) == 2 for bar in axes.containers[2:])


def test_an_encoder_without_a_score_is_listed_and_not_drawn(made, plan, report):
    Path(plan.path("scores/muse.joint/sts/seed0.json")).unlink()
    table, given, found = made("speed-and-score", VALUES)
    assert len(found.frame) == 3
    (axes,) = table.plot("figures/both", found.frame, given).axes
    assert len(axes.containers) == len(axes.texts) == 2
    assert "| Multilingual USE | cpu | 100 |  |" in found.markdown


def test_on_one_device_a_point_has_the_name_of_the_encoder_alone(report):
    table, given, made = report
    rows = made.frame[made.frame["device"] == "cpu"]
    (axes,) = table.plot("figures/both", rows, given).axes
    assert [text.get_text() for text in axes.texts] == ["SP", "Multilingual USE"]
