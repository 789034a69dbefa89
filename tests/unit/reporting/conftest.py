"""A toy study of four experiments: its plan, and its score files."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.reporting.scores import Scores
from tandem.reporting.table import Material
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.task import write_scores

TASKS = {"sts": Sts(years=[2012, 2013])}
NOISE = {"sp.en-cs": 0.5, "sp.en-en": 1.0, "lstm.en-cs": 2.0, "sp.random": 4.0}


def make_items(noise, seed):
    """Two tasks of 40 pairs in 2012 and one of 30 in 2013, scored with this much noise."""
    gold = np.random.default_rng(0).uniform(0, 5, 110)
    return {
        "task": np.array(["2012.a", "2012.b", "2013.c"]),
        "year": np.array([2012, 2012, 2013]),
        "offsets": np.array([0, 40, 80, 110]),
        "gold": gold,
        "cosine": gold + noise * np.random.default_rng(seed).normal(size=110),
    }


class Plan:
    """What tables ask of a plan."""

    def __init__(self, root):
        self.root = root

    def experiments(self, encoders, settings):
        return [name for e in encoders for s in settings if (name := f"{e}.{s}") in NOISE]

    def scores(self, experiments, task):
        return [str(self.root / name / task) for name in experiments]

    def models(self, experiments, seeds=(1, 2)):
        models = self.root / "models"
        return [str(models / name / f"seed{seed}") for name in experiments for seed in seeds]

    def setting(self, experiment):
        name = experiment.split(".")[1]
        return SimpleNamespace(label=name.title(), pairs=1000, trained=name != "random")

    def described(self, experiment):
        encoder, setting = experiment.split(".")
        pairs = 1000 if self.setting(experiment).trained else 0
        return {"name": experiment, "encoder": encoder.upper(), "setting": setting, "pairs": pairs}


@pytest.fixture
def items():
    return make_items


@pytest.fixture
def scored(tmp_path):
    """Return a function that writes a score file of this much noise."""

    def write(name, seed, noise):
        path = tmp_path / name / "sts" / f"seed{seed}"
        path.parent.mkdir(parents=True, exist_ok=True)
        origin = {"experiment": name, "task": "sts", "seed": seed}
        write_scores(path, TASKS["sts"], make_items(noise, seed), origin)
        return path.with_suffix(".json")

    return write


@pytest.fixture
def score_files(scored):
    """One score file per experiment and seed; the untrained one has a single seed."""
    return [
        scored(name, seed, noise)
        for name, noise in NOISE.items()
        for seed in ([1] if name == "sp.random" else [1, 2])
    ]


@pytest.fixture
def scores(score_files):
    return Scores(reversed(score_files), TASKS, 200, 5)


@pytest.fixture
def material(tmp_path, score_files):
    """Return a function: what a table of some name is made from, with these files."""

    def make(name="table", **files):
        paths = {key: list(map(Path, value)) for key, value in files.items()}
        scores = Scores(tmp_path.glob("*/sts/seed*.json"), TASKS, 200, 5)
        return Material(name, Plan(tmp_path), paths, scores, "tiny")

    return make
