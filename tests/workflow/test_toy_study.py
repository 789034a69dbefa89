"""The steps of CONTRIBUTING.md: a study with kinds of its own, in one folder, beside the others."""

import csv
import json
import re
import textwrap

import printed
import pytest
from conftest import TINY, copy_of, planned, run_snakemake

STUDY = """
title: A toy
seeds: [2]
bitexts:
  toys: {sources: [tiny-bitext], languages: [en, cs], valid: 20, test: 30}
segmentations:
  words: {kind: words, size: 500}
encoders:
  mean: {label: Mean, segmentation: words, architecture: {kind: averaging, dimension: 16}}
  highest: {label: Highest, segmentation: words, architecture: {kind: highest, dimension: 16}}
objectives:
  margin: {kind: margin, megabatch: 2, anneal: 2}
  softmax: {kind: softmax, scale: 10}
recipes:
  quick: {epochs: 3, batch: 16, learning_rate: 0.01}
settings:
  plain: &plain
    label: Margin
    corpus: toys
    encoders: {mean: quick, highest: quick}
    objective: margin
    pairs: 100
    selection: retrieval
  soft: {<<: *plain, label: Softmax, objective: softmax}
  none: {<<: *plain, label: Untrained, trained: false}
tasks:
  near: {kind: near, above: 0.5}
  retrieval: {kind: retrieval}
tables:
  summary:
    kind: experiments
    title: A toy's table
    encoders: [mean, highest]
    settings: [plain, soft, none]
    tasks: [near, retrieval]
  counts: {kind: counts, encoders: [mean, highest], settings: [plain]}
"""
ENCODER = '''"""The highest value of each dimension over a sentence's tokens."""

from tandem.encoders.encoder import Encoder


class Highest(Encoder):
    """Element-wise maximum of the token embeddings."""

    def compose(self, weights, tokens):
        """Return the sentence vectors."""
        import torch

        offsets, dimension = tokens.offsets, tokens.table.shape[1]
        rows = torch.repeat_interleave(torch.arange(len(offsets) - 1), offsets.diff())
        embedded = tokens.table[tokens.ids]
        if tokens.dropout is not None:
            embedded = embedded * tokens.dropout.factors(dimension)
        out = embedded.new_zeros(len(offsets) - 1, dimension)
        index = rows.unsqueeze(1).expand_as(embedded)
        return out.scatter_reduce(0, index, embedded, "amax", include_self=False)
'''
OBJECTIVE = '''"""In-batch softmax over cosines."""

from tandem.objectives.contrastive import Contrastive


class Softmax(Contrastive):
    """Cross-entropy of a sentence's translation among those of its batch."""

    scale: float = 20.0
    """What cosines are multiplied by."""

    def loss(self, vectors, *part):
        """Return the mean of both directions."""
        import torch
        from torch.nn import functional

        left, right = functional.normalize(vectors, dim=-1)
        logits, own = self.scale * left @ right.T, torch.arange(len(left))
        both = functional.cross_entropy(logits, own) + functional.cross_entropy(logits.T, own)
        return both / 2
'''
TASK = '''"""How many translations are nearer than a cosine."""

import numpy as np

from tandem.tasks.task import Task


class Near(Task):
    """Share of the test pairs whose cosine is above a bound."""

    metric = "share_x100"
    above: float = 0.5
    """The bound."""

    def inputs(self, plan, experiment):
        """Name the corpus."""
        return {"corpus": plan.path("corpora", plan.setting(experiment).corpus)}

    def score(self, encoder, data):
        """Return the cosine of each pair."""
        from tandem.files.io import read_lines

        sides = (data["corpus"] / f"test.{side}" for side in ("en", "cs"))
        one, other = (encoder.encode(read_lines(p), p.suffix[1:]) for p in sides)
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        return {"cosine": (one * other).sum(1) / np.maximum(lengths, 1e-9)}

    def units(self, items):
        """Return the one figure."""
        return ["near"]

    def estimate(self, items, unit):
        """Return the share x 100."""
        return 100 * float((items["cosine"] > self.above).mean())

    def draws(self, systems, unit, resamples, seed):
        """Resample the pairs."""
        hits = np.stack([items["cosine"] > self.above for items in systems])
        n = hits.shape[1]
        drawn = np.random.default_rng(seed).integers(n, size=(resamples, n))
        return 100 * hits[:, drawn].mean(axis=2)

    def count(self, items, unit):
        """Count the pairs."""
        return len(items["cosine"])
'''
TABLE = '''"""How many seeds each experiment has."""

from tandem.reporting.table import Report, Table


class Counts(Table):
    """A row for each experiment."""

    encoders: list[str]
    """Rows."""
    settings: list[str]
    """Their settings."""

    def inputs(self, plan):
        """Name the scores."""
        return {"scores": plan.scores(plan.experiments(self.encoders, self.settings), "near")}

    def build(self, material):
        """Count the seeds."""
        import pandas as pd

        names = material.plan.experiments(self.encoders, self.settings)
        seeds = [len(material.scores.cell(name, "near", "near").seeds) for name in names]
        return Report(pd.DataFrame({"experiment": names, "seed_count": seeds}), "# Seeds")

    def figures(self, name):
        """Draw nothing."""
        return []
'''
CLAIMS = """
summary:
  - id: summary.training-helps
    part: "{name}"
    paper: toy
    place: nowhere
    statement: Trained {name} finds more than untrained
    each: [{name: mean}, {name: highest}]
    test:
      kind: difference
      better: {experiment: "{name}.plain", task: retrieval, unit: en-cs}
      worse: {experiment: "{name}.none", task: retrieval, unit: en-cs}
"""
RULES = '''"""Rules of this study alone: its target, and words counted."""

import toy.inputs

toy = toy.inputs.Inputs(STUDIES["toy"])


rule toy:
    """All tables, figures and claims of the toy, and its counts of words."""
    input:
        toy.plan.targets,
        toy.counts,


rule count_words:
    """Count the different words of the training text.

    Out: a number for each side, as JSON.
    """
    input:
        text=lambda w: toy.source(w.text),
    output:
        counts=toy.plan.path("words/{text}.json"),
    log:
        toy.plan.path("logs/count_words/{text}.log"),
    wildcard_constraints:
        text=alternatives(toy.plan.corpora),
    conda:
        "../../envs/tandem.yaml"
    params:
        sides=lambda w: toy.sides(w.text),
        code=digest("count_words.py", study="toy"),
    script:
        "scripts/count_words.py"
'''
INPUTS = '''"""What this study's rules read."""

from tandem.studies.plan import Plan


class Inputs:
    """Inputs and parameters of the study's rules, by text."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.counts = [plan.path("words", f"{text}.json") for text in plan.corpora]

    def source(self, text: str) -> str:
        """Return the folder of a text."""
        return self.plan.path("corpora", text)

    def sides(self, text: str) -> list[str]:
        """Return the languages of a text."""
        return self.plan.sides(text)
'''
SCRIPT = '''"""Count the different words of each side of a text."""

from pathlib import Path

from _adapter import logged
from tandem.files.io import read_lines, write_json

with logged(snakemake.log[0]) as log:
    counts = {}
    for side in snakemake.params.sides:
        lines = read_lines(Path(snakemake.input.text) / f"train.{side}")
        counts[side] = len({word for line in lines for word in line.split()})
    write_json(snakemake.output.counts, counts)
    log.info("%s", counts)
'''
COUNT = '''"""Count the different words of one side of a text, for the rules of CONTRIBUTING.md."""

from pathlib import Path

from tandem.files.io import read_lines, write_json

lines = read_lines(Path(snakemake.input.text) / "train.en")
write_json(snakemake.output.counts, len({word for line in lines for word in line.split()}))
'''
FILES = {
    "study.yaml": STUDY, "claims.yaml": CLAIMS, "encoders/highest.py": ENCODER,
    "objectives/softmax.py": OBJECTIVE, "tasks/near.py": TASK, "tables/counts.py": TABLE,
    "rules.smk": RULES, "inputs.py": INPUTS, "scripts/count_words.py": SCRIPT,
}  # fmt: skip
BESIDE = ["--config", 'study_folders=["workflow/studies", "mine"]']


def write_study(folder, files=FILES):
    for name, text in files.items():
        path = folder / "mine/toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


TARGETS = "all", "toy"  # before the options: --config takes all that follows it


@pytest.fixture(scope="module")
def beside(finished, tmp_path_factory):
    """A copy of the finished run in which the toy has run too."""
    copied = copy_of(finished, tmp_path_factory.mktemp("beside"))
    write_study(copied)
    others = list(copied.glob("results/*.*"))
    before = {path: path.stat().st_mtime_ns for path in others}
    wanted = planned(copied, *TARGETS, *TINY, *BESIDE)
    assert wanted["train"] == 2 * 3  # encoders, settings
    assert wanted["tabulate"] == 2
    # nothing of the other studies; and a corpus is fetched once for all
    assert set(wanted) == {
        "build_bitext", "segment", "train", "score", "tabulate", "plot", "collect_claims", "front",
        "count_words", "toy",
    }  # fmt: skip
    run = run_snakemake(copied, *TARGETS, "--cores", "2", *TINY, *BESIDE)
    assert run.returncode == 0, run.stdout + run.stderr
    assert {p: p.stat().st_mtime_ns for p in before} == before
    return copied


def test_a_study_in_one_folder_runs_beside_the_others_and_re_runs_nothing_of_theirs(beside):
    results = beside / "results/toy"
    table = {row["experiment"]: row for row in rows_of(results / "summary.csv")}
    assert len(table) == 6
    scores = {name: float(row["retrieval.en-cs_p_at_1_x100"]) for name, row in table.items()}
    assert scores["mean.soft"] > scores["mean.none"]
    plain = [table[f"{encoder}.plain"] for encoder in ("highest", "mean")]
    figures = [[v for k, v in row.items() if k.endswith("x100")] for row in plain]
    assert figures[0] != figures[1]
    assert [row["seed_count"] for row in rows_of(results / "counts.csv")] == ["1", "1"]
    claims = [row["claim"] for row in rows_of(results / "claims.csv")]
    assert claims == ["toy.summary.training-helps.mean", "toy.summary.training-helps.highest"]
    assert (results / "figures/summary.pdf").stat().st_size > 0
    model = json.loads((results / "models/highest.soft/seed2/encoder.json").read_text())
    assert model["encoder"] == {"kind": "highest", "dimension": 16}
    words = json.loads((results / "words/toys.json").read_text())
    assert words.keys() == {"en", "cs"} and min(words.values()) > 1
    assert planned(beside, *TARGETS, *TINY, *BESIDE) == {}


def test_the_rules_that_contributing_prints_run(tiny):
    blocks = (textwrap.dedent(text) for _, text in printed.blocks("CONTRIBUTING.md", indent=" {4}"))
    # their study is called mine
    files = {text.split("\n")[0].removeprefix("# "): re.sub(r"\bmine\b", "toy", text)
             for text in blocks}  # fmt: skip
    assert files.keys() == {"rules.smk", "inputs.py"}
    write_study(tiny, FILES | files | {"scripts/count_words.py": COUNT})
    words = "results/toy/words/toys.json"
    run = run_snakemake(tiny, words, "--cores", "2", *TINY, *BESIDE)
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads((tiny / words).read_text()) > 1
    assert planned(tiny, "toy", *TINY, *BESIDE)["tabulate"] == 2


def test_an_edit_of_a_studys_own_kind_re_runs_its_experiments_alone(beside):
    write_study(beside, {"objectives/softmax.py": OBJECTIVE.replace("both / 2", "both / 3")})
    wanted = planned(beside, "results/toy/summary.csv", *TINY, *BESIDE)
    write_study(beside)
    assert wanted == {"train": 2, "score": 4, "tabulate": 1}


def test_a_kind_that_nobody_knows_is_refused_with_the_nearest(tiny):
    write_study(tiny, {**FILES, "study.yaml": STUDY.replace("kind: highest", "kind: hihgest")})
    refused = run_snakemake(tiny, "--dry-run", "--cores", "1", *TINY, *BESIDE)
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert "encoders.highest.architecture: no encoder 'hihgest' (did you mean 'highest'?)" in said
