"""Table 5 and its claims on points whose correlations are known."""

import numpy as np
import pandas as pd
import pytest
from tandem.languages.distance import DISTANCES
from tandem.reporting.language_points import COLUMNS as POINT_COLUMNS
from tandem.reporting.table5 import (
    COLUMNS,
    PREDICTORS,
    Settings,
    clusters,
    natural_threshold,
    table5,
)
from tandem.reporting.table5_claims import table5_claims
from tandem.reporting.table5_markdown import markdown

from tandem.errors import TandemError
from tandem.reporting.claims import Verdict

SETTINGS = Settings(threshold=0.3, resamples=200, permutations=200, seed=1)


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
    everyone, low, high, data_low, data_high = clusters(np.array([0.1, 0.3, 0.31, 0.9]), 0.3)
    assert (everyone.name, everyone.members.tolist()) == ("all", [True] * 4)
    assert (low.name, low.split, low.members.tolist()) == ("low", "paper", [True] + [False] * 3)
    assert high.members.tolist() == [False] + [True] * 3
    assert (data_low.split, data_low.members.sum(), data_high.members.sum()) == ("data", 3, 1)
    assert len(clusters(np.full(6, 0.5), 0.3)) == 3  # nothing to divide: no data-driven split


def test_known_correlations() -> None:
    table = table5(points(), SETTINGS)
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
    assert cell(table5(frame, SETTINGS), "genetic")["rho_x100"] == pytest.approx(80)


def test_partial_correlation_holds_overlap_fixed() -> None:
    # rho(x, c) = rho(y, c) = 0.8 and rho(x, y) = 0.3, so (0.3 - 0.64) / 0.36
    frame = points(
        languages=5, inventory=[2, 1, 4, 3, 5], score=[1, 3, 2, 5, 4], overlap_types=[1, 2, 3, 4, 5]
    )
    row = cell(table5(frame, SETTINGS), "inventory")
    assert row["rho_x100"] == pytest.approx(30)
    assert row["partial_rho_x100"] == pytest.approx(100 * (0.3 - 0.64) / 0.36)
    assert row["partial_low"] <= row["partial_rho_x100"] <= row["partial_high"]
    assert np.isnan(cell(table5(frame, SETTINGS), "overlap_types")["partial_rho_x100"])


def test_undefined_correlations_stay_empty() -> None:
    table = table5(points(languages=8, genetic=1.0), SETTINGS)
    assert np.isnan(
        cell(table, "genetic")[["rho_x100", "p", "partial_rho_x100"]].astype(float)
    ).all()
    low = cell(table, "syntactic", cluster="low", split="paper")
    assert low["n"] == 4 and np.isnan(low["rho_x100"])
    assert table5(points(score=60.0), SETTINGS)["rho_x100"].isna().sum() == 5 * len(PREDICTORS)


def test_published_figures_stand_where_the_paper_prints_them() -> None:
    table = table5(pd.concat([points(), points(marked=True)]), SETTINGS)
    quoted = table.dropna(subset="published_x100")
    key = ["marked", "cluster", "predictor", "published_x100"]
    assert quoted[key].to_numpy().tolist() == [
        [False, "low", "syntactic", -56.1],
        [False, "high", "syntactic", -29.0],
        [True, "all", "overlap_types", 24.9],
        [True, "all", "featural", -10.1],
        [True, "all", "syntactic", -37.5],
    ]
    assert set(quoted["response"]) == {"score"} and "data" not in set(quoted["split"])


def test_same_input_same_table() -> None:
    pd.testing.assert_frame_equal(table5(points(), SETTINGS), table5(points(), SETTINGS))


def test_markdown_has_the_cells_of_the_table() -> None:
    table = table5(pd.concat([points(), points(marked=True)]), SETTINGS)
    text = markdown(table, {"verses": "Verses, 10,000 pairs"}, {"verses": "Two share 90%."})
    assert text.count("Two share 90%.") == 1
    assert "## Verses, 10,000 pairs\n" in text
    assert "## Verses, 10,000 pairs; every non-English piece marked" in text
    assert "| All (20 languages) | Low < 0.30 (10 languages) | High ≥ 0.30 (10 languages) |" in text
    assert "| SP overlap, types | **100.0** [100.0, 100.0], p 0.005 |" in text
    assert "; paper -56.1 |" in text and "lines 116, 121, 122" in text


def test_markdown_does_not_repeat_what_the_gain_has_in_common_with_the_score() -> None:
    titles = ({"verses": "Verses"}, {"verses": "Note"})
    alike, other = "All figures are as above", "| SP overlap, types |"
    text = markdown(table5(points(), SETTINGS), *titles)
    assert (text.count(alike), text.count(other)) == (1, 1)
    text = markdown(table5(points(gain=np.arange(20.0) % 7), SETTINGS), *titles)
    assert (text.count(alike), text.count(other)) == (0, 2)


def test_claims_follow_the_points() -> None:
    rank = np.arange(20.0)
    near = {"featural": -rank, "genetic": rank, "geographic": rank, "inventory": rank}
    plain = points(**near, phonological=rank)
    marked = points(marked=True, **near, phonological=rank, score=-rank)
    found = table5_claims(pd.concat([plain, marked]), SETTINGS, "default")
    claims = {claim.claim: claim for claim in found}
    assert len(claims) == len(found)
    overlap = claims["table5.overlap.verses.score"]
    assert (overlap.verdict, overlap.n, overlap.seeds) == (Verdict.SUPPORTED, 20, "3")
    assert overlap.statistic == pytest.approx(100) and overlap.unit == "spearman_x100"
    assert claims["table5.distance.both.verses.score"].verdict == Verdict.SUPPORTED
    assert claims["table5.distance.low.verses.score"].n == 10
    syntactic = claims["table5.syntactic.high.verses.score"]
    assert (syntactic.statistic, syntactic.verdict) == (pytest.approx(200), Verdict.SUPPORTED)
    # overlap and distance predict equally well, so neither does better
    equal = claims["table5.distance-over-overlap.low.verses.score"]
    assert (equal.statistic, equal.verdict) == (pytest.approx(0), Verdict.UNDECIDED)
    still = claims["table5.marker.overlap.verses.score"]
    assert (still.verdict, still.published) == (Verdict.CONTRADICTED, 24.9)
    assert claims["table5.marker.distance.verses.score"].published == 10.1
    less = claims["table5.marker.distance-less.verses.score"]
    assert (less.statistic, less.verdict) == (pytest.approx(200), Verdict.SUPPORTED)
    assert claims["table5.marker.overlap.verses.gain"].published is None


def test_claims_are_left_out_where_undefined() -> None:
    names = [claim.claim for claim in table5_claims(points(languages=8), SETTINGS, "default")]
    assert names == ["table5.overlap.verses.score", "table5.overlap.verses.gain"]
