"""A small plan of the study, and score files for it."""

from pathlib import Path

import numpy as np
import pytest

from tandem.files.io import write_json
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.studies.plan import Plan
from tandem.studies.study import Study
from tandem.tasks.task import write_scores

HOME = Path(__file__).parents[3] / "workflow/studies/many"
PARTS = {"ar": 400, "de": 300, "ja": 500, "fr": 200}


def setting(**values):
    known = {"label": "L", "corpus": "c", "encoders": {"sp": "r"}, "objective": "o", "pairs": None}
    return known | {"selection": "last"} | values


STUDY = {
    "title": "Toy",
    "seeds": [1, 2],
    "collections": {"c": {"sources": ["bible"]}},
    "segmentations": {"s": {"kind": "sentencepiece", "size": 9}},
    "encoders": {"sp": {"label": "SP", "segmentation": "s", "architecture": {"kind": "averaging"}}},
    "objectives": {"o": {"kind": "margin"}},
    "recipes": {"r": {}},
    "settings": {
        "joint": setting(),
        "small": setting(pairs=90),
        **{f"alone-{language}": setting(languages=[language]) for language in ("ar", "de", "ja")},
    },
    "pretrained": {"muse": {"label": "Multilingual USE", "model": "muse"}},
    "tables": {
        "times": {
            "kind": "speed", "title": "Times", "encoders": ["sp"], "setting": "joint",
            "baselines": ["muse"], "source": "bible",
        },
    },
    "tasks": {"retrieval": {"kind": "retrieval"}, "sts": {"kind": "sts", "years": [2012]}},
}  # fmt: skip


@pytest.fixture(autouse=True)
def registered():
    """Make the study's own kinds known."""
    for registry in (TABLES, CLAIM_TESTS):
        registry.add_study(HOME)


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Plan("toy", HOME, Study.model_validate(STUDY))
    parts = [
        {"source": "bible", "left": "en", "right": name, "train": n, "valid": 9, "test": 100}
        for name, n in PARTS.items()
    ]
    write_json("results/toy/corpora/c/collection.json", {"parts": parts})
    for name in ("joint", "small"):
        drawn = [part | {"pairs": part["train"]} for part in parts]
        folder = made.segmented(f"sp.{name}", 1)
        write_json(f"{folder}/parts.json", {"parts": drawn[: 4 if name == "joint" else 2]})
    return made


@pytest.fixture
def scored(plan):
    """Return a function that writes a score file: items by experiment, task and seed."""

    def write(experiment, task, seed, items):
        path = Path(plan.scores([experiment], task)[0]) / f"seed{seed}"
        path.parent.mkdir(parents=True, exist_ok=True)
        origin = {"experiment": experiment, "task": task, "seed": seed}
        write_scores(path, plan.study.tasks[task], items, origin)

    return write


@pytest.fixture
def hits(scored):
    """Return a function: score an experiment's retrieval, so many of 100 sentences found."""

    def write(experiment, **found):
        for seed in (1, 2):
            items = {}
            for language, count in found.items():
                right = np.arange(100) < count - seed
                items |= {f"bible.en-{language}": right, f"bible.{language}-en": ~right}
            scored(experiment, "retrieval", seed, items)

    return write


@pytest.fixture
def made(plan):
    """Return a function: a table by its values, with what it is made from and its report."""

    def make(name, values):
        table = TABLES.parse({"kind": name, **values})
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
        files["paper"] = [HOME / "claims.yaml"]
        scored = [paths for key, paths in files.items() if key.startswith("scores")]
        found = [f for folders in scored for folder in folders for f in folder.glob("seed*.json")]
        material = Material(name, plan, files, Scores(found, plan.study.tasks, 200, 1), "tiny")
        return table, material, table.build(material)

    return make
