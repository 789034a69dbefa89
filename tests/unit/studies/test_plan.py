"""Plans: where results stand, what is trained on what, and what is asked of a study."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from one_study import changed, plans

from tandem.registry import ConfigurationError

ROOT = Path(__file__).parents[3]
STUDY_OF_TURNS = {
    "translators": {
        "cs-en-2": {
            "kind": "released", "model": "other", "bitext": "en-cs", "source": "cs", "target": "en",
        },
    },
    "backtranslations": {"en-en-2": {"bitext": "en-cs", "translator": "cs-en-2", "pairs": 50}},
    "settings": {"en": {"turns": ["en-en-2"]}},
}  # fmt: skip


def test_a_plan_knows_where_results_stand(plan):
    assert plan.root == "results/first"
    assert plan.path("models", "sp.cs", 3) == "results/first/models/sp.cs/3"
    assert plans(**changed("folder", to="."))["results"].root == "results"
    assert plan.fetched["verses"] == ["results/corpora/downloads/verses/verses.tsv"]
    assert "results/corpora/downloads/films/films.cs" in plan.fetched["films"]


def test_a_plan_knows_its_corpora(plan):
    assert plan.corpora == ["en-cs", "en-de", "en-en"]
    assert plan.sides("en-cs") == ["en", "cs"]
    assert plan.sides("en-en") == ["en", "en-bt"]
    assert plan.sources("en-en") == plan.sources("en-cs") == ["films", "verses"]
    assert plan.held_out("en-de") == ["results/first/mining/de-en"]
    assert plan.held_out("en-cs") == []
    assert [path.rsplit("/", 1)[1] for path in plan.shards("en-en")] == [
        "train.0", "train.1", "valid.0", "test.0",
    ]  # fmt: skip


def test_an_experiment_is_an_encoder_in_a_setting(plan):
    assert plan.experiments(["sp", "muse"], ["cs", "none"]) == [
        "sp.cs", "sp.none", "muse.cs", "muse.none",
    ]  # fmt: skip
    with pytest.raises(ConfigurationError, match=r"no setting 'nine' \(did you mean 'none'\?\)"):
        plan.experiments(["sp"], ["cs", "nine"])
    with pytest.raises(ConfigurationError, match="settings.de.encoders has no 'lstm'; there are s"):
        plan.experiments(["sp", "lstm"], ["de"])


def test_a_plan_describes_what_is_trained(plan):
    run = plan.run("sp.cs")
    assert run["encoder"] == {"kind": "averaging", "dimension": 16}
    assert run["objective"]["megabatch"] == 4
    assert (run["recipe"]["epochs"], run["trained"]) == (3, True)
    assert plan.described("sp.en") == {
        "name": "sp.en", "encoder": "SP", "setting": "en", "pairs": 50, "english_sentences": 100,
        "dimension": 16, "vocabulary": 500,
    }  # fmt: skip
    assert plan.described("sp.cs")["english_sentences"] == 100
    assert plan.described("sp.none")["pairs"] == 0
    assert plan.described("muse.cs") == {"name": "muse.cs", "encoder": "MUSE", "setting": "cs"}


def test_a_plan_knows_which_experiments_have_fewer_epochs_than_the_papers(workspace):
    assert not plans()["results/first"].fewer_epochs("sp.cs")  # not stated
    stated = plans(**changed("epochs", to=4))["results/first"]
    names = ["sp.cs", "sp.none", "muse.cs"]
    assert [stated.epochs(name) for name in names] == [3, 0, 0]
    assert [stated.fewer_epochs(name) for name in names] == [True, False, False]
    assert not plans(**changed("epochs", to=3))["results/first"].fewer_epochs("sp.cs")


def test_training_reads_what_it_is_trained_on_and_chosen_by(plan):
    assert plan.selection("sp.cs") == ["results/first/corpora/selection.tsv"]
    assert plan.selection("sp.de") == []
    assert plan.segmented("sp.en", 2) == "results/first/vocab/en-en/50-seed2/words"


def test_corpora_take_turns_by_seed(workspace):
    translators = STUDY_OF_TURNS["translators"]
    plan = plans(studies={"first": STUDY_OF_TURNS})["results/first"]
    read = [plan.segmented("sp.en", seed).split("/")[3] for seed in (1, 2)]
    assert read == ["en-en", "en-en-2"]
    assert plan.segmented("sp.cs", 2).split("/")[3] == "en-cs"
    assert plan.text_of("sp.en") == ["films", "verses"]
    assert len(plan.bleu) == 1 + len(translators)


def test_what_others_made_has_no_model_and_no_seed(plan):
    models = [f"results/first/models/sp.cs/seed{seed}" for seed in (1, 2)]
    assert plan.models(["muse.cs", "sp.cs"]) == models
    assert plan.models(["sp.cs"], [2]) == models[1:]
    assert (plan.seeds("muse.cs"), plan.seeds("sp.cs")) == ([0], [1, 2])
    assert plan.models(["lstm.cs"]) == ["results/first/models/lstm.cs/seed1"]  # fewer seeds
    assert (plan.pretrained("muse.cs"), plan.pretrained("sp.cs")) == ("muse", None)


def test_only_averaging_encoders_are_exported(plan):
    assert plan.exported == ["sp.cs"]


def test_all_scores_are_those_that_a_table_reads(plan):
    read = [f"results/first/scores/sp.cs/{task}" for task in ("retrieval", "sts")]
    assert plan.all_scores("sp.cs") == read
    assert plan.all_scores("sp.de") == []


def test_everything_that_is_asked_of_a_study(plan):
    assert plan.targets == [f"results/first/{name}" for name in (
        "scores.csv", "scores.md", "years.csv", "years.md",
        *(f"figures/{table}.{ending}" for table in ("scores", "years")
          for ending in ("png", "pdf", "svg")),
        "export/sp.cs", "claims.csv", "front.html", "scores/cs-en/bleu.json",
    )]  # fmt: skip


def test_a_study_may_have_a_model(workspace):
    found = plans(**changed("export", to={"model": "sp.cs", "precision": "int8"}))
    plan = found["results/first"]
    assert "results/first/model" in plan.targets
    assert plan.study.export.precision == "int8"


def test_plain_values_of_a_table_make_the_study_again(plan):
    dumped = plan.dump("years")
    assert list(dumped["tables"]) == ["years"]
    whole = plan.study.model_copy(update={"tables": {"years": plan.study.tables["years"]}})
    assert type(plan.study).model_validate(dumped) == whole


def test_the_paper_of_a_study_is_what_stands_beside_it(plan):
    assert plan.paper() == []
    (plan.home / "claims.yaml").touch()
    assert [Path(path).name for path in plan.paper()] == ["claims.yaml"]


def test_a_plan_loads_nothing_slow():
    """Every dry run and every table waits for what the studies' modules import."""
    slow = ("torch", "numba", "scipy", "pandas", "matplotlib", "transformers", "sacrebleu")
    code = (
        "import sys; from tandem.files.io import read_yaml; "
        "from tandem.studies.configuration import load_configuration, load_plans, load_registers; "
        "configuration = load_configuration(read_yaml('config.yaml')); "
        "plans = load_plans(configuration, load_registers(configuration, '.'), '.'); "
        "assert len(plans) > 4 and all(plan.targets for plan in plans.values()); "
        f"print(*{{*{slow!r}}} & {{*sys.modules}})"
    )
    environment = os.environ | {"PYTHONPATH": "workflow"}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert run.returncode == 0 and run.stdout.strip() == "", run.stdout + run.stderr
