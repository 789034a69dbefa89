"""The plan of the study at the tiny scale, and what its experiments would have found."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tandem.files.io import read_yaml, write_json, write_lines
from tandem.reporting.claim_test import CLAIM_TESTS, Evidence
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.studies.configuration import load_configuration, load_plans, load_registers

ROOT = Path(__file__).parents[3]
HOME = ROOT / "workflow/studies/wieting2017"
BACK_TRANSLATED = ("cs-messages", "de-verses")


def found(text, encoder, name, score, seed, size=40, kept=()):
    """Return what one training scored."""
    seen = {"mean": score + seed}
    named = {"text": text, "encoder": encoder, "filter": name, "kept": list(kept)}
    values = {"seed": seed, "size": size, "passing": 90, "learning_rate": 0.01}
    absent = {"twitter": {}}  # its data is not there
    apart = {"sick": {"2014.SICK": score + seed + 5}} | absent
    return named | values | {"development": seen, "test": seen} | apart


def kept(filter_, score, low, high, shares=None):
    return {"filter": filter_, "score": score, "low": low, "high": high, "shares": shares}


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return the plan, beside files as if jobs had written them: two translated texts, two seeds.

    Short translations gain 2 over no filter, low overlap loses 1.
    """
    configuration = load_configuration(read_yaml(ROOT / "config.yaml"))
    plan = load_plans(configuration, load_registers(configuration, ROOT), ROOT)["results/filtering"]
    tables = {name: TABLES.dump(table) for name, table in plan.study.tables.items()}
    experiment = tables["datasets"]["experiment"]
    experiment |= {
        "compare": [*BACK_TRANSLATED, "bibles", "random"],
        "candidates": 40,
        "further": ["sick", "twitter"],
        "growth": [20, 40],
    }
    plan.study.tables.update({name: TABLES.parse(values) for name, values in tables.items()})
    monkeypatch.chdir(tmp_path)
    short = kept("length", "length", 6, 10)
    low = kept("overlap-1", "overlap-1", None, 0.5, [None, 0.5])
    gains = [("length", 2.0, (short,)), ("overlap-1", -1, (low,))]
    for number, text in enumerate([*BACK_TRANSLATED, "bibles", "random"]):
        for encoder in ("avg", "gran"):
            level = 50 + number + (text == "random") * -20
            grid = [("none", 0, ()), *(gains if text in BACK_TRANSLATED else ())]
            chosen = [
                found(text, encoder, name, level + gain * (1 + seed / 10 + number / 100), seed,
                      kept=bounds)
                for name, gain, bounds in grid for seed in (1, 2)
            ]  # fmt: skip
            growth = [{**each, "size": n} for n in (20, 40) for each in chosen[:4]]
            write_json(plan.path("scores/conditions", f"{text}.{encoder}.json"),
                       {"text": text, "encoder": encoder, "bounds": chosen[2::2],
                        "chosen": chosen, "growth": growth})  # fmt: skip
    for text in BACK_TRANSLATED:
        folder = Path(plan.path("texts", text))
        folder.mkdir(parents=True)
        pairs = [f"the {w}cat sees a dog number {i}\tthe cat sees the the dog"
                 for i, w in enumerate("abcdefghij" * 4)]  # fmt: skip
        write_lines(folder / "candidates.tsv", (f"{pair}\t0.5" for pair in pairs))
        write_lines(folder / "apart.tsv", ["the cat sees a dog\tthe dog"] * 5)
        scores = {"length": np.arange(40) % 20, "overlap-1": np.linspace(0, 1, 40)}
        Path(plan.path("scores/pairs")).mkdir(parents=True, exist_ok=True)
        pd.DataFrame(scores).to_csv(plan.path("scores/pairs", f"{text}.tsv"), sep="\t", index=False)
        write_json(folder / "about.json", {"met_share": 0.25})
        told = {"accuracy": 0.7 + 0.01 * len(text), "majority": 0.5, "pairs": 5}
        write_json(plan.path("scores/pairs", f"{text}.json"), {"reference-avg": told})
    for translator in ("cs-messages", "de-verses"):
        write_json(plan.path("scores", translator, "bleu.json"), {"bleu": 20.0})
    return plan


@pytest.fixture
def made(plan):
    """Return a function: a table of the study by its name, what it is made from, its report."""

    def make(name):
        table = plan.study.tables[name]
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
        files["paper"] = [HOME / "claims.yaml"]
        material = Material(name, plan, files, Scores([], plan.study.tasks, 200, 1), "tiny")
        return table, material, table.build(material)

    return make


@pytest.fixture
def evidence(plan, made):
    """Return a function: what a table's claims are tested on."""
    for registry in (TABLES, CLAIM_TESTS):
        registry.add_study(HOME)

    def gather(name):
        _, material, report = made(name)
        return Evidence(material.scores, report.frames, plan)

    return gather
