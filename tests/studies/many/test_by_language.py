"""The joint encoder beside one of each language alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tandem.files.io import read_json, write_json
from tandem.reporting.claim_entries import read_claims
from tandem.reporting.claim_test import CLAIM_TESTS, Evidence
from tandem.reporting.claims import judge

VALUES = {
    "joint": "sp.joint",
    "alone": "sp.alone",
    "scripts": {"Arabic": ["ar"], "East Asian": ["ja"]},
}


@pytest.fixture
def report(made, hits):
    hits("sp.joint", ar=80, de=90, ja=70, fr=60)
    for language, count in {"ar": 50, "de": 88, "ja": 50}.items():
        hits(f"sp.alone-{language}", **{language: count})
    return made("by-language", VALUES)


def test_a_line_for_each_language_with_what_it_gains(report):
    rows = report[2].frame.set_index("language")
    assert list(rows.index) == ["ar", "de", "ja", "fr"]
    assert rows.loc["ar", "script"] == "Arabic" and rows.loc["fr", "script"] == "Latin"
    assert rows.loc["ja", "pairs"] == 500 and rows.loc["ja", "sentences"] == 100
    assert rows.loc["ar", "joint_into_p_at_1_x100"] == pytest.approx(78.5)
    assert rows.loc["ar", "gain_into_p_at_1_x100"] == pytest.approx(30)
    assert rows.loc["ar", "gain_from_p_at_1_x100"] == pytest.approx(-30)
    bounds = [f"gain_into_{end}_p_at_1_x100" for end in ("low", "high")]
    assert rows.loc["de", bounds[0]] < 2 < rows.loc["de", bounds[1]]
    alone = [column for column in rows if column.startswith(("alone", "gain"))]
    assert rows.loc["fr", alone].isna().all()  # the study does not train it alone


def test_the_page_tells_the_means_and_who_is_ahead(report):
    table, given, made = report
    assert "mean of 4 languages: 26.5 to and 73.5 from English" in made.markdown
    assert "Of the 3 that were also trained alone" in made.markdown
    assert "joint ahead in 0 to English and 3 from English" in made.markdown
    figure = table.plot("figures/languages", made.frame, given)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["fr", "ja", "ar", "de"]


def test_sources_of_one_language_share_a_grid_and_a_panel(made, plan, scored):
    path = Path(plan.path("corpora", "c"), "collection.json")
    parts = read_json(path)["parts"]
    for source in ("handbook", "dictionary"):
        parts.append(parts[1] | {"source": source})
    write_json(path, {"parts": parts})
    units = ["bible.en-ar", "bible.ar-en", "bible.en-de", "bible.de-en"]
    units += ["handbook.en-de", "handbook.de-en", "dictionary.en-de", "dictionary.de-en"]
    for experiment in ("sp.joint", "sp.alone-de"):
        for seed in (1, 2):
            items = {unit: np.arange(100) < 90 - i - seed for i, unit in enumerate(units)}
            scored(experiment, "retrieval", seed, items)
    for language in ("ar", "ja"):
        scored(f"sp.alone-{language}", "retrieval", 1, {})
    table, given, report = made("by-language", VALUES)
    assert report.markdown.count("\n## ") == 2
    several, single = report.markdown.split("\n## ")[1:]
    assert several.startswith("bible\n\nJoint, mean of 2 languages")
    assert single.startswith("Sources of one language\n\n| Language")
    assert "| de, handbook |" in single and "| de, dictionary |" in single
    figure = table.plot("figures/languages", report.frame, given)
    labels = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert labels == [["ar", "de"], ["de, handbook", "de, dictionary"]]


def test_as_good_is_tested_and_corrected_for_the_languages_alone(made, hits, tmp_path):
    rates = {"ar": (80, 50), "de": (90, 90), "ja": (70, 70)}
    hits("sp.joint", fr=60, **{language: joint for language, (joint, _) in rates.items()})
    for language, (_, alone) in rates.items():
        hits(f"sp.alone-{language}", **{language: alone})
    _, given, report = made("by-language", VALUES)
    entries = read_claims(given.paper("claims.yaml"))["languages"]
    [entry] = [entry for entry in entries if entry.id == "languages.as-good"]
    plain = entry.model_dump(exclude={"each", "test"}) | {"each": [{"language": n} for n in rates]}
    sides = {
        "better": {"experiment": "sp.joint", "task": "retrieval", "unit": "bible.{language}-en"},
        "worse": {"experiment": "sp.alone-{language}", "task": "retrieval",
                  "unit": "bible.{language}-en"},
    }  # fmt: skip
    plain["test"] = {"kind": entry.test.kind, **sides}
    write_json(tmp_path / "claims.yaml", {given.name: [plain]})
    given = replace(given, files=given.files | {"paper": [tmp_path / "claims.yaml"]})
    claims = {claim.claim.rpartition(".")[2]: claim for claim in judge(given, report)}
    assert claims["ar"].verdict == "contradicted"
    assert claims["de"].statistic == 0 and claims["de"].margin == 2
    assert all(claims[language].p_holm >= claims[language].p for language in rates)
    assert claims["all"].verdict == "contradicted"


def test_groups_of_languages_are_compared_by_their_means(report, plan):
    _, given, made = report
    frame = made.frames["languages"]
    assert set(frame["language"]) == {"ar", "de", "ja"}
    values = {"kind": "group-means", "frame": "languages", "by": "script", "others": ["Latin"],
              "column": "gain_into_p_at_1_x100", "unit": "x"}  # fmt: skip
    evidence = Evidence(given.scores, {"languages": frame}, plan)
    assert CLAIM_TESTS.parse(values).measure(evidence, 0) is None  # one Latin language alone
    more = frame.loc[frame.index.repeat(3)].reset_index(drop=True)
    more.loc[more["script"] == "Latin", values["column"]] = [1.0, 2.0, 3.0]
    evidence = Evidence(given.scores, {"languages": more}, plan)
    found = CLAIM_TESTS.parse(values).measure(evidence, 0)
    assert found.statistic == pytest.approx(23)  # 30 and 20 of the others, 2
    assert found.low < 23 < found.high and found.p < 0.01
    assert CLAIM_TESTS.parse(values).measure(evidence, 23).p == pytest.approx(1)
    assert CLAIM_TESTS.parse(values).measure(evidence, 5).low == pytest.approx(found.low)
