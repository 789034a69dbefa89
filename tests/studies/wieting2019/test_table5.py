"""Table 5 and its claims on points whose correlations are known."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tandem.errors import TandemError
from tandem.reporting import claims
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.claims import Claim, Verdict
from tandem.reporting.published import read_published
from tandem.reporting.table import Material, Report
from wieting2019.methods.correlations import (
    COLUMNS,
    PREDICTORS,
    Draws,
    clusters,
    correlations,
    natural_threshold,
    natural_thresholds,
)
from wieting2019.methods.distance import DISTANCES
from wieting2019.methods.points import COLUMNS as POINT_COLUMNS
from wieting2019.tables.table5 import Table5, evidence, quote

HOME = Path(__file__).parents[3] / "workflow/studies/wieting2019"
CLAIM_TESTS.add_study(HOME)
DRAWS = Draws(resamples=200, permutations=200, seed=1)


def points(marked: bool = False, languages: int = 20, **columns: object) -> pd.DataFrame:
    """Languages 0 .. n-1, half of them under 0.3: score and overlap rise, syntax falls."""
    rank = np.arange(languages, dtype=float)
    noise = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "panel": "verses",
            "marked": marked,
            "language": [f"l{number}" for number in range(languages)],
            "name": [f"L{number}" for number in range(languages)],
            "script": "Latn",
            "script_group": "Latin",
            "family": "X",
            "branch": [f"b{number % (languages // 2)}" for number in range(languages)],
            "seeds": 3,
            "score": 60 + rank,
            "score_sd": 0.5,
            "random": 55.0,
            "gain": 5 + rank,
            "gain_sd": 0.5,
            "sharing": 1 + rank / 10,
            "sharing_sd": 0.5,
            "overlap_types": np.where(rank < languages / 2, 0.1, 0.6) + rank / 200,
            "overlap_tokens": 0.9 - rank / 100,
            "observed": 1.0,
        }
        | {name: noise.random(languages) for name in DISTANCES}
    )
    frame["syntactic"] = 0.5 - rank / 100
    return frame.assign(**columns)[list(POINT_COLUMNS)]


def cell(table: pd.DataFrame, predictor: str, **where: object) -> pd.Series:
    """The row of a predictor, by default for the gain over all languages."""
    usual = {"response": "gain", "cluster": "all", "split": "", "held": "", "predictor": predictor}
    where = usual | where
    rows = table[np.logical_and.reduce([table[key] == value for key, value in where.items()])]
    assert len(rows) == 1
    return rows.iloc[0]


def test_natural_threshold_minimises_the_spread_within() -> None:
    # cut between 0.2 and 0.7: costs 0.02 + 0.02; any other cut costs over 0.2
    overlap = np.array([0.8, 0.1, 0.7, 0.2, 0.0, 0.9])
    assert natural_threshold(overlap) == pytest.approx(0.45)
    # cut at 0.35 it costs 0.05 + 0.045, at the largest gap (0.55) 0.1 + 0, at 0.25 0.02 + 0.0867
    assert natural_threshold(np.array([0, 0.1, 0.2, 0.3, 0.4, 0.7])) == pytest.approx(0.35)
    with pytest.raises(TandemError, match="same overlap"):
        natural_threshold(np.array([0.5, 0.5]))


def test_resamples_are_divided_as_their_items_would_be() -> None:
    rng = np.random.default_rng(2)
    overlap, weights = rng.random(9), rng.integers(0, 3, (20, 9))
    found = natural_thresholds(overlap, weights.astype(float))
    for row, threshold in zip(weights, found, strict=True):
        assert threshold == pytest.approx(natural_threshold(np.repeat(overlap, row)))
    assert np.isnan(natural_thresholds(np.full(4, 0.2), np.ones((1, 4)))[0])


def test_clusters_put_the_threshold_itself_into_the_high_one() -> None:
    overlap = [*[0.1] * 8, *[0.3] * 2, *[0.9] * 6]
    found = clusters(points(languages=16, overlap_types=overlap, script_group=["Latin", "X"] * 8))
    names = [(each.name, each.split) for each in found]
    assert names == [
        ("all", ""), ("Latin", "script"), ("low", "paper"), ("high", "paper"), ("low", "data"),
        ("high", "data"),
    ]  # fmt: skip
    assert [int(each.members.sum()) for each in found] == [16, 8, 8, 8, 10, 6]
    # without eight languages on either side there are no clusters at the paper's threshold
    few = clusters(points(languages=16, overlap_types=[0.1] * 9 + [0.6] * 7))
    assert [each.split for each in few] == ["", "script", "data", "data"]
    assert len(clusters(points(overlap_types=0.5))) == 2  # nothing to divide


def test_known_correlations() -> None:
    table = correlations(points(), DRAWS)
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == 2 * (6 + 3) * len(PREDICTORS)
    overlap = cell(table, "overlap_types")
    assert (overlap["rho_x100"], overlap["n"], overlap["families"]) == (pytest.approx(100), 20, 10)
    assert overlap["low"] == pytest.approx(100)
    assert cell(table, "overlap_tokens")["rho_x100"] == pytest.approx(-100)
    inventory = cell(table, "inventory")
    assert inventory["p_holm"] >= inventory["p"] > 0.01
    assert -100 <= inventory["low"] < inventory["rho_x100"] < inventory["high"] <= 100
    assert cell(table, "syntactic", cluster="low", split="paper")["n"] == 10
    assert cell(table, "syntactic", cluster="low", split="data")["threshold"] == pytest.approx(
        (0.1 + 9 / 200 + 0.6 + 10 / 200) / 2
    )


def test_small_spearman_by_hand() -> None:
    # d = 1 for all: 1 - 6 x 8 / (8 x 63)
    frame = points(languages=8, genetic=[0.2, 0.1, 0.4, 0.3, 0.6, 0.5, 0.8, 0.7])
    rho = cell(correlations(frame, DRAWS), "genetic")["rho_x100"]
    assert rho == pytest.approx(100 - 4800 / 504)


def test_what_script_explains_vanishes_with_it_held() -> None:
    rng = np.random.default_rng(6)
    latin = np.arange(40) % 2 == 0
    frame = points(
        languages=40,
        script_group=np.where(latin, "Latin", "Cyrillic"),
        overlap_types=latin + 0.1 * rng.random(40),
        sharing=latin + 0.1 * rng.random(40),
    )
    table = correlations(frame, DRAWS)
    free, held = (cell(table, "overlap_types", response="sharing", held=h) for h in ("", "script"))
    assert free["rho_x100"] > 60 and free["p"] < 0.001
    assert abs(held["rho_x100"]) < 40 and held["p"] > 0.05
    within = cell(table, "overlap_types", response="sharing", cluster="Latin", split="script")
    assert (within["n"], free["n"]) == (20, 40) and within["p"] > 0.05


def test_languages_alone_in_their_family_are_left_out_where_it_is_held() -> None:
    families = [*(f"b{number // 2}" for number in range(16)), "lone", "single", "sole", "only"]
    table = correlations(points(branch=families), DRAWS)
    assert cell(table, "genetic")["n"] == 20
    row = cell(table, "genetic", held="family")
    assert (row["n"], row["families"]) == (16, 8)


def test_sharing_is_correlated_once_for_a_panel() -> None:
    both = pd.concat([points(), points(marked=True)])
    table = correlations(both, DRAWS)
    assert set(table[table["response"] == "sharing"]["marked"]) == {False}
    assert cell(table[~table["marked"]], "syntactic", response="sharing")[
        "rho_x100"
    ] == pytest.approx(-100)
    alone = correlations(points(sharing=np.nan), DRAWS)
    assert set(alone["response"]) == {"gain"}


def test_undefined_correlations_stay_empty() -> None:
    table = correlations(points(genetic=1.0), DRAWS)
    assert np.isnan(cell(table, "genetic")[["rho_x100", "p", "p_holm"]].astype(float)).all()
    few = correlations(points(languages=7), DRAWS)
    assert few["rho_x100"].isna().all() and set(few["n"]) == {7, 4, 3}
    assert correlations(points(gain=5.0), DRAWS, ["gain"])["rho_x100"].isna().all()


def quoted(*frames: pd.DataFrame) -> pd.DataFrame:
    return quote(correlations(pd.concat(frames), DRAWS), read_published(HOME / "published.yaml"))


def test_published_figures_stand_where_the_paper_prints_them() -> None:
    table = quoted(points(), points(marked=True))
    shown = table.dropna(subset="published_x100")
    key = ["marked", "cluster", "predictor", "published_x100"]
    assert shown[key].to_numpy().tolist() == [
        [False, "low", "syntactic", -56.1],
        [False, "high", "syntactic", -29.0],
        [True, "all", "overlap_types", 24.9],
        [True, "all", "featural", -10.1],
        [True, "all", "syntactic", -37.5],
    ]
    assert set(shown["response"]) == {"gain"} and not {"data"} & set(shown["split"])
    # no language reaches the paper's threshold: it makes no clusters to quote a figure of
    low = quoted(points(overlap_types=np.arange(20) / 100))
    assert low["published_x100"].isna().all()


def test_same_input_same_table() -> None:
    pd.testing.assert_frame_equal(correlations(points(), DRAWS), correlations(points(), DRAWS))


def markdown(title: str, note: str, *frames: pd.DataFrame) -> str:
    register = read_published(HOME / "published.yaml")
    return Table5(labels={"verses": title}).markdown(quoted(*frames), {"verses": note}, register)


def test_markdown_has_the_cells_of_the_table() -> None:
    text = markdown("Verses, 10,000 pairs", "Two share 90%.", points(), points(marked=True))
    assert text.count("Two share 90%.") == 1
    assert "## Verses, 10,000 pairs\n" in text
    assert "## Verses, 10,000 pairs; every non-English piece marked" in text
    assert "| All (20 languages, 10 families) | Latin script (20 languages, 10 families) |" in text
    assert "| Overlap < 0.30 (10 languages, 10 families) | Overlap ≥ 0.30 (10 languages" in text
    assert "| Script held (20 languages, 10 families) | Family held (20 " in text
    assert "| SP overlap, types | **100** [100, 100], p < 0.001 |" in text
    assert "; paper -56.1 |" in text and "lines 116, 121, 122" in text


def test_markdown_says_what_the_settling_test_found() -> None:
    held = "it stands for neither"
    assert held in markdown("Verses", "", points())
    rng = np.random.default_rng(7)
    latin = np.arange(40) % 2 == 0
    script = points(
        languages=40,
        script_group=np.where(latin, "Latin", "Cyrillic"),
        overlap_types=latin + 0.1 * rng.random(40),
        sharing=latin + 0.1 * rng.random(40),
    )
    text = markdown("Verses", "", script)
    assert held not in text and "it is open whether overlap stands for script or kinship" in text
    assert re.search(r"\(rho x 100 of \d+\)\. Of that is left -?\d+ with script held, ", text)
    noise = points(sharing=rng.random(20))
    assert "does not predict, at a p of 0.05, what sharing gains" in markdown("Verses", "", noise)


def judged(*frames: pd.DataFrame) -> dict[str, Claim]:
    """The study's claims on these points, by what follows the table in their ids."""
    scores = SimpleNamespace(resamples=500, seed=1)
    files = {"paper": [HOME / "claims.yaml", HOME / "published.yaml"]}
    material = Material("table5", None, files, scores, "default")
    every = pd.concat(frames)
    found = claims.judge(material, Report(every, "", evidence(every)))
    named = {claim.claim.removeprefix("wieting2019.table5."): claim for claim in found}
    assert len(named) == len(found)
    return named


def test_claims_follow_the_points() -> None:
    rank = np.arange(20.0)
    found = judged(points(featural=-rank), points(marked=True, featural=-rank, gain=-rank))
    overlap = found["overlap.verses"]
    assert (overlap.verdict, overlap.n, overlap.seeds) == (Verdict.SUPPORTED, 20, "3")
    assert overlap.statistic == pytest.approx(100) and overlap.unit == "spearman_x100"
    assert found["distance.verses.all"].verdict == Verdict.SUPPORTED
    assert found["distance.verses.low"].n == 10
    # overlap and distance predict equally well, so neither does better
    equal = found["distance-over-overlap.verses.low"]
    assert (equal.statistic, equal.verdict) == (pytest.approx(0), Verdict.UNDECIDED)
    still = found["marker.overlap.verses"]
    assert (still.verdict, still.published) == (Verdict.CONTRADICTED, 24.9)
    assert found["marker.distance.verses"].published == 10.1
    less = found["marker.distance-less.verses"]
    assert (less.statistic, less.verdict) == (pytest.approx(200), Verdict.SUPPORTED)


def test_nearness_is_ranked_by_the_size_of_rho() -> None:
    rank, rng = np.arange(20.0), np.random.default_rng(8)
    weak = {"overlap_types": np.where(rank < 10, 0.1, 0.6) + 0.1 * rng.random(20)}
    # a distance that predicts the gain well, though in the direction that nobody expects
    found = judged(points(**weak, featural=rank))
    lead = found["distance-over-overlap.verses.low"]
    assert lead.statistic == pytest.approx(
        100 - abs(cell(correlations(points(**weak), DRAWS), "overlap_types", cluster="low",
                       split="paper")["rho_x100"])
    )  # fmt: skip
    assert found["distance.verses.low"].verdict == Verdict.CONTRADICTED


def test_the_best_feature_must_lead_every_other() -> None:
    rank = np.arange(20.0)
    found = judged(points(marked=True))["marker.syntactic.verses"]
    assert found.verdict == Verdict.SUPPORTED and "here over" in found.test
    # one other is as good: the lead over the others does not count
    tied = judged(points(marked=True, genetic=rank))["marker.syntactic.verses"]
    assert (tied.statistic, tied.verdict) == (pytest.approx(0), Verdict.UNDECIDED)
    assert "here over genetic" in tied.test
    more = {"genetic": np.arange(40.0), "syntactic": np.random.default_rng(1).random(40)}
    behind = judged(points(marked=True, languages=40, **more))["marker.syntactic.verses"]
    assert behind.statistic < -30 and behind.verdict == Verdict.CONTRADICTED
    assert "here over genetic" in behind.test


def test_at_the_boundary_the_best_feature_is_seldom_called_second() -> None:
    # two features that predict equally well, for which a bootstrapped maximum is biased
    rng, wrong = np.random.default_rng(9), 0
    for _ in range(100):
        gain = rng.normal(size=24)
        found = judged(
            points(
                languages=24, gain=gain, overlap_types=0.1, branch=[str(n) for n in range(24)],
                syntactic=gain + rng.normal(size=24), genetic=gain + rng.normal(size=24),
                geographic=gain + rng.normal(size=24), marked=True,
            )
        )  # fmt: skip
        verdict = found["marker.syntactic.verses"].p < 0.05
        wrong += verdict
    assert wrong <= 8


def test_clusters_that_follow_another_division_are_told() -> None:
    script = np.where(np.arange(20) < 10, "Cyrillic", "Latin")
    follows = judged(points(script_group=script))["clusters.verses"]
    assert (follows.statistic, follows.verdict) == (100, Verdict.SUPPORTED)
    assert follows.unit == "kappa_x100"
    mixed = judged(points(script_group=np.where(np.arange(20) % 2, "Cyrillic", "Latin")))
    assert mixed["clusters.verses"].statistic == pytest.approx(0)
    assert mixed["clusters.verses"].verdict == Verdict.CONTRADICTED
    assert "clusters.verses" not in judged(points())  # one script: nothing to agree with


def test_sharing_is_tested_within_script_and_family() -> None:
    found = judged(points(), points(marked=True))
    parts = [f"sharing.verses.{part}" for part in ("every-language", "latin", "family", "all")]
    assert [found[part].verdict for part in parts] == [Verdict.SUPPORTED] * 4
    assert "permuting within script_group and branch" in found[parts[2]].test
    # what a family has in common explains it: within one there is nothing left
    rng = np.random.default_rng(10)
    family = np.arange(40) // 4
    kin = points(
        languages=40, branch=[f"b{number}" for number in family],
        overlap_types=(family + 0.1 * rng.random(40)) / 20,
        sharing=family + 0.1 * rng.random(40),
    )  # fmt: skip
    found = judged(kin)
    assert found["sharing.verses.every-language"].verdict == Verdict.SUPPORTED
    assert found["sharing.verses.family"].verdict == Verdict.UNDECIDED
    assert found["sharing.verses.all"].verdict == Verdict.UNDECIDED


def test_claims_are_left_out_where_undefined() -> None:
    assert judged(points(languages=7)) == {}
    # no cluster at the paper's threshold, no claim about it
    low = judged(points(overlap_types=np.arange(20) / 100))
    parts = [f"sharing.verses.{part}" for part in ("every-language", "latin", "family", "all")]
    assert set(low) == {"overlap.verses", *parts}
    # all languages of a cluster are of one family, which predicts nothing
    named = judged(points(**{name: 0.5 for name in DISTANCES if name != "syntactic"}))
    assert not any(name.startswith(("syntactic", "distance")) for name in named)
