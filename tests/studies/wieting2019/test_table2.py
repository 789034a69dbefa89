"""Table 2: paired figures, empty columns that say why, claims on what was measured."""

from types import SimpleNamespace

import numpy as np
import pytest

from tandem.files.io import write_json
from tandem.reporting.claims import judge
from wieting2019.tables.table2 import Table2

AR, CROSS, EN = "2017.track1.ar-ar", "2017.track4a.es-en", "2017.track5.en-en"
NOISE = {"trigram.random-es": 1.5, "sp.random-es": 6.0, "sp.en-es": 0.8, "wide.en-es": 0.2,
         "muse.en-es": 1.0}  # fmt: skip
SEEDS = (1, 2, 3, 4, 5)
VALUES = {
    "languages": ["es"],
    "trainings": {"bitext": {"es": "en-es"}, "untrained": {"es": "random-es"}},
    "rows": [
        {"label": "Random TRIGRAM", "encoder": "trigram", "training": "untrained"},
        {"label": "Random SP", "encoder": "sp", "training": "untrained"},
        {"label": "SP", "encoder": "sp", "training": "bitext"},
        {"label": "SP 1024", "encoder": "wide", "training": "bitext"},
    ],
    "tracks": [
        {"label": "ar-ar", "task": AR, "language": "es"},
        {"label": "es-en-4a", "task": CROSS, "language": "es"},
        {"label": "en-en", "task": EN, "language": "es"},
    ],
    "baselines": ["muse"],
}


def items(noise, seed):
    gold = np.random.default_rng(0).uniform(0, 5, 160)
    return {
        "task": np.array([CROSS, EN]),
        "year": np.array([2017, 2017]),
        "offsets": np.array([0, 80, 160]),
        "gold": gold,
        "cosine": gold + noise * np.random.default_rng([seed, int(10 * noise)]).normal(size=160),
    }


@pytest.fixture
def table2(made, plan, scored):
    for name, noise in NOISE.items():
        for seed in (0,) if name == "muse.en-es" else SEEDS:
            scored(name, "sts2017", seed, items(noise, seed))
            hits = np.arange(100) % 10 > noise
            scored(name, "retrieval", seed, {"en-es": hits, "es-en": hits})
    missing = [{"task": "track1.ar-ar", "year": "2017", "of": 250, "why": "needs the archives"}]
    write_json(plan.root / "corpora/sts/index.json", {"tasks": [], "missing": missing})
    return made("table2", VALUES)


def test_a_row_has_the_mean_over_seeds_and_an_empty_cell_where_a_track_is_missing(table2):
    _, _, report = table2
    rows = report.frame.set_index("row")
    assert list(rows.columns[:5]) == [
        "experiments", "pairs", "dimension", "vocabulary", "seed_count"
    ]  # fmt: skip
    assert rows["ar-ar_pearson_x100"].isna().all()
    r = []
    for seed in SEEDS:
        one = items(0.8, seed)
        r.append(np.corrcoef(one["gold"][:80], one["cosine"][:80])[0, 1])
    assert rows.loc["SP", "es-en-4a_pearson_x100"] == pytest.approx(100 * np.mean(r))
    assert rows.loc["SP", "es-en-4a_low_pearson_x100"] < 100 * np.mean(r)
    assert rows.loc["SP", "en-es_p_at_1_x100"] == 90.0
    assert list(rows.loc["SP"])[:5] == ["sp.en-es", 500, 300, 4000, 5]
    assert rows.loc["Multilingual USE", "seed_count"] == 1
    assert rows.loc["Multilingual USE", ["pairs", "dimension", "vocabulary"]].isna().all()


def test_markdown_says_which_column_is_empty_why_and_what_to_do(table2, made):
    text = table2[2].markdown
    assert "- ar-ar: needs the archives" in text
    assert "`mirror`" in text and "kind: local" in text
    assert "en-en scores that of es" in text
    assert "P@1 x 100 on 100 held-out sentences" in text
    assert "| SP | 500 | 300 | 4,000 | **90.0** [" in text
    complete = made("table2", VALUES | {"tracks": VALUES["tracks"][1:]})
    assert "Every track was at hand." in complete[2].markdown


def test_claims_follow_from_what_was_measured(table2):
    _, given, report = table2
    start = "wieting2019.table2."
    claims = {claim.claim.removeprefix(start): claim for claim in judge(given, report)}
    assert claims["dimension-sts.sp-1024-sp.all"].verdict == "supported"
    assert claims["dimension-sts.sp-1024-sp.en-en"].n == 80
    assert "more dimensions help" in claims["dimension-sts.sp-1024-sp.en-en"].statement
    assert claims["random-behind-sts.random-sp.es-en-4a"].verdict == "supported"
    behind = claims["random-behind-retrieval.random-sp.en-es"]
    assert (behind.statistic, behind.verdict) == (pytest.approx(60.0), "description")
    assert claims["random-trigram.random-sp.en-en"].verdict == "supported"
    assert claims["random-trigram.random-sp.en-en"].seeds == "5 and 5"
    # nothing of the missing track, or of columns within a language
    assert not [name for name in claims if "ar-ar" in name]
    assert "random-behind-sts.random-sp.en-en" not in claims
    assert len(claims) == 3 + 3 + 2 + 6 + 1 + 2


def test_the_task_that_chose_the_recipes_enters_no_claim(table2, made):
    _, given, _ = table2
    given.plan.study.sts.selection = EN
    report = table2[0].build(given)
    assert "en-en scores that of es, enters no claim" in report.markdown
    assert not [claim for claim in judge(given, report) if claim.claim.endswith("en-en")]


def test_random_encoders_are_held_against_the_baselines_within_a_language(table2, made):
    _, given, report = table2
    start = "wieting2019.table2.random-competitive."
    claims = {claim.claim: claim for claim in judge(given, report)}
    found = claims[f"{start}random-sp-multilingual-use.en-en"]
    assert (found.margin, found.verdict, found.seeds) == (-1, "contradicted", "5 and 1")
    assert "; non-inferior within 1" in found.test and "one seed" not in found.test
    assert [name for name in claims if "competitive" in name] == [
        f"{start}random-{name}-multilingual-use.en-en" for name in ("trigram", "sp")
    ]
    _, given, report = made("table2", VALUES | {"baselines": []})
    assert not [claim for claim in judge(given, report) if "competitive" in claim.claim]


def test_figure_has_a_panel_for_each_half(table2):
    table, given, report = table2
    panels = table.plot("figures/table2", report.frame, given).axes
    names = [[label.get_text() for label in panel.get_yticklabels()] for panel in panels]
    assert names == [["es-en-4a", "en-en"], ["en-es", "es-en"]]


def test_a_row_of_encoders_of_unequal_text_says_so():
    most = {"sp.en-es": 50_000, "sp.en-ar": 33_000}
    outline = SimpleNamespace(
        described=lambda name: {"pairs": most[name], "dimension": 300, "vocabulary": 8000}
    )
    kind = SimpleNamespace(
        rows=[SimpleNamespace(encoder="sp", training="bitext", label="SP")], baselines=[],
        trainings={"bitext": {"es": "en-es", "ar": "en-ar"}}, languages=["es", "ar"],
    )  # fmt: skip
    (line,) = Table2._lines(kind, outline)
    assert (line.about["pairs"], line.most_pairs) == (33_000, 50_000)
