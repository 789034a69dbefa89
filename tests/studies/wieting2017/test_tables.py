"""Tables of the filtering experiments, from what trainings scored, and the claims about them."""

from pathlib import Path

import pytest

from tandem.reporting.claim_entries import claims_of
from wieting2017.methods import usage
from wieting2017.methods.results import spelt
from wieting2017.methods.table import EXCERPT, excerpt

HOME = Path(__file__).parents[3] / "workflow/studies/wieting2017"


def measured(evidence, name):
    """Return the statistic of each claim about a table."""
    claims = claims_of(HOME / "claims.yaml", name, evidence(name))
    return {claim.name: claim.test.measure(evidence(name), claim.margin) for claim in claims}


def test_what_a_bound_gains_is_over_the_same_seed_without_a_filter(made, evidence):
    table, given, report = made("bounds")
    row = report.frame.set_index(["encoder", "filter"]).loc[("AVG", "length")]
    assert row["gain_pearson_x100"] == pytest.approx((2.2 + 2.22) / 2)  # two texts, seed 1
    assert row["text_count"] == 2 and row["bounds"] == "length from 6 to 10"
    assert "lowest 50%" in report.markdown
    figure = table.plot("figures/bounds", report.frame, given)
    assert len(figure.axes[0].get_yticklabels()) == 2
    found = measured(evidence, "bounds")
    assert set(found.values()) == {None}  # no long translations were trained on


@pytest.mark.parametrize(
    ("bound", "shares", "said"),
    [
        ((None, 0.5), True, "cosine, lowest 50%"),
        ((0.25, None), True, "cosine, highest 75%"),
        ((0.25, 0.75), True, "cosine, percentiles 25 to 75"),
        ((None, 0.5), False, "cosine to 0.5"),
        ((0.25, None), False, "cosine from 0.25"),
        ((0.25, 0.75), False, "cosine from 0.25 to 0.75"),
    ],
)
def test_no_two_bounds_read_alike(bound, shares, said):
    low, high = bound
    kept = {"score": "cosine", "low": low, "high": high, "shares": list(bound) if shares else None}
    assert spelt([kept]) == said
    assert spelt([kept, kept]) == f"{said} and {said}" and spelt([]) == ""


def test_growth_has_a_curve_with_the_best_filter_and_one_without(made, evidence):
    table, given, report = made("growth")
    assert set(report.frame["text"]) == {"Czech messages", "German verses", "two English Bibles"}
    assert set(report.frame["pairs"]) == {20, 40}
    assert set(report.frame["filter"]) == {"none", "length"}
    found = measured(evidence, "growth")
    assert found.keys() == {f"wieting2017.growth.{part}.{encoder}" for encoder in ("avg", "gran")
                            for part in ("more.none", "more.best filter", "filtered.fewest",
                                         "filtered.most")}  # fmt: skip
    gain = found["wieting2017.growth.filtered.most.avg"]
    assert gain.n == 2 and gain.statistic == pytest.approx((2.3 + 2.32) / 2)
    assert found["wieting2017.growth.more.none.avg"] is None  # sizes score the same
    figure = table.plot("figures/growth", report.frame, given)
    assert [len(axes.containers) for axes in figure.axes] == [4, 4, 2]


def test_translations_are_measured_beside_their_references(made, evidence):
    table, given, report = made("machine-text")
    rows = report.frame.set_index(["text", "statistic"]).loc["Czech messages"]
    assert rows.loc["length", "reference_mean"] == 7 and rows.loc["length", "translation_mean"] == 6
    assert rows.loc["length", "more_percent"] == pytest.approx(-100 / 7)
    assert rows.loc["repeated words", "translation_mean"] == pytest.approx(100 * 2 / 6)
    assert rows.loc["rare words", "reference_mean"] == pytest.approx(100 * 3 / 7)
    assert rows.loc["rare words", "translation_mean"] == 0
    assert "2 words repeated" in report.markdown and "3 rare words fewer" in report.markdown
    assert "81.0 (50.0)" in report.markdown and "nan" not in report.markdown
    main, lengths = table.figures("machine-text")
    (axes,) = table.plot(main, report.frame, given).axes
    assert len(axes.get_yticklabels()) == len(usage.STATISTICS)
    panels = table.plot(lengths, report.frame, given).axes
    assert [panel.get_title() for panel in panels] == ["Czech messages", "German verses"]
    shares = report.frame.set_index(["text", "statistic"]).loc["German verses"]
    assert shares.loc["6 to 10 words", ["reference_mean", "translation_mean"]].tolist() == [100] * 2
    assert report.markdown.split("## Examples")[1].count("| the") == 2 * 10
    found = measured(evidence, "machine-text")
    told = found.pop("wieting2017.machine-text.told.reference-avg")
    assert told.statistic == pytest.approx(30) and told.low < told.statistic < told.high
    # both texts are the same: their difference has no spread, and decides nothing
    assert set(found.values()) == {None}


def test_what_filters_remove_and_have_in_common(made):
    table, given, report = made("removed")
    rows = report.frame.set_index(["text", "filter"]).loc["German verses"]
    # lengths 0 to 19, twice: 6 to 10 are kept
    assert rows.loc["length", "removed_pairs"] == 30
    assert rows.loc["length", "expected_percent"] == pytest.approx(50)
    assert rows.loc["1-gram overlap", "also_removed_percent"] == pytest.approx(75)
    assert "*75* | 50 |" in report.markdown
    assert len(table.plot("figures/removed", report.frame, given).axes) == 1


def test_gains_of_filters_are_tested_over_texts(made, evidence):
    _, _, report = made("filters")
    assert "+2." in report.markdown and "nan" not in report.markdown
    found = measured(evidence, "filters")
    gain = found["wieting2017.filters.gain.length.AVG"]
    assert gain.n == 2 and gain.low < gain.statistic < gain.high
    assert gain.statistic == pytest.approx((2.3 + 2.32) / 2)
    overall = report.frames["overall"].set_index(["encoder", "label"]).loc[("AVG", "length")]
    assert overall["gain_pearson_x100"] == pytest.approx(gain.statistic)
    assert overall["gain_low_pearson_x100"] == pytest.approx(gain.low)
    assert overall["p"] == pytest.approx(gain.p) and overall["p_holm"] == pytest.approx(2 * gain.p)
    rows = report.frame.set_index(["text", "encoder", "filter"])
    row = rows.loc[("cs-messages", "AVG", "length")]
    assert row["gain_pearson_x100"] == pytest.approx(2.3) and row["p_holm"] >= row["p"]


def test_texts_are_listed_with_their_translators(made):
    _, _, report = made("datasets")
    rows = report.frame.set_index(["text", "encoder"])
    assert rows.loc[("cs-messages", "AVG"), ["bleu", "met_percent"]].tolist() == [20, 25]
    assert rows.loc[("bibles", "AVG"), ["bleu", "met_percent"]].isna().all()
    assert "| Czech messages | 20.0 | 25.0 | 5" in report.markdown
    assert "| two English Bibles |  |  | 5" in report.markdown
    means = rows.loc[("cs-messages", "AVG")]
    assert means["sick_pearson_x100"] == pytest.approx(means["mean_pearson_x100"] + 5)
    assert rows["twitter_pearson_x100"].isna().all()  # its data is not there
    assert "## The task sick" in report.markdown and "twitter" not in report.markdown


def test_texts_are_compared_seed_by_seed(evidence, plan):
    found = measured(evidence, "datasets")
    names = [name for name in found if ".not-random." in name]
    assert len(names) == 4  # two texts, two encoders
    # what no seed changes has no spread
    assert found["wieting2017.datasets.back-translation.cs-messages.AVG"] is None


def test_a_table_brings_the_settings_that_it_refers_to(plan):
    dumped = plan.dump("filters")["tables"]
    assert list(dumped) == ["filters", "datasets"]
    assert list(plan.dump("datasets")["tables"]) == ["datasets"]
    assert Path(plan.path("filters.csv")).name == "filters.csv"


def test_examples_are_cut_and_keep_their_table():
    assert excerpt("a | [b](c)") == "a \\| \\[b\\](c)"
    long = excerpt("word " * 100)
    assert len(long) == EXCERPT and long.endswith("word…")
