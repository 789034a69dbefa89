"""Every table of the study, its claims and its figures, from scores of encoders that differ."""

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tiny_corpora

from tandem.corpora.register import load_register
from tandem.errors import TandemError
from tandem.files.io import write_json, write_lines
from tandem.reporting.claims import judge
from tandem.reporting.plots import save
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.statistics.inference import Figures
from tandem.studies.configuration import load_configuration, load_study
from tandem.studies.plan import Plan
from tandem.studies.study import Study
from tandem.tasks.task import TASKS, write_scores
from tandem.training.history import Epoch, history_lines
from yang2019.methods import comparable, texts, translations
from yang2019.tables.margins import _cosines

HOME = Path(__file__).parents[3] / "workflow/studies/yang2019"
LANGUAGES = ("de", "ru")
NOISE = {"transformer": 1.1, "sp": 1.5}
STOPPED, RISING = (2.0, 60.0, 70.0, 72.0, 72.1), (2.0, 60.0, 70.0, 76.0, 82.0)
LOSS = {"one-way": 0.5, "both-ways": 0.3, "margin-03": 0.0, "hinge": 0.6}


class Noisy:
    """The encoder of the tests, with noise that the seed draws for each text."""

    def __init__(self, encoder, level, seed):
        self.encoder, self.level, self.seed = encoder, level, seed

    def encode(self, sentences, language=None, batch_size=1024):
        found = self.encoder.encode(sentences)
        length = np.linalg.norm(found, axis=1, keepdims=True) / found.shape[1] ** 0.5
        rng = np.random.default_rng([self.seed, len(found), language == "en"])
        return found + self.level * length * rng.standard_normal(found.shape).astype(np.float32)


def at_scale(scale):
    """Return the study with its values for a scale."""
    corpora = load_register(HOME.parents[1] / "datasets.yaml") | tiny_corpora.REGISTER["datasets"]
    return load_study(HOME, load_configuration({"scale": scale, "registers": []}), corpora)


@pytest.fixture(scope="module")
def study():
    for registry in (TASKS, TABLES):
        registry.add_study(HOME)
    values = at_scale("tiny").model_dump()
    values["settings"]["margin-03-ru"]["encoders"] = {"transformer": "transformer", "sp": "sp"}
    return Study.model_validate(values)


@pytest.fixture(scope="module")
def written(study, encoder, searched, tmp_path_factory):
    """Return a folder with scores of all experiments that the tables read."""
    with contextlib.chdir(tmp_path_factory.mktemp("written")):
        write(study, encoder, searched)
        yield Path.cwd()


@pytest.fixture
def scored(written, study, monkeypatch):
    monkeypatch.chdir(written)
    return Plan("yang2019", HOME, study)


def write(study, encoder, searched):
    plan = Plan("yang2019", HOME, study)
    for code in LANGUAGES:
        path = Path(texts.path_of(plan, code))
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(searched, path)
        task = study.tables["table5"].tasks[code]
        comparable.hide(path, code, task, comparable.path_of(plan, code))
    folders = {
        folder
        for table in study.tables.values()
        for key, folders in table.inputs(plan).items() if key.startswith("scores")
        for folder in folders
    }  # fmt: skip
    for folder in sorted(folders):
        experiment, task = Path(folder).parts[-2:]
        name, _, setting = experiment.partition(".")
        level = NOISE[name] + LOSS[setting.rsplit("-", 1)[0]]
        material = {k: Path(p) for k, p in study.tasks[task].inputs(plan, experiment).items()}
        Path(folder).mkdir(parents=True)
        for seed in (1, 2):
            items = study.tasks[task].score(Noisy(encoder, level, seed), material)
            origin = {"experiment": experiment, "task": task, "seed": seed}
            write_scores(f"{folder}/seed{seed}", study.tasks[task], items, origin)
    for path in models(plan):
        history(path, STOPPED)
    rng = np.random.default_rng(1)
    lines = [" ".join(f"w{n}" for n in rng.integers(50, size=8)) for _ in range(60)]
    for origin, wrong in (("original", 0.2), ("forward", 0.25), ("backward", 0.9)):
        for seed in (1, 2):
            folder = Path(plan.path("translated", "de", origin, f"seed{seed}"))
            folder.mkdir(parents=True)
            write_lines(folder / "references.txt", lines)
            others = (" ".join(w if rng.random() > wrong else "x" for w in line.split())
                      for line in lines)  # fmt: skip
            write_lines(folder / "translations.txt", others)
    counts = {"thresholds": {"forward": 0.5, "backward": 0.4},
              "pairs": {"original": 300, "forward": 290, "backward": 280},
              "right": {"original": 1.0, "forward": 0.97, "backward": 0.9}}  # fmt: skip
    write_json(Path(plan.path("mined", "de")) / "counts.json", counts)


def models(plan):
    """Return the folders of the models whose histories the tables read."""
    inputs = [table.inputs(plan).get("models", []) for table in plan.study.tables.values()]
    return {path: None for paths in inputs for path in paths}


def history(folder, curve):
    Path(folder).mkdir(parents=True, exist_ok=True)
    epochs = [Epoch(number, None, score) for number, score in enumerate(curve)]
    write_lines(Path(folder) / "history.csv", history_lines(epochs, "validation_p_at_1_x100"))


def made(plan, name, **changed):
    table = plan.study.tables[name].model_copy(update=changed)
    files = {key: list(map(Path, paths)) for key, paths in table.inputs(plan).items()}
    files["paper"] = [HOME / "claims.yaml", HOME / "published.yaml"]
    scored = [paths for key, paths in files.items() if key.startswith("scores")]
    found = [f for folders in scored for folder in folders for f in folder.glob("seed*.json")]
    material = Material(name, plan, files, Scores(found, plan.study.tasks, 100, 1), "tiny")
    report = table.build(material)
    return table, material, report


def test_all_tables_their_claims_and_figures(scored, tmp_path):
    ids = {}
    for name in scored.study.tables:
        table, material, report = made(scored, name)
        assert len(report.frame) and report.markdown.startswith("# ")
        ids[name] = {claim.claim: claim for claim in judge(material, report)}
        for figure in table.figures(name):
            report.frame.to_csv(tmp_path / "table.csv", index=False)
            path = tmp_path / f"{Path(figure).name}.png"
            save(table.plot(figure, report.frame, material), [path])
            assert path.stat().st_size > 5000
    first = ids["table1"]
    assert first["yang2019.table1.margin.de"].statistic > 0
    assert first["yang2019.table1.transformer.de"].statistic > 0
    assert {"yang2019.table2.backward.de", "yang2019.table4.documents.de"} <= {
        *ids["table2"], *ids["table4"],
    }  # fmt: skip
    third = ids["table3"]
    assert third["yang2019.table3.mined.de.backward"].verdict == "contradicted"
    assert third["yang2019.table3.mined.de.backward"].statistic < -6.5
    assert third["yang2019.table3.mined.de.backward"].seeds == "2 and 2"
    documents = ids["table4"]["yang2019.table4.documents.de"]
    assert (documents.verdict, documents.p) == ("description", None)
    assert ids["figure4"]["yang2019.figure4.best.Transformer"].statistic > 0
    assert ids["figure4"]["yang2019.figure4.positives.Transformer"].statistic > 0
    assert "yang2019.table5.forward.ru" in ids["table5"]
    assert {"yang2019.table6.classifier.de", "yang2019.table6.margin.all"} <= {*ids["table6"]}


def test_the_first_table_says_what_was_searched(scored):
    _, _, report = made(scored, "table1")
    row = report.frame.iloc[0]
    assert (row["english"], row["other"], row["seed_count"]) == (300, 300, 2)
    bounds = report.frame.filter(regex="_(low|high)_p_at_n_x100$")
    assert len(bounds.columns) == 6
    assert 0 <= bounds.to_numpy().min() <= bounds.to_numpy().max() <= 100
    best = report.frame.set_index("row")["forward.1_p_at_n_x100"]
    assert best["BiDE+AM"] > best["SP with the margin loss"]


def test_one_training_a_side_leaves_what_mined_pairs_give_undecided(scored):
    mined = scored.study.tables["table3"].mined
    table, material, report = made(scored, "table3")
    every = {claim.claim: claim for claim in judge(material, report)}
    alone = mined.model_copy(update={"seeds": [1]})
    folders = [path for path in material.files["translated"] if path.name == "seed1"]
    single = replace(material, files=material.files | {"translated": folders})
    report = table.model_copy(update={"mined": alone}).build(single)
    claims = {claim.claim: claim for claim in judge(single, report)}
    backward = claims["yang2019.table3.mined.de.backward"]
    assert every[backward.claim].verdict == "contradicted"
    assert (backward.verdict, backward.p) == ("undecided", None)
    assert backward.statistic < -6.5 and backward.ci_high < -6.5  # whatever its interval says
    assert backward.test.endswith("one training a side: its spread is not known")
    assert claims["yang2019.table3.mined.all"].verdict == "undecided"
    assert report.frame["p_bleu"].isna().all() and ", p =" not in report.markdown
    with pytest.raises(TandemError, match="translators of different texts"):
        other = material.files["translated"][0].parent / "other"
        shutil.copytree(folders[0], other, dirs_exist_ok=True)
        write_lines(other / "references.txt", ["w1"] * 60)
        translations.scored([folders[0], other], 5, 1)


def test_a_gain_is_of_trainings_too():
    draws = np.array([[10.0, 11, 9, 10], [12, 13, 11, 12]])
    figures = Figures(np.array([10.0, 12]), draws)
    estimate = translations.gain(figures, Figures(2 * figures.values, 2 * draws))
    assert translations.percent(estimate.value) == pytest.approx(-50)
    # the sides share the items, whose part cancels; that of the seeds stays
    assert estimate.error == pytest.approx(np.log(1.2) / np.sqrt(2), rel=0.05)
    assert translations.gain(figures, Figures(0 * figures.values, draws)) is None


def test_the_guard_bars_claims_between_encoders_of_which_one_has_not_stopped(scored):
    behind = [path for path in models(scored) if "/transformer.margin-03-de/" in path]
    assert len(behind) == 2
    for path in behind:
        history(path, RISING)
    try:
        _, material, report = made(scored, "table1")
        claims = {claim.claim: claim for claim in judge(material, report)}
    finally:
        for path in behind:
            history(path, STOPPED)
    assert set(report.barred) == {"transformer.margin-03-de"}
    assert "transformer.margin-03-de: has not stopped improving" in report.markdown
    verdicts = {name.split(".")[2]: claim.verdict for name, claim in claims.items()}
    assert verdicts["transformer"] == verdicts["margin"] == "not comparable"
    assert verdicts["both-ways"] != "not comparable"
    untouched = made(scored, "table1")[2]
    assert untouched.barred == {} and "not comparable" not in untouched.markdown


def test_nearest_others_are_of_the_sentences_that_every_margin_finds():
    nan = np.nan
    negatives = {
        ("none", 1): [0.1, 0.2, nan, 0.6], ("wide", 1): [0.3, nan, 0.9, 0.5],
        ("none", 2): [0.4, nan, nan, nan], ("wide", 2): [nan, 0.4, 0.4, 0.4],
        ("wide", 3): [0.5, 0.7, nan, nan],
    }  # fmt: skip

    def seeds(name, task):
        return [seed for other, seed in negatives if other == name]

    def items(name, task):
        return ({"positive": np.array([0.8, 0.6]), "negative": np.array(negatives[name, seed])}
                for seed in seeds(name, task))  # fmt: skip

    scores = SimpleNamespace(seeds=seeds, items=items)
    cosines = _cosines(scores, ["none", "wide"], "sentences")
    # both find the first and the last; the second seed's find nothing together
    shown = {name: [(seed["seed"], seed["negative"], seed["sentences"]) for seed in of]
             for name, of in cosines.items()}  # fmt: skip
    assert shown["none"] == [(1, pytest.approx(35), 2)]
    assert shown["wide"] == [(1, pytest.approx(40), 2), (3, pytest.approx(60), 2)]
    assert cosines["wide"][0]["gap"] == pytest.approx(70 - 40)


def test_the_figure_of_margins_has_the_librarys_items(scored):
    _, material, report = made(scored, "figure4")
    seeds, frame = report.frames["seeds"], report.frame
    assert list(material.scores.seeds(frame["experiment"][0], "sentences")) == [1, 2]
    assert seeds.groupby(["encoder", "seed"])["sentences"].nunique().eq(1).all()
    assert (frame["sentences"] > 0).all() and "| Sentences |" in report.markdown


def test_the_best_epoch_is_chosen_on_the_validation_books_alone():
    plan = Plan("yang2019", HOME, at_scale("default"))
    trained = [name for table in plan.study.tables.values()
               for path in table.inputs(plan).get("models", [])
               for name in [Path(path).parent.name]]  # fmt: skip
    assert len({*trained}) == 22
    for name in trained:
        assert plan.setting(name).selection == "retrieval"
        assert plan.selection(name) == ["results/un/corpora/verses"]
        assert plan.recipe(name).decay == "linear"


def test_failures_are_listed_with_their_scores(scored):
    _, _, report = made(scored, "figure5")
    assert "## Failures, de-en" in report.markdown
    assert set(report.frame["language"]) == {"de", "ru"}
    kinds = set(report.frames["failures"]["kind"])
    assert kinds <= {"numbers", "partial", "other", "threshold", "neighbour"} and kinds


def test_an_encoder_of_a_language_stands_for_the_common_one():
    from yang2019.methods.experiments import Compared, experiment

    plan = Plan("yang2019", HOME, at_scale("default"))
    row = Compared(label="", encoder="transformer", setting="margin-03")
    assert experiment(plan, row, "zh") == "transformer-zh.margin-03-zh"
    assert experiment(plan, row, "fr") == "transformer.margin-03-fr"


def test_settings_of_one_language_share_what_they_draw():
    plan = Plan("yang2019", HOME, at_scale("default"))
    folders = {plan.segmented(f"transformer.{loss}-fr", seed)
               for loss in ("one-way", "both-ways", "margin-03", "margin-05") for seed in (1, 2)}
    assert folders == {"results/un/vocab/verses/one-way-fr-seed1/ngrams"}
