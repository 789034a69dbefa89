"""Three tiny experiments: their score files, and results read from them."""

import numpy as np
import pytest
from tandem.reporting.results import Experiment, Role, Setting, read_results
from tandem.tasks.pair_scores import PairScores

from tandem.io import write_json
from tandem.tasks import pair_scores as pairs
from tandem.tasks import sts

SETTINGS = [
    Setting("en-en", "En-En", Role.BACK_TRANSLATED),
    Setting("en-cs", "En-Cs", Role.BITEXT),
    Setting("random", "untrained", Role.UNTRAINED),
]
EXPERIMENTS = [
    Experiment("sp.en-cs", "SP", "en-cs", 1000, 1000, 600),
    Experiment("sp.en-en", "SP", "en-en", 1000, 2000, 600),
    Experiment("lstm.en-cs", "LSTM", "en-cs", 1000, 1000, 1900),
    Experiment("sp.random", "SP", "random", 0, 0, 600),
]
NOISE = {"sp.en-cs": 0.5, "sp.en-en": 1.0, "lstm.en-cs": 2.0, "sp.random": 4.0}


def make_pairs(noise, seed):
    """Two tasks of 40 pairs in 2012 and one of 30 in 2013, scored with this much noise."""
    rng = np.random.default_rng(0)
    gold = tuple(rng.uniform(0, 5, n) for n in (40, 40, 30))
    cosine = tuple(g + noise * np.random.default_rng(seed).normal(size=len(g)) for g in gold)
    return PairScores(("2012.a", "2012.b", "2013.c"), (2012, 2012, 2013), gold, cosine)


@pytest.fixture
def settings():
    return SETTINGS


@pytest.fixture
def experiments():
    return EXPERIMENTS


@pytest.fixture
def score_files(tmp_path):
    """Write one score file per experiment and seed; the untrained one has a single seed."""
    files = []
    for experiment in EXPERIMENTS:
        for seed in [1] if experiment.name == "sp.random" else [1, 2]:
            file = tmp_path / experiment.name / f"seed{seed}" / "sts.json"
            scored = make_pairs(NOISE[experiment.name], seed)
            scores = sts.summarise(scored, resamples=50, seed=9)
            write_json(file, {"experiment": experiment.name, "seed": seed, **scores})
            pairs.write_pairs(file.with_suffix(".npz"), scored)
            files.append(file)
    return files


@pytest.fixture
def results(score_files):
    return read_results(EXPERIMENTS, score_files)
