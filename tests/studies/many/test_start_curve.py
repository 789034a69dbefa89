"""Few pairs of one's own, from nothing and from an encoder that is trained."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from tandem.registry import ConfigurationError
from tandem.training.setting import Setting

OWN = {"label": "L", "corpus": "c", "encoders": {"sp": "r"}, "objective": "o", "selection": "last"}
SIZES = (100, 1000)
FOUND = {  # of 100 sentences, by language: from nothing, from the joint encoder, that one itself
    "ar": ((12, 52), (32, 72), 22),
    "de": ((62, 82), (42, 99), 12),
}


@pytest.fixture
def plan(plan):
    """The plan with settings of two languages and two sizes, with and without a start."""
    settings = {
        f"{language}-{pairs}{'-from' * bool(start)}": Setting(
            **OWN, pairs=pairs, languages=(language,), start=start
        )
        for language in FOUND
        for pairs in SIZES
        for start in (None, "sp.joint")
    }
    study = plan.study.model_copy(update={"settings": plan.study.settings | settings})
    return dataclasses.replace(plan, study=study)


def values(plan):
    names = [name for name in plan.study.settings if name[-1] == "0" or name.endswith("-from")]
    return {"title": "Few", "task": "retrieval", "source": "bible", "settings": names}


@pytest.fixture
def curve(made, plan, hits):
    for language, (scratch, more, _) in FOUND.items():
        for pairs, *both in zip(SIZES, scratch, more, strict=True):
            for suffix, found in zip(("", "-from"), both, strict=True):
                hits(f"sp.{language}-{pairs}{suffix}", **{language: found})
    hits("sp.joint", **{language: found for language, (_, _, found) in FOUND.items()})
    return made("start-curve", values(plan))


def test_a_line_for_each_language_start_and_size(curve):
    frame = curve[2].frame
    assert list(frame.columns) == [
        "language", "pairs", "start", "experiment", "sentences", "seed_count",
        "from_p_at_1_x100", "from_low_p_at_1_x100", "from_high_p_at_1_x100",
        "into_p_at_1_x100", "into_low_p_at_1_x100", "into_high_p_at_1_x100", "equal_pairs",
    ]  # fmt: skip
    assert list(frame["language"]) == ["ar"] * 5 + ["de"] * 5
    assert list(frame["pairs"][:5]) == [100, 1000, 0, 100, 1000]
    assert list(frame["start"][:5]) == ["", "", "sp.joint", "sp.joint", "sp.joint"]
    assert list(frame["experiment"][:3]) == ["sp.ar-100", "sp.ar-1000", "sp.joint"]
    # of seeds 1 and 2, one and two sentences fewer are found; the other way all others are
    assert frame["into_p_at_1_x100"][:5].tolist() == [10.5, 50.5, 20.5, 30.5, 70.5]
    assert frame["from_p_at_1_x100"][:5].tolist() == [89.5, 49.5, 79.5, 69.5, 29.5]
    assert (frame["from_low_p_at_1_x100"] < frame["from_p_at_1_x100"]).all()
    assert (frame["from_p_at_1_x100"] < frame["from_high_p_at_1_x100"]).all()
    assert set(frame["seed_count"]) == {2} and set(frame["sentences"]) == {100}


def test_the_pairs_that_are_as_good_are_read_off_the_curve_without_a_start():
    from many.tables.start_curve import equal_pairs

    points = [("", 100, 10), ("", 1000, 30), ("", 10000, 20), ("", 30000, 40),
              ("s", 0, 5), ("s", 100, 20), ("s", 300, 30), ("s", 1000, 35), ("s", 3000, 41)]
    rows = pd.DataFrame(points, columns=["start", "pairs", "from_p_at_1_x100"])
    rows["language"] = "de"
    found = np.array(equal_pairs(rows))
    assert np.isnan(found[:4]).all()  # these have no start
    assert np.isnan(found[[4, 8]]).all()  # worse than all of them, and better
    # halfway in P@1 is halfway in the logarithm of the pairs
    assert found[5] == pytest.approx(100 * 10**0.5)
    assert found[6] == pytest.approx(10000)
    assert found[7] == pytest.approx((10000 * 30000) ** 0.5)
    assert np.isnan(equal_pairs(rows[rows["start"] == "s"])).all()


def test_the_page_has_a_grid_for_each_language(curve):
    text = curve[2].markdown
    assert "## ar" in text and "## de" in text
    assert "averaged over 2 seeds" in text
    lines = [line.split(" | ") for line in text.split("\n") if line.startswith("| ")]
    ar = [line for line in lines if line[0] in ("| 0", "| 100", "| 1,000")][:5]
    assert ar[0][:2] == ["| 100", "none"] and ar[0][2].startswith("89.5 [")
    assert ar[2][:2] == ["| 0", "sp.joint"] and ar[2][3].startswith("20.5 [")
    assert ar[0][4] == " |"
    assert ar[3][4] == "fewer than 100 |"


def test_a_panel_for_each_language_with_a_line_for_the_start_alone(curve):
    table, given, made = curve
    frame = made.frame.replace({"start": {"": np.nan}})  # as it is read from the CSV
    figure = table.plot("figures/starts", frame, given)
    assert [axes.get_title() for axes in figure.axes] == ["bible, ar", "bible, de"]
    first = figure.axes[0]
    labels = [container.get_label() for container in first.containers]
    assert labels == ["from nothing", "from sp.joint", "sp.joint, no pairs"]
    lines = [container[0] for container in first.containers]
    assert [list(line.get_xdata()) for line in lines] == [[100, 1000]] * 3
    assert [list(line.get_ydata()) for line in lines] == [[89.5, 49.5], [69.5, 29.5], [79.5] * 2]
    assert first.get_xscale() == "log"


def test_a_saved_model_is_a_start_without_scores_of_its_own(curve, plan):
    table, material, _ = curve
    settings = plan.study.settings
    saved = settings["ar-100-from"].model_copy(update={"start": "my/model"})
    study = plan.study.model_copy(update={"settings": {**settings, "ar-100-from": saved}})
    plan = dataclasses.replace(plan, study=study)
    lines = [line for line in table.experiments(plan) if line[3] == "my/model"]
    assert lines == [("ar", "sp.ar-100-from", 100, "my/model")]
    report = table.build(dataclasses.replace(material, plan=plan))
    assert "| 100 | my/model | 69.5 [" in report.markdown
    table.plot("figures/starts", report.frame, material)


@pytest.mark.parametrize("name", ["joint", "small", "alone-ar"])
def test_a_setting_of_many_languages_or_of_all_pairs_is_refused(made, plan, name):
    with pytest.raises(ConfigurationError, match=f"settings.{name}: .* one of languages, and a nu"):
        made("start-curve", values(plan) | {"settings": [name]})


def test_a_setting_that_is_not_there_is_refused(made, plan):
    with pytest.raises(ConfigurationError, match="no setting 'ar-10'"):
        made("start-curve", values(plan) | {"settings": ["ar-10"]})
