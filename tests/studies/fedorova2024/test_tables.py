"""The tables of paraphrases, their claims and figures, from small files."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fedorova2024.methods import comparing
from tandem.files.io import read_yaml
from tandem.reporting.claims import judge
from tandem.reporting.plots import save
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.tasks.task import TASKS, write_scores
from tandem.training.history import Epoch, history_lines

HOME = Path(__file__).parents[3] / "workflow/studies/fedorova2024"
VALUES = read_yaml(HOME / "study.yaml")
TABLES.add_study(HOME)
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

    def models(self, experiments, seeds):
        return [self.path("models", name, f"seed{seed}") for name in experiments for seed in seeds]

    def setting(self, experiment):
        return SimpleNamespace(trained=True)

    def whole(self, experiment):
        return experiment

    def pretrained(self, experiment):
        return "a model" if experiment.split(".")[0] in VALUES["pretrained"] else None

    def described(self, experiment):
        return {"encoder": experiment.split(".")[0]}

    def seeds(self, experiment):
        return [0] if self.pretrained(experiment) else [1, 2]

    def single_translator(self, experiment):
        return None

    def fewer_epochs(self, experiment):
        return False


def elsewhere(task, noise, seed):
    """Return the items of a task that does not read labelled pairs; nothing of one that does."""
    random = np.random.default_rng(seed)
    if task == "retrieval":
        return {name: random.random(100) < 1 / (1 + noise) for name in ("en-de", "de-en")}
    if task == "sts":
        gold = np.arange(50) % 6.0
        cosine = gold + noise * random.standard_normal(50)
        named = {"task": np.array(["2016.headlines"]), "year": np.array([2016])}
        return {**named, "offsets": np.array([0, 50]), "gold": gold, "cosine": cosine}
    return None


def write_history(folder):
    """Write what a training saw: an average of token vectors has not begun to learn."""
    folder.mkdir(parents=True, exist_ok=True)
    learned = [58.0] * 5 if "sp." in folder.parent.name else [70.0, 75.0, 76.0, 76.0]
    epochs = [Epoch(n, n and 0.5, score) for n, score in enumerate([58.5, *learned])]
    (folder / "history.csv").write_text("\n".join(history_lines(epochs, "validation_x100")) + "\n")


def timed(name):
    """Return the times of a model: those of a cross-encoder are longer."""
    turns, seconds = ([2.0, 4.0], 250000.0) if "cross" in name else ([20.0, 30.0], 35.0)
    return {"pairs_per_s": turns, "all_s": seconds, "device": "cpu"}


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
    groups = {"trained": ["en"], "zero-shot": ["de", "fr"], "all": [*LANGUAGES]}
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
            items = elsewhere(task, noise, seed)
            items = items or tasks[task].score(Noisy(noise, seed), {"pairs": pairs})
            origin = {"experiment": experiment, "task": task, "seed": seed}
            write_scores(f"{folder}/seed{seed}", tasks[task], items, origin)

    def table_of(name, **changed):
        table = TABLES.parse(VALUES["tables"][name] | changed)
        plan.study.tables = {name: table}
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
        folders = [folder for paths in files.values() for folder in paths if not folder.suffix]
        for path in files.get("times", ()):
            path.parent.mkdir(exist_ok=True)
            models = {name: timed(name) for name in table.models(plan)}
            path.write_text(json.dumps({"models": models, "load": 1.5}))
        for folder in files.get("models", ()):
            write_history(folder)
        for folder in folders:
            if not folder.exists() and "scores" in folder.parts:
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
    # all but the table that has no accuracy
    assert ("thresholds as they are" in " ".join(report.markdown.split())) == (name != "quality")
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
    assert rows.loc["multilingual-e5-small, fine-tuned", "seed_count"] == 2
    assert rows["ko_accuracy_x100"].isna().all()
    for part in ("| *LaBSE, bi-encoder* | *fedorova2024, Table II* |", "*78.3*"):
        assert part in report.markdown


def test_a_claim_of_what_word_order_needs_needs_a_transformer_that_has_learned(build):
    _, material, report = build("table1")
    [claim] = [claim for claim in judge(material, report) if "word-order" in claim.claim]
    # that SP has not is what the claim is about
    assert claim.verdict != "not comparable" and report.barred == {}
    _, material, report = build("table1", guarded=["sp.own-sp"])
    [claim] = [claim for claim in judge(material, report) if "word-order" in claim.claim]
    assert claim.verdict == "not comparable"
    assert "sp.own-sp: has not begun to learn (best" in claim.test


@pytest.mark.parametrize("scale", ["full", "gpu", "paper"])
def test_a_trained_cross_encoder_is_guarded(scale):
    table = read_yaml(HOME / f"scales/{scale}.yaml")["tables"]["losses"]
    [claim] = [c for c in read_yaml(HOME / "claims.yaml")["losses"] if "cross-encoder" in c["id"]]
    sides = [claim["test"][side]["experiment"] for side in ("worse", "better")]
    assert table["guarded"] == sides


@pytest.mark.parametrize("scale", ["full", "gpu", "paper"])
def test_frozen_embeddings_are_judged_by_the_row_that_has_them(build, scale):
    changed = read_yaml(HOME / f"scales/{scale}.yaml")["tables"]["losses"]
    rows = {"rows": changed["rows"], "columns": VALUES["tables"]["losses"]["columns"]}
    _, material, report = build("losses", **changed | rows)
    [claim] = [claim for claim in judge(material, report) if claim.claim.endswith("losses.frozen")]
    better = "loss-cross-entropy" if scale == "paper" else "embeddings-frozen"
    assert f"of fine-tuned.{better} minus fine-tuned.unfrozen" in claim.test
    assert "thresholds as they are" in " ".join(report.markdown.split())


def test_classes(build):
    _, material, report = build("table2")
    [claim] = [c for c in judge(material, report) if "translation" in c.claim]
    # a translation is the same sentence here, a paraphrase is not
    assert claim.statistic > 0 and claim.published == round(82.2 - 77.4, 1)
    for figure in ("*77.4*", "*79.3*", "*87.2*"):
        assert figure in report.markdown


def test_what_no_single_threshold_decides(build):
    _, _, report = build("measures")
    frame = report.frame.set_index(["row", "unit"])
    english = frame.loc["multilingual-e5-small, fine-tuned", "intra.en"]
    assert english["pair_count"] == 120 and english["positive_x100"] == 50
    assert english["auc_x100"] > 80 and english["equal_error_x100"] < 30
    assert english["told_low_accuracy_x100"] < english["told_accuracy_x100"]
    # directions of three languages, of 120 pairs each
    assert (frame.xs("paraphrase.mean", level="unit")["pair_count"] == 720).all()
    assert "ko" not in {unit.partition(".")[2] for _, unit in frame.index}


def test_speed_is_beside_accuracy(build):
    _, _, report = build("pair-speed")
    cross = report.frame.set_index("row").loc["Cross-encoder, after 600 pairs"]
    assert cross["pairs_per_s"] == pytest.approx(8 / 3)  # of all turns
    assert cross["all_s"] == 250000
    told = report.frame["told_accuracy_x100"]
    assert told.is_monotonic_decreasing and len(told) == 4
    assert "2.0 to 4.0 | 250,000.0 |" in report.markdown


def test_comparing_is_timed_by_what_it_takes(monkeypatch):
    noisy = Noisy(0.1, 1)
    monkeypatch.setattr(noisy, "encode", lambda texts, language: np.ones((len(texts), 3)))
    assert comparing.pairs_per_second(noisy, ["x 1"] * 9, ["x 2"] * 9) > 0
    # each of 2,000 sentences once: as long as 1,000 pairs, and a product of matrices
    assert 10 <= comparing.seconds_of_all(noisy, 100) < 11
    monkeypatch.setattr(comparing, "is_scorer", lambda encoder: True)
    assert comparing.seconds_of_all(noisy, 100) == 10000
