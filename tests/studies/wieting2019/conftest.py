"""Score files of a small study, the plan that its tables ask, and what they are made from."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.tasks.task import TASKS, write_scores

HOME = Path(__file__).parents[3] / "workflow/studies/wieting2019"
LABELS = {"sp": "SP", "wide": "SP 1024", "word": "WORD", "trigram": "TRIGRAM", "lstm": "LSTM",
          "lstm-sp": "LSTM-SP", "muse": "Multilingual USE", "minilm": "MiniLM"}  # fmt: skip
SETTINGS = {
    "back-translated": ("En-En", 1000, 2000),
    "bitext": ("En-Cs", 1000, 1000),
    "bitext-2x": ("En-Cs, equal English", 2000, 2000),
    "random": ("Untrained", 0, 0),
}
EPOCHS = {"lstm": 1}
TRACKS = ["2017.track1.ar-ar", "2017.track4a.es-en", "2017.track5.en-en"]
SUBSETS = {"common": ["2012.a", "2013.c"], "every": ["2012.a", "2012.b", "2013.c"]}
TASKS.add_study(HOME)
KINDS = {
    "sts": {"kind": "sts", "years": [2012, 2013], "subsets": SUBSETS},
    "covered": {"kind": "covered-pairs", "years": [2012, 2013], "subsets": SUBSETS},
    "sts2017": {"kind": "sts", "tasks": TRACKS},
    "retrieval": {"kind": "retrieval"},
    "mining": {"kind": "mining", "neighbours": 4},
}


class Plan:
    """What the study's tables ask of a plan."""

    def __init__(self, root):
        self.root = root
        tasks = {name: TASKS.parse(kind) for name, kind in KINDS.items()}
        self.study = SimpleNamespace(tasks=tasks, epochs=10, sts=SimpleNamespace(selection=""))

    def path(self, *parts):
        return str(self.root.joinpath(*parts))

    def experiments(self, encoders, settings):
        return [f"{encoder}.{setting}" for encoder in encoders for setting in settings]

    def scores(self, experiments, task):
        return [self.path("scores", name, task) for name in dict.fromkeys(experiments)]

    def models(self, experiments):
        return [self.path("models", name, f"seed{seed}") for name in experiments for seed in (1, 2)]

    def setting(self, experiment):
        name = experiment.split(".")[1]
        label, pairs, _ = SETTINGS.get(name, (name, 0 if name.startswith("random") else 500, 0))
        return SimpleNamespace(label=label, pairs=pairs, trained=pairs > 0, corpus=name)

    def whole(self, experiment):
        return experiment

    def pretrained(self, experiment):
        return experiment if experiment.split(".")[0] in ("muse", "minilm") else None

    def epochs(self, experiment):
        return EPOCHS.get(experiment.split(".")[0], 10) if self.setting(experiment).pairs else 0

    def single_translator(self, experiment):
        return None

    def fewer_epochs(self, experiment):
        return 0 < self.epochs(experiment) < self.study.epochs

    def mining_of(self, corpus):
        return f"{corpus.removeprefix('en-')}-en"

    def described(self, experiment):
        encoder, setting = experiment.split(".")
        known = {"name": experiment, "encoder": LABELS[encoder], "setting": setting}
        if encoder in ("muse", "minilm"):
            return known
        return known | {
            "pairs": self.setting(experiment).pairs,
            "english_sentences": SETTINGS.get(setting, ("", 0, 0))[2],
            "dimension": 1024 if encoder == "wide" else 300,
            "vocabulary": 200000 if encoder == "trigram" else 4000,
        }


@pytest.fixture(scope="session", autouse=True)
def registered():
    """Make the study's own kinds known; those of other studies may be known already."""
    for registry in (TABLES, CLAIM_TESTS):
        registry.add_study(HOME)


@pytest.fixture
def plan(tmp_path):
    return Plan(tmp_path)


@pytest.fixture
def scored(plan):
    """Return a function that writes a score file: items by experiment, task and seed."""

    def write(experiment, task, seed, items):
        path = plan.root / "scores" / experiment / task / f"seed{seed}"
        path.parent.mkdir(parents=True, exist_ok=True)
        origin = {"experiment": experiment, "task": task, "seed": seed}
        write_scores(path, plan.study.tasks[task], items, origin)

    return write


@pytest.fixture
def made(plan):
    """Return a function: a table by its values, with what it is made from and its report."""

    def make(kind, values, resamples=300, name=None):
        table = TABLES.parse({"kind": kind, **values})
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
        files["paper"] = [HOME / "claims.yaml", HOME / "published.yaml"]
        scored = [paths for key, paths in files.items() if key.startswith("scores")]
        found = [f for folders in scored for folder in folders for f in folder.glob("seed*.json")]
        scores = Scores(found, plan.study.tasks, resamples, 1)
        material = Material(name or kind, plan, files, scores, "tiny")
        return table, material, table.build(material)

    return make
