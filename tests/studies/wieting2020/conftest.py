"""An encoder that knows words, an STS folder, probing sets, and a plan that names their places."""

import hashlib
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.objectives.kinds.generative import Generative
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.table import TABLES
from tandem.tasks.task import TASKS
from wieting2020.methods import standing

HOME = Path(__file__).parents[3] / "workflow/studies/wieting2020"


class Words:
    """The sum of vectors drawn by the words of a sentence, with noise."""

    def __init__(self, noise=0.0, seed=0, languages=None):
        self.noise, self.seed = noise, seed
        if languages is not None:
            self.languages = languages

    def encode(self, sentences, language=None, batch_size=1024):
        exact = np.array([sum(map(_vector, text.split())) for text in sentences])
        rng = np.random.default_rng([self.seed, len(exact)])
        return (exact + self.noise * rng.standard_normal(exact.shape)).astype(np.float32)


@cache
def _vector(word):
    return np.random.default_rng(list(hashlib.md5(word.encode()).digest())).normal(size=16)


class Plan:
    """What the study's tasks and tables ask of a plan."""

    def __init__(self, root, tasks, languages=("fr", "es", "ar", "tr")):
        self.root, self.languages = root, languages
        self.fetched = {
            "senteval-tree-depth": ["results/corpora/downloads/senteval-tree-depth/tree_depth.txt"]
        }
        self.study = SimpleNamespace(tasks=tasks, epochs=None, settings={"fr": None})

    def path(self, *parts):
        return str(self.root.joinpath(*parts))

    def setting(self, experiment):
        languages = None if experiment.endswith("fr") else (experiment.split(".")[1],)
        plain = experiment.split(".")[1].startswith(("margin", "untrained"))
        selection = "similarity" if plain else "loss"
        corpus = f"en-{experiment.split('-')[-1].split('.')[-1]}"
        return SimpleNamespace(
            languages=languages, corpus=corpus, selection=selection,
            trained="untrained" not in experiment,
        )  # fmt: skip

    def sides(self, corpus):
        return ["en", "fr"]

    def experiments(self, encoders, settings):
        return [f"{encoder}.{setting}" for encoder in encoders for setting in settings]

    def scores(self, experiments, task):
        return [self.path("scores", name, task) for name in dict.fromkeys(experiments)]

    def pretrained(self, experiment):
        return "a model" if experiment.startswith("minilm") else None

    def whole(self, experiment):
        return experiment.replace("-english.", ".").replace("-french.", ".")

    def seeds(self, experiment):
        return [1, 2, 3]

    def models(self, experiments, seeds=None):
        every = seeds or self.seeds("")
        return [self.path("models", name, f"seed{seed}") for name in experiments for seed in every]

    def segmented(self, experiment, seed):
        return self.path("vocab", "verses", "pieces")

    def described(self, experiment):
        return {"encoder": experiment.split(".")[0].upper()}

    def single_translator(self, experiment):
        return None

    def fewer_epochs(self, experiment):
        return False


@pytest.fixture(scope="session", autouse=True)
def registered():
    """Make the study's own kinds known."""
    for registry in (TASKS, TABLES, CLAIM_TESTS):
        registry.add_study(HOME)


@pytest.fixture(scope="session")
def sts(tmp_path_factory):
    """Return an STS folder: sentences that share some of their words, more for a higher score."""
    folder, rng = tmp_path_factory.mktemp("sts"), np.random.default_rng(1)
    entries = []
    for name, pairs in {"2012.a": 400, "2013.b": 300, "2014.SICK": 30, "2016.c": 300}.items():
        lines = []
        for _ in range(pairs):
            first = [f"w{n}" for n in rng.integers(300, size=8)]
            score = int(rng.integers(6))
            shared = 0.1 * score + rng.uniform(0.0, 0.6)
            second = [word if rng.random() < shared else f"w{rng.integers(300)}" for word in first]
            second = ["not", *second] if rng.random() < 0.1 else second
            lines.append(f"{score}.0\t{' '.join(first)}\t{' '.join(second)}\n")
        (folder / f"{name}.tsv").write_text("".join(lines))
        entries.append({"file": f"{name}.tsv", "year": name[:4], "of": pairs})
    tracks = {"track1.ar-ar": ("ar", "ar"), "track2.ar-en": ("en", "ar"),
              "track3.es-es": ("es", "es"), "track4a.es-en": ("es", "en"),
              "track6.tr-en": ("en", "tr")}  # fmt: skip
    for name, languages in tracks.items():
        text = (folder / "2013.b.tsv").read_text()
        (folder / f"2017.{name}.tsv").write_text(text)
        entry = {"file": f"2017.{name}.tsv", "year": "2017", "of": 300, "languages": languages}
        entries.append(entry)
    (folder / "index.json").write_text(json.dumps({"tasks": entries, "missing": []}))
    return folder


@pytest.fixture(scope="session")
def probing_set(tmp_path_factory):
    """Return a set in SentEval's form: which of three words a sentence holds."""
    rng, lines = np.random.default_rng(2), []
    for mark, count in {"tr": 240, "va": 60, "te": 120}.items():
        for _ in range(count):
            label = ["cat", "dog", "cow"][min(int(rng.integers(4)), 2)]
            words = [f"w{n}" for n in rng.integers(30, size=3)]
            lines.append(f"{mark}\t{label}\t{' '.join([*words, label])}\n")
    path = tmp_path_factory.mktemp("probing") / "animals.txt"
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="session")
def words():
    return Words


@pytest.fixture
def learned(monkeypatch):
    """Return losses by experiment, to be changed; of all others 50, where frequencies have 80."""
    losses = {}
    monkeypatch.setattr(
        standing, "held_out_loss", lambda model: losses.get(model.parent.name, 50.0)
    )
    monkeypatch.setattr(standing, "unigram_loss", lambda *_: 80.0)

    def objective(model):
        number = model.parent.name.rpartition("-")[2]
        return Generative(tokens=1000 * int(number) if number.isdigit() else 500)

    monkeypatch.setattr(standing, "objective_of", objective)
    return losses


@pytest.fixture
def plan(tmp_path):
    return Plan(tmp_path, {})


@pytest.fixture(scope="session")
def plan_of():
    return Plan


@pytest.fixture(scope="session")
def home():
    return HOME
