"""The tables of paraphrases, their claims and figures, from small files."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.files.io import read_yaml
from tandem.reporting.claims import judge
from tandem.reporting.plots import save
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.tasks.task import TASKS, write_scores

HOME = Path(__file__).parents[3] / "workflow/studies/fedorova2024"
VALUES = read_yaml(HOME / "study.yaml")
LANGUAGES = ("en", "de", "fr")
NOISE = {"fine-tuned": 0.15, "cross-encoder": 0.1}
"""Of encoders; others tell next to nothing."""


class Noisy:
    """Knows how far a sentence is turned, more or less."""

    def __init__(self, noise, seed):
        self.noise, self.seed = noise, seed

    def encode(self, sentences, language=None, batch_size=1024):
        random = np.random.default_rng([self.seed, len(language), ord(language[0])])
        angles = np.array([float(text.split()[1]) for text in sentences])
        angles = angles + self.noise * random.standard_normal(len(angles))
        return np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)


class Plan:
    """What the tables ask of a plan."""

    def __init__(self, root, tasks):
        self.root = root
        self.study = SimpleNamespace(tasks=tasks, epochs=None, settings=VALUES["settings"])

    def path(self, *parts):
        return str(self.root.joinpath(*parts))

    def experiments(self, encoders, settings):
        return [f"{encoder}.{setting}" for encoder in encoders for setting in settings]

    def scores(self, experiments, task):
        return [self.path("scores", name, task) for name in dict.fromkeys(experiments)]

    def pretrained(self, experiment):
        return "a model" if experiment.split(".")[0] in VALUES["pretrained"] else None

    def described(self, experiment):
        return {"encoder": experiment.split(".")[0]}

    def seeds(self, experiment):
        return [0] if self.pretrained(experiment) else [1, 2]

    def fewer_epochs(self, experiment):
        return False


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Return labelled pairs: what says the same is nearer, first sentences are equal."""
    folder, random = tmp_path_factory.mktemp("pairs"), np.random.default_rng(1)
    for split in ("valid", "test"):
        turns = random.uniform(0, 1, 120)
        lines = [
            f"{n}\t{code}\t{n % 2}\tx {turns[n]:.4f}\tx {turns[n] + (0.2 if n % 2 else 0.6):.4f}\n"
            for code in LANGUAGES
            for n in range(120)
        ]
        (folder / f"{split}.tsv").write_text("".join(lines))
    return folder


@pytest.fixture(scope="module")
def build(pairs, tmp_path_factory):
    """Return a function: a table by its name, with its material and report."""
    groups = {"trained": ["en"], "zero-shot": ["de", "fr"]}
    entries = {
        name: entry | ({"groups": groups} if "groups" in entry else {})
        for name, entry in VALUES["tasks"].items()
    }
    tasks = {name: TASKS.parse(entry) for name, entry in entries.items()}
    plan = Plan(tmp_path_factory.mktemp("scores"), tasks)

    def score(folder):
        experiment, task = folder.parts[-2:]
        noise = NOISE.get(experiment.split(".")[0], 3.0)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in plan.seeds(experiment):
            items = tasks[task].score(Noisy(noise, seed), {"pairs": pairs})
            origin = {"experiment": experiment, "task": task, "seed": seed}
            write_scores(f"{folder}/seed{seed}", tasks[task], items, origin)

    def table_of(name):
        table = TABLES.parse(VALUES["tables"][name])
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
        folders = [folder for paths in files.values() for folder in paths]
        for folder in folders:
            if not folder.exists():
                score(folder)
        files["paper"] = [HOME / "claims.yaml", HOME / "published.yaml"]
        read = sorted({file for folder in folders for file in folder.glob("seed*.json")})
        material = Material(name, plan, files, Scores(read, tasks, 200, 1), "tiny")
        return table, material, table.build(material)

    return table_of


@pytest.mark.parametrize("name", VALUES["tables"])
def test_tables_and_figures(build, tmp_path, name):
    table, material, report = build(name)
    assert len(report.frame) and report.markdown.startswith("# ")
    for figure in table.figures(name):
        save(table.plot(figure, report.frame, material), [tmp_path / "figure.png"])
        assert (tmp_path / "figure.png").stat().st_size > 5000


def test_fine_tuning_gains_in_languages_that_are_read_and_in_others(build):
    _, material, report = build("table1")
    claims = {claim.claim: claim for claim in judge(material, report)}
    for part in ("trained", "zero-shot"):
        assert claims[f"fedorova2024.table1.gain.{part}"].statistic > 10
        assert claims[f"fedorova2024.table1.gain.{part}"].verdict == "supported"
    rows = report.frame.set_index("row")
    assert rows.loc["Binary cross-entropy", "seed_count"] == 2
    assert rows["ko_accuracy_x100"].isna().all()
    for part in ("| *LaBSE, bi-encoder* | *fedorova2024, Table I* |", "*79.3*", "*87.2*"):
        assert part in report.markdown


def test_classes(build):
    _, material, report = build("table2")
    [claim] = [c for c in judge(material, report) if "translation" in c.claim]
    # a translation is the same sentence here, a paraphrase is not
    assert claim.statistic > 0 and claim.published == 82.2
    assert "*77.4*" in report.markdown
