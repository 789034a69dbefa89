"""The plan of the study at the tiny scale, and what its experiments would have found."""

import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tandem.files.io import read_yaml, write_json, write_lines
from tandem.reporting.claim_test import CLAIM_TESTS, Evidence
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.studies.configuration import load_configuration, load_plans, load_registers
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.task import write_items
from wieting2017.methods.items import together

ROOT = Path(__file__).parents[3]
HOME = ROOT / "workflow/studies/wieting2017"
BACK_TRANSLATED = ("cs-messages", "de-verses")
CONTROLS = ("random-cs-messages", "random-de-verses")
YEARS = (2012, 2013, 2014, 2015)
PAIRS = 25
TINY = {"sick": Sts(tasks=["2014.SICK"]), "twitter": Sts(tasks=["2015.twitter"])}


def found(text, encoder, name, score, seed, size=40, kept=()):
    """Return what one training scored."""
    seen = {"mean": score + seed}
    named = {"text": text, "encoder": encoder, "filter": name, "kept": list(kept)}
    values = {"seed": seed, "size": size, "passing": 90, "learning_rate": 0.01}
    absent = {"twitter": {}}  # its data is not there
    apart = {"sick": {"2014.SICK": score + seed + 5}} | absent
    return named | values | {"development": seen, "test": seen} | apart


def items(random, level):
    """Return what an encoder scored item by item, on the test years and on SICK.

    Items are `level` off, (pairs,), for all encoders of a text, and a little more for each.
    """
    gold = np.random.default_rng(0).uniform(0, 5, PAIRS * len(YEARS))
    shared = 0.3 * np.sin(np.arange(len(gold)))
    cosine = gold / 5 + shared + level + random.normal(0, 0.01, len(gold))
    tasks = {"test": {year: f"{year}.a" for year in YEARS}, "sick": {2014: "2014.SICK"}}
    return {
        f"{task}.{name}": array
        for task, names in tasks.items()
        for name, array in {
            "task": np.array([*names.values()]),
            "year": np.array([*names]),
            "offsets": PAIRS * np.arange(len(names) + 1),
            "gold": gold[: PAIRS * len(names)],
            "cosine": cosine[: PAIRS * len(names)],
        }.items()
    }


def write(plan, text, encoder, parts):
    """Write the scores of an encoder on a text, and the items behind each."""
    random = np.random.default_rng(zlib.crc32(f"{text}.{encoder}".encode()))
    level = random.normal(0, 0.05, PAIRS * len(YEARS))
    results = [result for part in parts.values() for result in part]
    for place, result in enumerate(results):
        result["items"] = place
    file = plan.path("scores/conditions", f"{text}.{encoder}")
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    write_items(f"{file}.npz", together(items(random, level) for _ in results))
    write_json(f"{file}.json", {"text": text, "encoder": encoder, **parts})


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
        "compare": [*BACK_TRANSLATED, "world-basic", *CONTROLS],
        "candidates": 40,
        "further": ["sick", "twitter"],
        "growth": [20, 40],
    }
    plan.study.tables.update({name: TABLES.parse(values) for name, values in tables.items()})
    monkeypatch.chdir(tmp_path)
    short = kept("length", "length", 6, 10)
    low = kept("overlap-1", "overlap-1", None, 0.5, [None, 0.5])
    gains = [("length", 2.0, (short,)), ("overlap-1", -1, (low,))]
    for number, text in enumerate([*BACK_TRANSLATED, "world-basic", *CONTROLS]):
        for encoder in ("avg", "gran"):
            level = 50 + number + (text in CONTROLS) * -20
            grid = [("none", 0, ()), *(gains if text in BACK_TRANSLATED else ())]
            chosen = [
                found(text, encoder, name, level + gain * (1 + seed / 10 + number / 100), seed,
                      kept=bounds)
                for name, gain, bounds in grid for seed in (1, 2)
            ]  # fmt: skip
            growth = [] if text in CONTROLS else [
                {**each, "size": n, "test": {"mean": each["test"]["mean"] - lost * each["seed"]}}
                for n, lost in ((20, 1), (40, 0)) for each in chosen[:4]
            ]  # fmt: skip
            longer = [
                {**each, "kept": [kept("length", "length", 11, 20)], "test": {"mean": level - 1}}
                for each in chosen[2:4]
            ]
            bounds = [*chosen[2:4], *longer, *chosen[4:]]
            write(plan, text, encoder, {"bounds": bounds, "chosen": chosen, "growth": growth})
    for encoder in ("avg", "gran"):
        start = [found("untrained", encoder, "none", 45, seed, size=0) for seed in (1, 2)]
        write(plan, "untrained", encoder, {"chosen": [{**s, "passing": 0} for s in start]})
    for text in ("world-basic", *CONTROLS):
        folder = Path(plan.path("texts", text))
        folder.mkdir(parents=True)
        write_lines(folder / "candidates.tsv", ["the cat sees the dog\ta cat sees a dog\t"] * 40)
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
        tasks = plan.study.tasks | TINY
        material = Material(name, plan, files, Scores([], tasks, 200, 1), "tiny")
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
