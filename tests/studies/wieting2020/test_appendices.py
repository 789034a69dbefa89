"""Tables 5 and 7 and Figure 5: times, marks, claims and curves."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tandem.files.io import read_yaml
from tandem.reporting.claims import judge
from tandem.reporting.plots import save
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.tasks.task import TASKS, write_scores

NOISE = {"hidden": 40.0, "word": 8.0, "attention": 3.0, "logit": 0.5, "layers": 2.0, "1": 9.0,
         "5": 1.0, "untrained": 20.0}  # fmt: skip
"""Of a setting, by its last word."""


@pytest.fixture
def report_of(plan_of, words, sts, home, tmp_path, learned):
    """Return a function: a table of the study by its name, built of models that differ."""
    tasks = {"sts": TASKS.parse({"kind": "sts", "years": [2012, 2013, 2016]})}
    plan = plan_of(tmp_path, tasks)
    plan.seeds = lambda experiment: [1, 2]
    learned["appendix-lstm.placed-word"] = 99.0

    def build(name):
        table = TABLES.parse(read_yaml(home / "study.yaml")["tables"][name])
        plan.study = SimpleNamespace(tasks=tasks, epochs=None, tables={name: table})
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
        for folder in files["scores.sts"]:
            setting = folder.parent.name.split(".")[1]
            folder.mkdir(parents=True)
            for seed in (1, 2):
                noise = NOISE.get(setting.rpartition("-")[2], 5.0)
                items = tasks["sts"].score(words(noise, seed), {"sts": sts})
                origin = {"experiment": folder.parent.name, "task": "sts", "seed": seed}
                write_scores(f"{folder}/seed{seed}", tasks["sts"], items, origin)
        for path in files.get("times", []):
            path.parent.mkdir(exist_ok=True)
            names = table.experiments(plan)
            rates = {n: [100.0, 50.0] for n in names}
            times = {"rates": rates, "pairs": dict.fromkeys(names, 3000),
                     "timed": dict.fromkeys(names, 200), "device": "cpu"}  # fmt: skip
            path.write_text(json.dumps(times))
        files["paper"] = [home / "claims.yaml", home / "published.yaml"]
        read = [f for folder in files["scores.sts"] for f in sorted(folder.glob("seed*.json"))]
        material = Material(name, plan, files, Scores(read, tasks, 100, 1), "tiny")
        report = table.build(material)
        for figure in table.figures(name):
            picture = tmp_path / "figure.png"
            save(table.plot(figure, report.frame, material), [picture])
            assert picture.stat().st_size > 5000
        return report, {claim.claim: claim for claim in judge(material, report)}

    return build


def test_placements_with_their_times(report_of):
    report, claims = report_of("table5")
    rows = report.frame.set_index("name")
    # 3,000 pairs, half of the turns at 100 and half at 50 pairs a second
    assert rows.loc["logit", "epoch_seconds"] == pytest.approx(45)
    assert (rows.loc["logit", "epoch_fastest"], rows.loc["logit", "epoch_slowest"]) == (30, 60)
    assert rows.loc["logit", "held_out_nats"] == 50 and rows.loc["logit", "unigram_nats"] == 80
    assert list(rows["begun"]) == [name != "word" for name in rows.index]
    assert "| BiLSTM (Word)‡ |" in report.markdown
    assert "| BiLSTM (Hidden)§ |" in report.markdown
    assert "| *BiLSTM (Logit)* | *wieting2020, Table 5* | *69.4* | *1,603* |" in report.markdown
    better = claims["wieting2020.table5.nearer.logit.hidden"]
    assert better.statistic > 0 and better.published == 15.1
    # nothing is claimed of a model that has not begun to learn
    barred = claims["wieting2020.table5.nearer.logit.word"]
    assert barred.verdict == "not comparable" and barred.p_holm is None
    assert "appendix-lstm.placed-word: has not begun to learn" in barred.test
    assert better.verdict != "not comparable"
    assert claims["wieting2020.table5.nearer.all"].verdict == "not comparable"


def test_layers(report_of):
    report, claims = report_of("table7")
    assert set(claims) == {"wieting2020.table7.decoder", "wieting2020.table7.encoder"}
    decoder = claims["wieting2020.table7.decoder"]
    # the same noise: the same scores
    assert decoder.statistic == pytest.approx(0) and decoder.margin == -1
    assert decoder.published == 0.5


def test_sizes_of_batches(report_of):
    report, claims = report_of("figure5")
    assert list(report.frame["batch_tokens"]) == 2 * [1000, 2000, 3000, 4000, 5000]
    name = "wieting2020.figure5.larger.transformer-batch-5.transformer-batch-1"
    assert claims[name].statistic > 0 and claims[name].published is None
    assert len(claims) == 3
