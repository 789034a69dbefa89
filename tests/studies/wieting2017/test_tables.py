"""Tables of the filtering experiments, from what trainings scored, and the claims about them."""

from pathlib import Path

import pytest

from tandem.reporting.claim_entries import claims_of

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


def test_growth_has_a_curve_with_the_best_filter_and_one_without(made):
    table, given, report = made("growth")
    assert set(report.frame["text"]) == {"Czech messages", "German verses", "two English Bibles"}
    assert set(report.frame["pairs"]) == {20, 40}
    assert set(report.frame["filter"]) == {"none", "length"}
    figure = table.plot("figures/growth", report.frame, given)
    assert [len(axes.containers) for axes in figure.axes] == [4, 4, 2]


def test_translations_are_measured_beside_their_references(made, evidence):
    table, given, report = made("machine-text")
    rows = report.frame.set_index(["text", "statistic"]).loc["Czech messages"]
    assert rows.loc["length", "reference"] == 7 and rows.loc["length", "translation"] == 6
    assert rows.loc["length", "more_percent"] == pytest.approx(-100 / 7)
    assert rows.loc["repeated words", "translation"] == pytest.approx(100 * 2 / 6)
    assert rows.loc["rare words", "reference"] == pytest.approx(100 * 3 / 7)
    assert rows.loc["rare words", "translation"] == 0
    assert "2 words repeated" in report.markdown and "3 rare words fewer" in report.markdown
    assert "81.0 (50.0)" in report.markdown and "nan" not in report.markdown
    assert len(table.plot("figures/machine-text", report.frame, given).axes) == 1
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
