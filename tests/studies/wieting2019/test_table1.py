"""Table 1 from tiny score files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from tandem.errors import TandemError
from tandem.files.io import write_json
from tandem.reporting.claims import judge
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter

NOISE = {"back-translated": 1.0, "bitext": 0.7, "bitext-2x": 0.4, "random": 5.0}
WORSE = {"sp": 1.0, "word": 1.6, "trigram": 3.0}
SIZES = {"sp": 17, "word": 20, "trigram": 12}
MEANS = {"common": "the 2 tasks", "every": "all 3 tasks"}
VALUES = {"encoders": list(WORSE), "settings": list(NOISE), "means": MEANS, "covered": None}
TRAINING = {
    "pairs": 1000,
    "objective": {"kind": "margin", "megabatch": 120, "anneal": 4},
    "recipe": {"batch": 100, "epochs": 2},
}
INDEX = {
    "tasks": [
        {"file": "2012.a.tsv", "of": 120},
        {"file": "2012.b.tsv", "of": 50},
        {"file": "2013.c.tsv", "of": None},
    ],
    "missing": [
        {"year": "2012", "task": "d", "of": 1459, "why": "not distributed"},
        {"year": "2017", "task": "e", "of": 250, "why": "never named here"},
    ],
}


def items(noise, seed, without=()):
    """Items of three tasks, or of those that could be downloaded."""
    shared = np.random.default_rng(0)
    gold, error = shared.uniform(0, 5, 250), shared.normal(size=250)
    cosine = gold + noise * (error + 0.2 * np.random.default_rng(seed).normal(size=250))
    parts = {"2012.a": (0, 120), "2012.b": (120, 160), "2013.c": (160, 250)}
    names = [name for name in parts if name not in without]
    rows = np.concatenate([np.arange(*parts[name]) for name in names])
    return {
        "task": np.array(names),
        "year": np.array([int(name[:4]) for name in names]),
        "offsets": np.cumsum([0, *(end - start for start, end in map(parts.get, names))]),
        "gold": gold[rows],
        "cosine": cosine[rows],
    }


@pytest.fixture
def trained(plan, scored):
    """Return a function that writes the models of an experiment and their scores."""

    def write(name, noise, without=()):
        for seed in (1, 2):
            if name != "word.random" or seed == 1:
                scored(name, "sts", seed, items(noise, seed, without))
            folder = plan.root / "models" / name / f"seed{seed}"
            folder.mkdir(parents=True)
            size = SIZES.get(name.split(".")[0], 30)
            weights = {"a": np.zeros((size - 5,), "f4"), "b": np.zeros((1, 5), "f4")}
            save_file(weights, folder / "model.safetensors")
            training = {"pairs": 0} if name.endswith(".random") else TRAINING
            write_json(folder / "encoder.json", {"training": training})

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
        "megabatch", "parameters",
        "sts2012_pearson_x100", "sts2013_pearson_x100", "mean_pearson_x100",
        "mean_low_pearson_x100", "mean_high_pearson_x100",
        *(f"{unit}_{end}pearson_x100" for unit in MEANS for end in ("", "low_", "high_")),
        "sd_over_seeds_pearson_x100",
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
        *["| Encoder | En-En (1,000 pairs, 2,000 English sentences) | En-Cs (1,000 pairs, 1,000 "
        "English sentences) | En-Cs, equal English (2,000 pairs, 2,000 English sentences) | "
        "Untrained |"] * 2,
        "| Encoder | Trained on | Parameters | 2012 | 2013 | Mean | Seeds |",
    ]
    best = next(line for line in lines if line.startswith("| SP | "))
    assert best.count("**") == 8  # the best encoder of every column
    row = report.frame.iloc[0]
    figures = [f"{row[name]:.1f}" for name in report.frame.columns[8:11]]
    assert f"| SP | En-En | 17 | {' | '.join(figures)} | 2 |" in lines
    assert "averaged over 1 or 2 seeds" in report.markdown
    assert "scores on the 2 tasks: mean" in report.markdown and "## On all 3 tasks" in lines
    assert "- En-Cs (bitext): 4." in lines  # of 10 batches in each of 2 epochs; one more every 4
    assert lines[-4:] == [
        "",
        "- 2012, 2 of 3 tasks: a (120 of 120 pairs), b (40 of 50 pairs). "
        "Not scored: d (1,459 pairs: not distributed).",
        "- 2013, 1 of 1 tasks: c (90 pairs).",
        "",
    ]


def test_claims_are_judged_for_every_encoder_that_has_the_scores(table1):
    _, given, report = table1
    verdicts = {claim.claim: str(claim.verdict) for claim in judge(given, report)}
    start = "wieting2019.table1."
    every = {name.removeprefix(f"{start}every-task.") for name in verdicts if "every" in name}
    verdicts = {name: verdict for name, verdict in verdicts.items() if "every" not in name}
    assert every == {name.removeprefix(start) for name in verdicts if "parameters" not in name}
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
    test = "sts common of sp.bitext minus sp.back-translated;"
    assert claims[f"{start}same-pairs.sp"].test.startswith(test)
    assert claims[f"{start}fewer-parameters.trigram"].statistic == -5
    equal = claims[f"{start}equal-english.sp"]
    assert (equal.margin, equal.test.split("; ")[-1]) == (-1, "non-inferior within 1")


def test_an_experiment_beside_the_layout_is_shown_by_years_and_tested(table1, trained, made):
    settings = {"bitext": 1.0, "bitext-annealed": 1.5, "bitext-unannealed": 6.0}
    for setting, noise in settings.items():
        trained(f"lstm-sp.{setting}", noise)
    values = VALUES | {"also": [f"lstm-sp.{setting}" for setting in settings]}
    table, given, report = made("table1", values)
    assert list(report.frame["experiment"])[-3:] == values["also"]
    assert report.markdown.count("| LSTM-SP |") == 3  # in the table of years
    (axes,) = table.plot("figures/table1", report.frame, given).axes
    assert "LSTM-SP" not in [label.get_text() for label in axes.get_yticklabels()]
    claims = {claim.claim: claim for claim in judge(given, report)}
    assert len(claims) == 15 + 14 + 2
    gain = claims["wieting2019.table1.annealing.lstm-sp"]
    sides = "lstm-sp.bitext-annealed minus lstm-sp.bitext-unannealed"
    assert gain.test.startswith(f"sts common of {sides};")
    assert gain.statistic > 0 and gain.p is not None


def test_fewer_epochs_than_the_papers_are_marked_and_not_compared(table1, trained, made):
    for setting, noise in NOISE.items():
        trained(f"lstm.{setting}", noise)
    _, given, report = made("table1", VALUES | {"encoders": ["sp", "lstm"]})
    assert list(report.frame["epochs"]) == [10, 10, 10, 0, 1, 1, 1, 0]
    assert list(report.frame["megabatch"].fillna(0)) == [4, 4, 4, 0] * 2
    lines = [line for line in report.markdown.split("\n") if line.startswith("| LSTM")]
    assert [line.split(" | ")[0] for line in lines] == (
        # those of the means, and by year; untrained
        ["| LSTM, fewer epochs (1)"] * 5 + ["| LSTM"]
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
    values = VALUES | {"encoders": ["sp", "word"], "settings": other}
    _, given, report = made("table1", values)
    found = judge(replace(given, name="table1-es"), report)
    assert found[0].claim == "wieting2019.table1-es.same-pairs.sp"
    assert found[0].test.startswith("sts common of sp.bitext-es minus sp.back-translated-es;")
    assert len(found) == 2 * (3 + 3 + 1 + 1)


def test_figure_has_a_row_for_each_encoder_and_a_series_for_each_setting(table1, tmp_path):
    table, given, report = table1
    report.frame.to_csv(tmp_path / "table1.csv", index=False)
    (axes,) = table.plot("figures/table1", pd.read_csv(tmp_path / "table1.csv"), given).axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["SP", "WORD", "TRIGRAM"]
    labels = [c.get_label() for c in axes.containers]
    assert labels == ["En-En", "En-Cs", "En-Cs, equal English", "Untrained"]
    drawn = list(axes.containers[1].lines[0].get_xdata())
    bitext = report.frame[report.frame["setting"] == "bitext"]
    assert drawn == pytest.approx(list(bitext["common_pearson_x100"]))


def test_claims_are_the_same_where_some_tasks_could_not_be_downloaded(table1, trained, made, plan):
    _, given, report = table1
    whole = {claim.claim: claim for claim in judge(given, report)}
    for file in plan.root.glob("scores/*/sts/seed*"):
        file.unlink()
    for folder in plan.root.glob("models/*/seed*"):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    for encoder, worse in WORSE.items():
        for setting, noise in NOISE.items():
            trained(f"{encoder}.{setting}", noise * worse, without=["2012.b"])
    _, given, report = made("table1", VALUES)
    fewer = {claim.claim: claim for claim in judge(given, report)}
    assert fewer == {name: claim for name, claim in whole.items() if "every-task" not in name}
    assert len(fewer) == 15
    assert "Not scored: some of these could not be downloaded" in report.markdown
    assert "every_pearson_x100" not in report.frame.columns


def test_a_first_mean_that_was_not_scored_is_refused(table1, made):
    with pytest.raises(TandemError, match="tables.table1: sts has no mean 'few'"):
        made("table1", VALUES | {"means": {"few": "few", **MEANS}})


def test_covered_pairs_stand_beside_with_what_each_encoder_reads(plan, table1, scored, made):
    for encoder in WORSE:
        for setting in NOISE:
            name = f"{encoder}.{setting}"
            for seed in (1, 2):
                some = items(NOISE[setting] * WORSE[encoder], seed)
                covered = np.random.default_rng(seed).random(250) < 0.5
                scored(name, "covered", seed, some | {"covered": covered})
                folder = plan.root / "models" / name / f"seed{seed}/segmenter"
                folder.mkdir()
                words = ["cat"] if encoder == "word" else ["cat", "dog"]
                Segmenter(Words(), words, {"en": None}).save(folder)
    entries = []
    for task, text in {"2012.a": "cat cat", "2012.b": "cow", "2013.c": "cat dog"}.items():
        (plan.root / f"corpora/sts/{task}.tsv").write_text(f"1\t{text}\tcat\n2\tcat\t{text}\n")
        entry = {"file": f"{task}.tsv", "of": None, "languages": ["en", "en"]}
        entries.append(entry)
    write_json(plan.root / "corpora/sts/index.json", {"tasks": entries, "missing": []})
    _, given, report = made("table1", VALUES | {"covered": "covered"})
    rows = report.frame.set_index("experiment")
    # a and c: 12 words, of which WORD lacks 2; b: 4 more, of which no one has 2
    assert rows.loc["word.bitext", "common_coverage_x100"] == pytest.approx(100 * 10 / 12)
    assert rows.loc["word.bitext", "every_coverage_x100"] == pytest.approx(100 * 12 / 16)
    assert rows.loc["sp.bitext", "common_coverage_x100"] == 100
    cell = given.scores.cell("sp.bitext", "covered", "common")
    assert rows.loc["sp.bitext", "covered_common_pearson_x100"] == cell.estimate
    assert rows.loc["sp.bitext", "covered_common_pairs"] == cell.items
    assert "| SP | En-Cs | 17 | 100.0% |" in report.markdown
    assert "## Pairs without unknown words" in report.markdown
    claims = {claim.claim: claim for claim in judge(given, report)}
    lead = claims["wieting2019.table1.covered.sp-best-equal-pairs.word"]
    assert lead.test.startswith("covered common of sp.bitext minus word.bitext;")
    assert lead.n == cell.items
    assert claims["wieting2019.table1.every-task.covered.sp-best-equal-english.word"].p is not None
