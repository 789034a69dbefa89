"""Table 5 and its claims on points whose correlations are known."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tandem.errors import TandemError
from tandem.reporting import claims
from tandem.reporting.claim_tests.claim_test import CLAIM_TESTS
from tandem.reporting.claims import Claim, Verdict
from tandem.reporting.published import read_published
from tandem.reporting.table import Given, Report
from wieting2019.languages.correlations import (
    COLUMNS,
    PREDICTORS,
    Draws,
    clusters,
    correlations,
    natural_threshold,
    partial_spearman_rows,
)
from wieting2019.languages.distance import DISTANCES
from wieting2019.languages.points import COLUMNS as POINT_COLUMNS
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
            "seeds": 3,
            "score": 60 + rank,
            "score_sd": 0.5,
            "random": 55.0,
            "gain": 5 + rank,
            "gain_sd": 0.5,
            "overlap_types": np.where(rank < languages / 2, 0.1, 0.6) + rank / 200,
            "overlap_tokens": 0.9 - rank / 100,
            "observed": 1.0,
        }
        | {name: noise.random(languages) for name in DISTANCES}
    )
    frame["syntactic"] = 0.5 - rank / 100
    return frame.assign(**columns)[list(POINT_COLUMNS)]


def cell(table: pd.DataFrame, predictor: str, **where: object) -> pd.Series:
    """The row of a predictor, by default for the score over all languages."""
    where = {"response": "score", "cluster": "all", "split": "", "predictor": predictor} | where
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


def test_clusters_put_the_threshold_itself_into_the_high_one() -> None:
    everyone, low, high, data_low, data_high = clusters(np.array([0.1, 0.3, 0.31, 0.9]))
    assert (everyone.name, everyone.members.tolist()) == ("all", [True] * 4)
    assert (low.name, low.split, low.members.tolist()) == ("low", "paper", [True] + [False] * 3)
    assert high.members.tolist() == [False] + [True] * 3
    assert (data_low.split, data_low.members.sum(), data_high.members.sum()) == ("data", 3, 1)
    assert len(clusters(np.full(6, 0.5))) == 3  # nothing to divide: no data-driven split


def test_known_correlations() -> None:
    table = correlations(points(), DRAWS)
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == 2 * 5 * len(PREDICTORS)
    overlap = cell(table, "overlap_types")
    assert (overlap["rho_x100"], overlap["n"]) == (pytest.approx(100), 20)
    assert overlap["low"] == pytest.approx(100)
    assert overlap["p"] == pytest.approx(1 / 201)
    assert overlap["p_corrected"] == pytest.approx(1 / 201)
    assert cell(table, "overlap_tokens")["rho_x100"] == pytest.approx(-100)
    inventory = cell(table, "inventory")
    assert inventory["p_corrected"] > inventory["p"]  # eight predictors were tried
    assert cell(table, "syntactic", cluster="low", split="paper")["n"] == 10
    assert cell(table, "syntactic", cluster="low", split="data")["threshold"] == pytest.approx(
        (0.1 + 9 / 200 + 0.6 + 10 / 200) / 2
    )


def test_small_spearman_by_hand() -> None:
    # ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 (1 + 1 + 1 + 1) / (5 x 24) = 0.8
    frame = points(languages=5, genetic=[0.2, 0.1, 0.4, 0.3, 0.5])
    assert cell(correlations(frame, DRAWS), "genetic")["rho_x100"] == pytest.approx(80)


def test_partial_spearman_by_hand() -> None:
    # rho(x,y) = .8; z = (2, 1, 4, 3): rho(x,z) = .6, rho(y,z) = 0
    x, y, z = np.array([[1, 2, 3, 4], [1, 3, 2, 4], [2, 1, 4, 3]], float)
    assert partial_spearman_rows(x, y, z) == pytest.approx((0.8 - 0) / np.sqrt(1 - 0.36))
    # a control that orders the items as one of the two leaves nothing to correlate
    assert np.isnan(partial_spearman_rows(x, y, 10 * x))


def test_partial_correlation_holds_overlap_fixed() -> None:
    # rho(x, c) = rho(y, c) = 0.8 and rho(x, y) = 0.3, so (0.3 - 0.64) / 0.36
    frame = points(
        languages=5, inventory=[2, 1, 4, 3, 5], score=[1, 3, 2, 5, 4], overlap_types=[1, 2, 3, 4, 5]
    )
    row = cell(correlations(frame, DRAWS), "inventory")
    assert row["rho_x100"] == pytest.approx(30)
    assert row["partial_rho_x100"] == pytest.approx(100 * (0.3 - 0.64) / 0.36)
    assert row["partial_low"] <= row["partial_rho_x100"] <= row["partial_high"]
    assert np.isnan(cell(correlations(frame, DRAWS), "overlap_types")["partial_rho_x100"])


def test_undefined_correlations_stay_empty() -> None:
    table = correlations(points(languages=8, genetic=1.0), DRAWS)
    assert np.isnan(
        cell(table, "genetic")[["rho_x100", "p", "partial_rho_x100"]].astype(float)
    ).all()
    low = cell(table, "syntactic", cluster="low", split="paper")
    assert low["n"] == 4 and np.isnan(low["rho_x100"])
    assert correlations(points(score=60.0), DRAWS)["rho_x100"].isna().sum() == 5 * len(PREDICTORS)


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
    assert set(shown["response"]) == {"score"} and "data" not in set(shown["split"])


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
    assert "| All (20 languages) | Low < 0.30 (10 languages) | High ≥ 0.30 (10 languages) |" in text
    assert "| SP overlap, types | **100.0** [100.0, 100.0], p 0.005 |" in text
    assert "; paper -56.1 |" in text and "lines 116, 121, 122" in text


def test_markdown_does_not_repeat_what_the_gain_has_in_common_with_the_score() -> None:
    alike, other = "All figures are as above", "| SP overlap, types |"
    text = markdown("Verses", "Note", points())
    assert (text.count(alike), text.count(other)) == (1, 1)
    text = markdown("Verses", "Note", points(gain=np.arange(20.0) % 7))
    assert (text.count(alike), text.count(other)) == (0, 2)


def judged(*frames: pd.DataFrame) -> dict[str, Claim]:
    """The study's claims on these points, by what follows the table in their ids."""
    scores = SimpleNamespace(resamples=200, seed=1)
    files = {"paper": [HOME / "claims.yaml", HOME / "published.yaml"]}
    given = Given("table5", None, files, scores, "default")
    every = pd.concat(frames)
    found = claims.judge(given, Report(every, "", evidence(every)))
    named = {claim.claim.removeprefix("wieting2019.table5."): claim for claim in found}
    assert len(named) == len(found)
    return named


def test_claims_follow_the_points() -> None:
    rank = np.arange(20.0)
    near = {"featural": -rank, "genetic": rank, "geographic": rank, "inventory": rank}
    plain = points(**near, phonological=rank)
    marked = points(marked=True, **near, phonological=rank, score=-rank)
    found = judged(plain, marked)
    overlap = found["overlap.verses.score"]
    assert (overlap.verdict, overlap.n, overlap.seeds) == (Verdict.SUPPORTED, 20, "3")
    assert overlap.statistic == pytest.approx(100) and overlap.unit == "spearman_x100"
    assert found["distance.verses.score.all"].verdict == Verdict.SUPPORTED
    assert found["distance.verses.score.low"].n == 10
    syntactic = found["syntactic.verses.score.high"]
    assert (syntactic.statistic, syntactic.verdict) == (pytest.approx(200), Verdict.SUPPORTED)
    # overlap and distance predict equally well, so neither does better
    equal = found["distance-over-overlap.verses.score.low"]
    assert (equal.statistic, equal.verdict) == (pytest.approx(0), Verdict.UNDECIDED)
    still = found["marker.overlap.verses.score"]
    assert (still.verdict, still.published) == (Verdict.CONTRADICTED, 24.9)
    assert found["marker.distance.verses.score"].published == 10.1
    less = found["marker.distance-less.verses.score"]
    assert (less.statistic, less.verdict) == (pytest.approx(200), Verdict.SUPPORTED)
    assert found["marker.overlap.verses.gain"].published is None


def test_claims_are_left_out_where_undefined() -> None:
    assert list(judged(points(languages=8))) == [
        "overlap.verses.score", "overlap.verses.gain",
    ]  # fmt: skip
    # all languages of a cluster are of one family, which predicts nothing
    named = judged(points(**{name: 0.5 for name in DISTANCES if name != "syntactic"}))
    assert not any(name.startswith(("syntactic", "distance")) for name in named)
