"""Table 1 from tiny score files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from tandem.files.io import write_json
from tandem.reporting.claims import judge

NOISE = {"back-translated": 1.0, "bitext": 0.7, "bitext-2x": 0.4, "random": 5.0}
WORSE = {"sp": 1.0, "word": 1.6, "trigram": 3.0}
SIZES = {"sp": 17, "word": 20, "trigram": 12}
VALUES = {"encoders": list(WORSE), "settings": list(NOISE)}
INDEX = {
    "tasks": [
        {"file": "2012.a.tsv", "of": 40},
        {"file": "2012.b.tsv", "of": 50},
        {"file": "2013.c.tsv", "of": None},
    ],
    "missing": [
        {"year": "2012", "task": "d", "of": 1459, "why": "not distributed"},
        {"year": "2017", "task": "e", "of": 250, "why": "never named here"},
    ],
}


def items(noise, seed):
    gold = np.random.default_rng(0).uniform(0, 5, 110)
    return {
        "task": np.array(["2012.a", "2012.b", "2013.c"]),
        "year": np.array([2012, 2012, 2013]),
        "offsets": np.array([0, 40, 80, 110]),
        "gold": gold,
        "cosine": gold + noise * np.random.default_rng(seed).normal(size=110),
    }


@pytest.fixture
def trained(plan, scored):
    """Return a function that writes the models of an experiment and their scores."""

    def write(name, noise):
        for seed in (1, 2):
            if name != "word.random" or seed == 1:
                scored(name, "sts", seed, items(noise, seed))
            folder = plan.root / "models" / name / f"seed{seed}"
            folder.mkdir(parents=True)
            size = SIZES.get(name.split(".")[0], 30)
            weights = {"a": np.zeros((size - 5,), "f4"), "b": np.zeros((1, 5), "f4")}
            save_file(weights, folder / "model.safetensors")

    return write


@pytest.fixture
def table1(made, plan, trained):
    for encoder, worse in WORSE.items():
        for setting, noise in NOISE.items():
            trained(f"{encoder}.{setting}", noise * worse)
    write_json(plan.root / "corpora/sts/index.json", INDEX)
    return made("table1", VALUES)


def test_rows_and_columns(table1):
    _, given, report = table1
    assert list(report.frame.columns) == [
        "experiment", "encoder", "setting", "pairs", "english_sentences", "epochs",
        "parameters",
        "sts2012_pearson_x100", "sts2013_pearson_x100", "mean_pearson_x100",
        "mean_low_pearson_x100", "mean_high_pearson_x100", "sd_over_seeds_pearson_x100",
        "seed_count", "seeds",
    ]  # fmt: skip
    assert list(report.frame["experiment"])[:5] == [
        "sp.back-translated", "sp.bitext", "sp.bitext-2x", "sp.random", "word.back-translated"
    ]  # fmt: skip
    rows = report.frame.set_index("experiment")
    name = "sp.back-translated"
    row, one = rows.loc[name], given.scores.values(name, "sts", "mean")
    years = given.scores.values(name, "sts", "2012")
    assert row["sts2012_pearson_x100"] == pytest.approx((years[1] + years[2]) / 2)
    assert row["mean_pearson_x100"] == pytest.approx((one[1] + one[2]) / 2, abs=1e-3)
    sd = abs(one[1] - one[2]) / np.sqrt(2)
    assert row["sd_over_seeds_pearson_x100"] == pytest.approx(sd, abs=1e-4)
    assert (row["pairs"], row["english_sentences"], row["parameters"]) == (1000, 2000, 17)
    assert (row["seed_count"], row["seeds"]) == (2, "1 2")
    assert row["mean_low_pearson_x100"] < row["mean_pearson_x100"] < row["mean_high_pearson_x100"]
    assert np.isnan(rows.loc["word.random", "sd_over_seeds_pearson_x100"])


def test_markdown_is_laid_out_as_the_paper_does(table1):
    _, _, report = table1
    lines = report.markdown.split("\n")
    heads = [line for line in lines if line.startswith("| Encoder")]
    assert heads == [
        "| Encoder | En-En (1,000 pairs, 2,000 English sentences) | En-Cs (1,000 pairs, 1,000 "
        "English sentences) | En-Cs, equal English (2,000 pairs, 2,000 English sentences) | "
        "Untrained |",
        "| Encoder | Trained on | Parameters | 2012 | 2013 | Mean | Seeds |",
    ]
    best = next(line for line in lines if line.startswith("| SP | "))
    assert best.count("**") == 8  # the best encoder of every column
    row = report.frame.iloc[0]
    figures = [f"{row[name]:.1f}" for name in report.frame.columns[7:10]]
    assert f"| SP | En-En | 17 | {' | '.join(figures)} | 2 |" in lines
    assert "averaged over 1 or 2 seeds" in report.markdown
    assert lines[-4:] == [
        "",
        "- 2012, 2 of 3 tasks: a (40 of 40 pairs), b (40 of 50 pairs). "
        "Not scored: d (1,459 pairs: not distributed).",
        "- 2013, 1 of 1 tasks: c (30 pairs).",
        "",
    ]


def test_claims_are_judged_for_every_encoder_that_has_the_scores(table1):
    _, given, report = table1
    verdicts = {claim.claim: str(claim.verdict) for claim in judge(given, report)}
    start = "wieting2019.table1."
    assert {name.removeprefix(start): verdict for name, verdict in verdicts.items()} == {
        "same-pairs.sp": "supported",  # the exception: bitext is better for SP
        "same-pairs.word": "contradicted",
        "same-pairs.trigram": "contradicted",
        "same-pairs.all": "contradicted",
        "equal-english.sp": "supported",
        "equal-english.word": "supported",
        "equal-english.trigram": "supported",
        "equal-english.all": "supported",
        "sp-best-equal-pairs.word": "supported",
        "sp-best-equal-pairs.trigram": "supported",
        "sp-best-equal-pairs.all": "supported",
        "sp-best-equal-english.word": "supported",
        "sp-best-equal-english.trigram": "supported",
        "sp-best-equal-english.all": "supported",
        "fewer-parameters.trigram": "description",
    }
    claims = {claim.claim: claim for claim in judge(given, report)}
    test = "sts mean of sp.bitext minus sp.back-translated;"
    assert claims[f"{start}same-pairs.sp"].test.startswith(test)
    assert claims[f"{start}fewer-parameters.trigram"].statistic == -5
    equal = claims[f"{start}equal-english.sp"]
    assert (equal.margin, equal.test.split("; ")[-1]) == (-1, "non-inferior within 1")


def test_an_experiment_beside_the_layout_is_shown_by_years_and_tested(table1, trained, made):
    for setting in ("bitext", "bitext-unannealed"):
        trained(f"lstm-sp.{setting}", 1.0 if setting == "bitext" else 6.0)
    values = VALUES | {"also": ["lstm-sp.bitext", "lstm-sp.bitext-unannealed"]}
    table, given, report = made("table1", values)
    assert list(report.frame["experiment"])[-2:] == values["also"]
    assert report.markdown.count("| LSTM-SP |") == 2  # in the table of years
    (axes,) = table.plot("figures/table1", report.frame, given).axes
    assert "LSTM-SP" not in [label.get_text() for label in axes.get_yticklabels()]
    claims = {claim.claim: claim for claim in judge(given, report)}
    assert len(claims) == 15 + 1
    gain = claims["wieting2019.table1.annealing.lstm-sp"]
    assert gain.test.startswith("sts mean of lstm-sp.bitext minus lstm-sp.bitext-unannealed;")
    assert gain.verdict == "supported"


def test_fewer_epochs_than_the_papers_are_marked_and_not_compared(table1, trained, made):
    for setting, noise in NOISE.items():
        trained(f"lstm.{setting}", noise)
    _, given, report = made("table1", VALUES | {"encoders": ["sp", "lstm"]})
    assert list(report.frame["epochs"]) == [10, 10, 10, 0, 1, 1, 1, 0]
    lines = [line for line in report.markdown.split("\n") if line.startswith("| LSTM")]
    assert [line.split(" | ")[0] for line in lines] == (
        ["| LSTM, fewer epochs (1)"] * 4 + ["| LSTM"]  # that of the means, and by year; untrained
    )
    start = "wieting2019.table1."
    claims = {claim.claim.removeprefix(start): claim for claim in judge(given, report)}
    assert claims["same-pairs.sp"].verdict == "supported"
    unequal = claims["sp-best-equal-pairs.lstm"]
    assert (unequal.verdict, unequal.p, unequal.p_holm) == ("not comparable", None, None)
    assert unequal.test.endswith("; fewer epochs than the paper's 10: lstm.bitext (1)")
    assert claims["same-pairs.all"].verdict == "not comparable"
    # the correction counts what is tested: two of SP
    assert claims["same-pairs.sp"].p_holm <= 2 * claims["same-pairs.sp"].p


def test_a_replication_takes_the_claims_with_its_own_settings(table1, trained, made):
    other = [f"{setting}-es" for setting in NOISE]
    for encoder in ("sp", "word"):
        for setting, noise in NOISE.items():
            trained(f"{encoder}.{setting}-es", noise * WORSE[encoder])
    values = {"encoders": ["sp", "word"], "settings": other}
    _, given, report = made("table1", values)
    found = judge(replace(given, name="table1-es"), report)
    assert found[0].claim == "wieting2019.table1-es.same-pairs.sp"
    assert found[0].test.startswith("sts mean of sp.bitext-es minus sp.back-translated-es;")
    assert len(found) == 3 + 3 + 1 + 1


def test_figure_has_a_row_for_each_encoder_and_a_series_for_each_setting(table1, tmp_path):
    table, given, report = table1
    report.frame.to_csv(tmp_path / "table1.csv", index=False)
    (axes,) = table.plot("figures/table1", pd.read_csv(tmp_path / "table1.csv"), given).axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["SP", "WORD", "TRIGRAM"]
    labels = [c.get_label() for c in axes.containers]
    assert labels == ["En-En", "En-Cs", "En-Cs, equal English", "Untrained"]
    drawn = list(axes.containers[1].lines[0].get_xdata())
    bitext = report.frame[report.frame["setting"] == "bitext"]
    assert drawn == pytest.approx(list(bitext["mean_pearson_x100"]))
