"""Tables of the filtering experiments, from what trainings scored, and the claims about them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from tandem.files.io import read_yaml
from tandem.reporting.claim_entries import claims_of
from tandem.reporting.claims import judge
from wieting2017.methods import usage
from wieting2017.methods.results import by_task, spelt
from wieting2017.methods.table import EXCERPT, excerpt

HOME = Path(__file__).parents[3] / "workflow/studies/wieting2017"


def measured(evidence, name):
    """Return the statistic of each claim about a table."""
    claims = claims_of(HOME / "claims.yaml", name, evidence(name))
    return {claim.name: claim.test.measure(evidence(name), claim.margin) for claim in claims}


def test_what_a_bound_gains_is_over_the_same_seeds_without_a_filter(made, evidence):
    table, given, report = made("bounds")
    row = report.frame.set_index(["encoder", "bounds"]).loc[("AVG", "length from 6 to 10")]
    assert row["gain_pearson_x100"] == pytest.approx((2.3 + 2.32) / 2)  # two texts and seeds
    assert row["text_count"] == row["seed_count"] == 2
    assert row["shared_percent"] == pytest.approx(100 * 40 / 90)
    assert "lowest 50%" in report.markdown and "| 2 | 2 | 44% |" in report.markdown
    figure = table.plot("figures/bounds", report.frame, given)
    assert len(figure.axes[0].get_yticklabels()) == 3
    found = measured(evidence, "bounds")
    name = "wieting2017.bounds.shorter.{}.{}.length from 6 to 10-length from 11 to 20"
    assert {*found} == {name.format(t, e) for t in ("cs-messages", "de-verses")
                        for e in ("avg", "gran")}  # fmt: skip
    claim = found[name.format("de-verses", "gran")]
    assert claim.n == 2 and claim.statistic == pytest.approx(2.32 + 1.5 + 1)


def test_no_length_is_in_two_bins_that_are_compared(plan):
    for scale in (None, "full", "paper"):
        values = read_yaml(HOME / (f"scales/{scale}.yaml" if scale else "study.yaml"))
        filters = values["tables"]["datasets"]["experiment"].get("filters", {})
        bounds = filters.get("length", {}).get("bounds", [])
        ends = [low for low, _ in bounds] + [high for _, high in bounds if high is not None]
        # the paper's 0 to 10 has two of them in it
        assert all(low not in {high for _, high in bounds} for low, _ in bounds), (scale, ends)


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
    people = "World English, Basic English"
    assert set(report.frame["text"]) == {"Czech messages", "German verses", people}
    assert set(report.frame["pairs"]) == {20, 40}
    assert set(report.frame["filter"]) == {"none", "length"}
    assert "| 40 | 44% |" in report.markdown
    found = measured(evidence, "growth")
    assert found.keys() == {
        f"wieting2017.growth.{part}.{encoder}" for encoder in ("avg", "gran")
        for part in ("more.cs-messages", "more.de-verses", "filtered.fewest")
    }  # fmt: skip
    gain = found["wieting2017.growth.filtered.fewest.avg"]
    assert gain.n == 2 and gain.statistic == pytest.approx((2.3 + 2.32) / 2)
    assert found["wieting2017.growth.more.de-verses.avg"].statistic == pytest.approx(1.5)
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
    # both texts are the same, but their blocks are not
    claim = found["wieting2017.machine-text.shorter"]
    assert claim is None or claim.low < claim.statistic < claim.high


def test_what_filters_remove_and_have_in_common(made):
    table, given, report = made("removed")
    rows = report.frame.set_index(["text", "filter"]).loc["German verses"]
    # lengths 0 to 19, twice: 6 to 10 are kept
    assert rows.loc["length", "removed_pairs"] == 30
    assert rows.loc["length", "expected_percent"] == pytest.approx(50)
    assert rows.loc["1-gram overlap", "also_removed_percent"] == pytest.approx(75)
    assert "*75* | 50 |" in report.markdown
    assert len(table.plot("figures/removed", report.frame, given).axes) == 1


def test_a_filter_has_one_p_in_its_table_and_in_its_claim(made):
    _, material, report = made("filters")
    assert "+2." in report.markdown and "nan" not in report.markdown
    claims = {claim.claim: claim for claim in judge(material, report)}
    overall = report.frames["overall"]
    assert len(claims) == len(overall) == 4
    for _, row in overall.iterrows():
        name = "length" if row["label"] == "length" else "overlap-1"
        claim = claims[f"wieting2017.filters.gain.{name}.{row['encoder']}"]
        assert (claim.p, claim.p_holm) == (row["p"], row["p_holm"])
        bounds = row["gain_low_pearson_x100"], row["gain_high_pearson_x100"]
        assert bounds == pytest.approx((claim.ci_low, claim.ci_high))
        assert f"| {claim.p_holm:.3f} |" in report.markdown
    gain = claims["wieting2017.filters.gain.length.AVG"]
    assert gain.n == 2 and gain.statistic == pytest.approx((2.3 + 2.32) / 2)


def test_a_filter_s_gain_is_no_surer_than_its_seeds(made, evidence):
    _, _, report = made("filters")
    gain = measured(evidence, "filters")["wieting2017.filters.gain.length.AVG"]
    rows = report.frame.set_index(["text", "encoder", "filter"])
    row = rows.loc[("cs-messages", "AVG", "length")]
    assert row["gain_pearson_x100"] == pytest.approx(2.3)
    assert row["shared_percent"] == pytest.approx(100 * 40 / 90)
    # the texts gain 2.3 and 2.32, the seeds of each differ by 0.2
    between, within = 0.02**2 / 2, 0.2**2 / 2 / 2
    least = scipy.stats.t.ppf(0.975, 1) * np.sqrt(max(between, within) / 2)
    items = report.frames["gains"].query("filter == 'length' and encoder == 'AVG'")["draws"]
    assert all(draws.std() > 0 for draws in items)
    assert gain.high - gain.statistic >= 0.99 * least


def test_texts_are_listed_with_their_translators_and_floors(made):
    table, given, report = made("datasets")
    rows = report.frame.set_index(["text", "encoder"])
    assert rows.loc[("cs-messages", "AVG"), ["bleu", "met_percent"]].tolist() == [20, 25]
    assert rows.loc[("world-basic", "AVG"), ["bleu", "met_percent"]].isna().all()
    # "the cat sees the the dog" repeats no 2-gram; neither does its reference
    assert "| Czech messages | 20.0 | 25.0 | 0.0 → 0.0 | 5" in report.markdown
    assert "| World English, Basic English |  |  | 0.0 → 0.0 | 5" in report.markdown
    means = rows.loc[("cs-messages", "AVG")]
    assert means["sick_pearson_x100"] == pytest.approx(means["mean_pearson_x100"] + 5)
    assert rows["twitter_pearson_x100"].isna().all()  # its data is not there
    assert "## The task sick" in report.markdown and "twitter" not in report.markdown
    assert means["over_untrained_pearson_x100"] == pytest.approx(5)
    assert means["over_random_pearson_x100"] == pytest.approx(50 - 33)
    assert np.isnan(rows.loc[("world-basic", "AVG"), "over_random_pearson_x100"])
    for label in ("AVG", "GRAN"):
        floor = rows.loc[("untrained", label)]
        assert (floor["mean_pearson_x100"], floor["pairs"]) == (46.5, 0)
        assert floor["mean_low_pearson_x100"] < 46  # items are in its interval
        assert np.isnan(floor["over_untrained_pearson_x100"])
    assert report.markdown.count("| untrained |") == 2  # of the task sick, too
    assert len(table.plot("figures/datasets", report.frame, given).axes) == 1


def test_texts_are_compared_with_people_s_with_their_own_random_pairs_and_with_no_training(
    evidence,
):
    found = measured(evidence, "datasets")
    pairs = [f"{text}.{encoder}" for text in ("cs-messages", "de-verses")
             for encoder in ("AVG", "GRAN")]  # fmt: skip
    assert found.keys() == {
        *(f"wieting2017.datasets.{part}.{pair}" for part in ("back-translation", "not-random")
          for pair in pairs),
        *(f"wieting2017.datasets.trained.{pair}" for pair in
          (*pairs, "world-basic.AVG", "world-basic.GRAN")),
    }  # fmt: skip
    # each text with random pairs of its own: de-verses 51, random pairs of it 34
    assert found["wieting2017.datasets.not-random.de-verses.AVG"].statistic == pytest.approx(17)
    assert found["wieting2017.datasets.trained.de-verses.AVG"].statistic == pytest.approx(6)
    # no seed changes what texts differ by, but other items would
    claim = found["wieting2017.datasets.back-translation.cs-messages.AVG"]
    assert claim.statistic == pytest.approx(-2) and claim.high - claim.low > 0.1


def test_a_table_brings_the_settings_that_it_refers_to(plan):
    dumped = plan.dump("filters")["tables"]
    assert list(dumped) == ["filters", "datasets"]
    assert list(plan.dump("datasets")["tables"]) == ["datasets"]
    assert Path(plan.path("filters.csv")).name == "filters.csv"


def test_examples_are_cut_and_keep_their_table():
    assert excerpt("a | [b](c)") == "a \\| \\[b\\](c)"
    long = excerpt("word " * 100)
    assert len(long) == EXCERPT and long.endswith("word…")


def test_scores_of_what_is_compared_are_also_by_task(plan):
    rows = pd.DataFrame(by_task(Path(plan.path("scores/conditions", "de-verses.gran.json"))))
    first = rows[rows["seed"].eq(1) & rows["filter"].eq("none") & rows["pair_count"].eq(40)]
    assert [*first["unit"][:5]] == ["mean", *(f"{year}: {year}.a" for year in range(2012, 2016))]
    assert {*rows["experiment"]} == {"de-verses.gran"} and rows["value"].notna().all()
    assert len([*by_task(Path(plan.path("scores/conditions", "untrained.avg.json")))]) == 2 * 5
