"""The configuration: what is refused and how, what is laid over what, and where results stand."""

import copy
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tandem.configuration import (
    find,
    laid_over,
    load_configuration,
    load_plans,
    load_registers,
    load_study,
)
from tandem.registry import ConfigurationError

REPOSITORY = Path(__file__).resolve().parents[2]
REGISTER = """
datasets:
  films: &films
    kind: local
    description: Subtitles.
    path: films.{language}
    licence: CC0-1.0
    languages: [en, cs, de, fr]
    reader: {kind: lines}
  verses:
    {<<: *films, path: verses.tsv, reader: {kind: tsv, columns: {en: 0, cs: 1}, header: false}}
  scored: {kind: local, description: STS., path: sts.zip, licence: CC0-1.0, languages: [en]}
"""
STUDY = """
title: A study
seeds: [1, 2]
bitexts:
  en-cs: &bitext {sources: [films, verses], languages: [en, cs], valid: 20, test: 30}
  en-de: {<<: *bitext, sources: [films], languages: [en, de]}
sts: {benchmark: scored}
mining:
  de-en: {bitext: en-de, language: de}
segmentations:
  words: {kind: words, size: 500}
translators:
  cs-en: {kind: released, model: folder, bitext: en-cs, source: cs, target: en}
backtranslations:
  en-en: {bitext: en-cs, translator: cs-en, pairs: 50, shards: 2}
encoders:
  sp: {label: SP, segmentation: words, architecture: {kind: averaging, dimension: 16}}
  lstm: {label: LSTM, segmentation: words, architecture: {kind: lstm, hidden: 4}, seeds: 1}
pretrained:
  muse: {label: MUSE, model: muse}
objectives:
  margin: {kind: margin, megabatch: 4}
recipes:
  quick: {epochs: 3}
settings:
  cs: &setting
    {label: Cs, corpus: en-cs, encoders: {sp: quick, lstm: quick}, objective: margin, pairs: 100}
  en: {<<: *setting, label: En, corpus: en-en, pairs: 50}
  de: {<<: *setting, label: De, corpus: en-de, encoders: {sp: quick}, selection: retrieval}
  none: {<<: *setting, label: None, trained: false}
tasks:
  sts: {kind: sts, years: [2012]}
  retrieval: {kind: retrieval}
tables:
  scores:
    kind: experiments
    title: Scores
    encoders: [sp, lstm]
    settings: [cs, none]
    tasks: [sts, retrieval]
  training: {kind: training, encoders: [sp], settings: [cs]}
export: {settings: [cs]}
"""


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder with a register and a study, from which plans are loaded."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "register.yaml").write_text(REGISTER)
    home = tmp_path / "studies/first"
    home.mkdir(parents=True)
    (home / "study.yaml").write_text(STUDY)
    return tmp_path


def configured(**values):
    """Return a configuration."""
    standard = {"scale": "default", "registers": ["register.yaml"], "study_folders": ["studies"]}
    return load_configuration(standard | values)


def plans(**values):
    """Return the plans of a configuration, with the corpora of its registers."""
    configuration = configured(**values)
    return load_plans(configuration, load_registers(configuration, "nowhere"), "nowhere")


def changed(*path, to):
    """Return values that are laid over the study so that one key is another."""
    for key in reversed(path):
        to = {key: to}
    return {"studies": {"first": to}}


@pytest.fixture
def plan(workspace):
    """The plan of the study as it stands."""
    return plans()["results/first"]


# ---- Refusals


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"scale": "papr"}, "scale: no scale 'papr'"),
        ({"study_folders": ["nowhere"]}, "study_folders: none of them has a <study>/study.yaml"),
        ({"studies": {"fist": {}}}, "studies: no study 'fist' (did you mean 'first'?)"),
    ],
)
def test_a_name_that_nothing_has_is_refused(workspace, values, said):
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        plans(**values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"mirrors": "x"}, "unknown key 'mirrors' (did you mean 'mirror'?); there are scale, "),
        ({"seeds": [-1]}, "  seeds.0: Input should be greater than or equal to 0"),
        ({"registers": "one.yaml"}, "  registers: Input should be a valid list"),
        ({"studies": {"first": 3}}, "  studies.first: Input should be a valid dictionary"),
    ],
)
def test_a_fault_of_the_configuration_is_named(values, said):
    with pytest.raises(ConfigurationError) as refused:
        configured(**values)
    assert str(refused.value).startswith("the configuration is refused:\n")
    assert said in str(refused.value)
    assert "docs/configuration.md" in str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed("table", to={}), "unknown key 'table' (did you mean 'tables'?)"),
        (changed("recipes", "quick", "epoch", to=3),
         "recipes.quick: unknown key 'epoch' (did you mean 'epochs'?); there are epochs, patience"),
        (changed("recipes", "quick", "epochs", to=0),
         "recipes.quick.epochs: Input should be greater than 0"),
        (changed("settings", "cs", "pairs", to="many"), "settings.cs.pairs: Input should be a val"),
        (changed("settings", "cs.1", to={}), "settings.cs.1.[key]: String should match pattern"),
        (changed("seeds", to=[]), "seeds: List should have at least 1 item"),
        (changed("encoders", "sp", "architecture", to={"kind": "averages"}),
         "encoders.sp.architecture: no encoder 'averages' (did you mean 'averaging'?)"),
        (changed("encoders", "sp", "architecture", "hidden", to=3),
         "encoders.sp.architecture: unknown key 'hidden'; there are dimension"),
        (changed("encoders", "sp", "architecture", "dimension", to=0),
         "encoders.sp.architecture.dimension: Input should be greater than 0"),
        (changed("objectives", "margin", "margin", to=-1), "objectives.margin.margin: Input"),
        (changed("bitexts", "en-cs", "cleaning", to={"wrods": {}}),
         "bitexts.en-cs.cleaning.wrods: no filter 'wrods' (did you mean 'words'?)"),
        (changed("bitexts", "en-cs", "cleaning", to={"words": {"minimum": 101}}),
         "bitexts.en-cs.cleaning.words"),
        (changed("mining", "de-en", "test", to="films"), "mining.de-en: give both training and te"),
    ],
)  # fmt: skip
def test_a_fault_of_a_study_is_named_with_its_place(workspace, change, said):
    with pytest.raises(ConfigurationError) as refused:
        plans(**change)
    assert str(refused.value).startswith("the study first is refused:\n")
    assert f"\n  {said}" in str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        # names that nothing has
        (changed("mining", "de-en", "bitext", to="en-d"),
         "mining.de-en.bitext: no bitexts entry 'en-d' (did you mean 'en-de'?); there are en-cs,"),
        (changed("translators", "cs-en", "bitext", to="en-c"),
         "translators.cs-en.bitext: no bitexts entry 'en-c' (did you mean 'en-cs'?)"),
        (changed("backtranslations", "en-en", "bitext", to="en-c"),
         "backtranslations.en-en.bitext: no bitexts entry 'en-c'"),
        (changed("backtranslations", "en-en", "translator", to="de-en"),
         "backtranslations.en-en.translator: no translators entry 'de-en'"),
        (changed("encoders", "sp", "segmentation", to="word"),
         "encoders.sp.segmentation: no segmentations entry 'word' (did you mean 'words'?)"),
        (changed("settings", "cs", "corpus", to="en-enn"),
         "settings.cs.corpus: no corpora entry 'en-enn' (did you mean 'en-en'?)"),
        (changed("settings", "cs", "objective", to="margins"),
         "settings.cs.objective: no objectives entry 'margins' (did you mean 'margin'?)"),
        (changed("settings", "cs", "encoders", "muse", to="quick"),
         "settings.cs.encoders: no encoders entry 'muse'; there are sp, lstm"),
        (changed("settings", "cs", "encoders", "sp", to="quickly"),
         "settings.cs.encoders.sp: no recipes entry 'quickly' (did you mean 'quick'?)"),
        (changed("export", "settings", to=["cz"]), "export.settings: no settings entry 'cz'"),
        # corpora that no register has
        (changed("bitexts", "en-cs", "sources", to=["film"]),
         "bitexts.en-cs.sources: no register lists 'film' (did you mean 'films'?); there are"),
        (changed("sts", "companion", to="others"), "sts.companion: no register lists 'others'"),
        (changed("mining", "de-en", to={"training": "films", "test": "bucc"}),
         "mining.de-en: no register lists 'bucc'"),
        # names that stand for two things
        (changed("backtranslations", "en-de", to={"bitext": "en-cs", "translator": "cs-en",
                                                  "pairs": 5}),
         "backtranslations.en-de: bitexts has this name too"),
        (changed("pretrained", "sp", to={"label": "SP", "model": "x"}),
         "pretrained.sp: encoders has this name too"),
        (changed("bitexts", "sts", to={"sources": ["films"], "languages": ["en", "cs"]}),
         "no corpus can be named sts"),
        (changed("bitexts", "downloads", to={"sources": ["films"], "languages": ["en", "cs"]}),
         "no corpus can be named downloads"),
        # languages
        (changed("translators", "cs-en", "source", to="de"),
         "translators.cs-en: en-cs is not of de and en"),
        (changed("translators", "cs-en", "source", to="en"),
         "translators.cs-en: en-cs is not of en"),
        (changed("backtranslations", "en-en", "bitext", to="en-de"),
         "backtranslations.en-en: en-de is not of cs and en"),
        (changed("mining", "de-en", "language", to="fr"), "mining.de-en: en-de is not of en"),
        # more than there is
        (changed("mining", "de-two", to={"bitext": "en-de", "language": "de"}),
         "mining.de-two: en-de has another mining task"),
        (changed("settings", "en", "pairs", to=51), "settings.en.pairs: 51, but only 50 are"),
        (changed("sts", to=None), "settings.cs.selection: similarity needs the section sts"),
        (changed("export", "settings", to=["cs", "none"]), "export.settings: none trains nothing"),
        # the study's model
        (changed("export", "model", to="sp.cz"),
         "export.model: no averaging encoder 'sp.cz' (did you mean 'sp.cs'?)"),
        (changed("export", "model", to="sp"), "export.model: no averaging encoder 'sp'"),
        (changed("export", "model", to="lstm.cs"), "export.model: no averaging encoder 'lstm.cs'"),
        (changed("export", "model", to="sp.none"), "export.model: no averaging encoder 'sp.none'"),
    ],
)  # fmt: skip
def test_a_fault_between_keys_is_named(workspace, change, said):
    with pytest.raises(ConfigurationError) as refused:
        plans(**change)
    assert str(refused.value).startswith("the study first is refused:\n")
    assert f"\n  {said}" in str(refused.value)


JOINT = {
    "label": "L", "corpus": "all", "objective": "margin", "pairs": None, "selection": "last",
    "encoders": {"sp": "quick"},
}  # fmt: skip


def started(**settings):
    """Return values with a collection, and settings of it beside the study's own."""
    entries = {"wide": {"label": "W", "segmentation": "words", "seeds": 1,
                        "architecture": {"kind": "averaging", "dimension": 16}}}  # fmt: skip
    made = {name: JOINT | values for name, values in settings.items()}
    own = {"collections": {"all": {"sources": ["films"]}}, "encoders": entries, "settings": made}
    return {"studies": {"first": own}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (started(more={"start": "sp.joit"}, joint={}),
         "settings.more.start: no experiment 'sp.joit' (did you mean 'sp.joint'?)"),
        (started(more={"start": "joint"}, joint={}), "settings.more.start: no experiment 'joint'"),
        (started(more={"start": "wide.joint"}, joint={}),
         "settings.more.start: no experiment 'wide.joint'"),
        (started(more={"start": "sp.none"}),
         "settings.more.start: none is not trained; leave start out, or train it"),
        (started(more={"start": "sp.joint", "trained": False}, joint={}),
         "settings.more.start: more is not trained; leave start out, or train it"),
        (started(more={"start": "lstm.cs"}),
         "settings.more.start: lstm has another architecture than sp; they must be the same"),
        (started(more={"start": "sp.more"}),
         "settings.more.start: more starts from more; begin with one that has no start"),
        (started(more={"start": "sp.joint"}, joint={"start": "sp.more"}),
         "settings.more.start: more starts from joint starts from more; begin with"),
        (started(more={"start": "sp.joint"}, joint={"start": "sp.joint"}),
         "settings.more.start: more starts from joint starts from joint; begin with"),
        (changed("settings", "de", "start", to="sp.cs"),
         "settings.de.start: en-de is no collection; leave it out"),
    ],
)  # fmt: skip
def test_a_start_that_cannot_be_is_named(workspace, change, said):
    with pytest.raises(ConfigurationError) as refused:
        plans(**change)
    assert f"\n  {said}" in str(refused.value)


def test_a_start_of_another_segmentation_is_refused(workspace):
    change = started(more={"start": "wide.joint"}, joint={"encoders": {"wide": "quick"}})
    assert plans(**change)
    study = change["studies"]["first"]
    study["segmentations"] = {"few": {"kind": "words", "size": 50}}
    study["encoders"]["wide"]["segmentation"] = "few"
    with pytest.raises(ConfigurationError, match="wide has another segmentation than sp; they mus"):
        plans(**change)


def test_training_starts_from_the_same_seed_or_from_the_first(workspace):
    settings = {"joint": {"encoders": {"sp": "quick", "wide": "quick"}, "pairs": 50}}
    settings |= {"more": {"start": "sp.joint"}, "few": {"start": "wide.joint"}}
    plan = plans(**started(**settings))["results/first"]
    assert plan.start_model("sp.joint", 2) == plan.start_segmented("joint", 2) == []
    assert plan.start_model("sp.more", "2") == ["results/first/models/sp.joint/seed2"]
    assert plan.start_segmented("more", "2") == ["results/first/vocab/all/joint-seed2/words"]
    assert plan.start_model("sp.few", 2) == ["results/first/models/wide.joint/seed1"]
    assert plan.start_segmented("few", 2) == ["results/first/vocab/all/joint-seed1/words"]


def test_seeds_share_text_of_which_all_is_drawn(workspace):
    joint, some = "results/first/vocab/all/joint-seed1/words", {"joint": {"pairs": 50}}
    plan = plans(**started(joint={}, more={"start": "sp.joint"}))["results/first"]
    assert plan.segmented("sp.joint", 2) == plan.segmented("sp.joint", 1) == joint
    assert plan.start_segmented("more", 2) == [joint]
    plan = plans(**started(**some, more={"start": "sp.joint"}))["results/first"]
    assert plan.segmented("sp.joint", 2) != plan.segmented("sp.joint", 1) == joint
    # the vocabulary is that of the start, which has one for each seed
    assert plan.segmented("sp.more", 2) != plan.segmented("sp.more", 1)


def test_the_text_behind_a_start_is_text_behind_what_starts_from_it(workspace):
    plan = plans(**started(more={"start": "sp.cs"}, most={"start": "sp.more"}))["results/first"]
    assert plan.text_of("sp.cs") == ["films", "verses"]
    assert plan.text_of("sp.most") == ["films", "verses"]
    assert plan.text_of("sp.de") == ["films"]


def test_every_fault_is_named_at_once(workspace):
    wrong = {"recipes": {"quick": {"epochs": 0}}, "objectives": {"margin": {"anneals": 1, "x": 2}}}
    with pytest.raises(ConfigurationError) as refused:
        plans(studies={"first": wrong})
    lines = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in lines[1:-1]] == ["  objectives.margin",
                                                          "  recipes.quick.epochs"]  # fmt: skip
    assert "unknown key 'anneals' (did you mean 'anneal'?), 'x'; there are margin" in lines[1]


def test_a_table_that_asks_for_a_corpus_without_register_is_refused(workspace, monkeypatch):
    from tandem.reporting.tables.training import Training

    monkeypatch.setattr(Training, "sources", lambda self: ["films", "maps"])
    with pytest.raises(ConfigurationError, match="\n  tables.training: no register lists 'maps'"):
        plans()


def test_an_empty_study_is_refused(workspace):
    (workspace / "studies/first/study.yaml").write_text("")
    with pytest.raises(ConfigurationError, match="the study first is refused:\n  title: Field req"):
        plans()


def test_a_study_that_nobody_has_is_refused(workspace):
    with pytest.raises(ConfigurationError, match=r"no study 'firsts' \(did you mean 'first'\?\)"):
        plans(studies={"firsts": {}})


def test_two_studies_do_not_write_to_one_folder(workspace):
    second = workspace / "studies/second"
    second.mkdir()
    (second / "study.yaml").write_text(STUDY)
    assert list(plans()) == ["results/first", "results/second"]
    with pytest.raises(ConfigurationError, match="second and first both write to results/first"):
        plans(studies={"second": {"folder": "first"}})


def test_two_studies_do_not_share_a_name(workspace):
    twin = workspace / "more/first"
    twin.mkdir(parents=True)
    (twin / "study.yaml").write_text(STUDY)
    with pytest.raises(ConfigurationError, match="two studies named first: .*Rename one"):
        plans(study_folders=["studies", "more"])


# ---- What is laid over what


def test_mappings_are_laid_over_key_by_key_and_all_else_whole():
    values = {"a": {"b": 1, "c": [1, 2]}, "d": {"e": 1}, "f": 1}
    untouched = copy.deepcopy(values)
    result = laid_over(values, {"a": {"c": [3], "g": 4}, "d": None, "f": {"h": 5}})
    assert result == {"a": {"b": 1, "c": [3], "g": 4}, "d": None, "f": {"h": 5}}
    assert values == untouched


@pytest.mark.parametrize(
    ("other", "result"),
    [
        ({"hidden": 4}, {"kind": "lstm", "dimension": 3, "hidden": 4}),
        ({"kind": "lstm", "hidden": 4}, {"kind": "lstm", "dimension": 3, "hidden": 4}),
        ({"kind": "averaging"}, {"kind": "averaging"}),
    ],
)
def test_another_kind_replaces_a_mapping_whole(other, result):
    own = {"x": {"kind": "lstm", "dimension": 3}}
    assert laid_over(own, {"x": other}) == {"x": result}


def test_a_scale_lies_over_the_study_and_the_configuration_over_both(workspace):
    scales = workspace / "studies/first/scales"
    scales.mkdir()
    scale = {"recipes": {"quick": {"epochs": 5, "batch": 7}}, "seeds": [3]}
    (scales / "large.yaml").write_text(yaml.safe_dump(scale))
    (scales / "empty.yaml").touch()

    def found(**values):
        study = plans(**values)["results/first"].study
        return study.recipes["quick"].epochs, study.recipes["quick"].batch, study.seeds

    over = changed("recipes", "quick", "epochs", to=9)
    assert found() == (3, 128, [1, 2])
    assert found(scale="empty") == (3, 128, [1, 2])
    assert found(scale="large") == (5, 7, [3])
    assert found(scale="large", **over) == (9, 7, [3])
    assert found(scale="large", seeds=[4, 5], **over) == (9, 7, [4, 5])


def test_files_are_looked_for_here_and_then_beside_the_snakefile(workspace):
    base = workspace / "elsewhere"
    base.mkdir()
    assert find("register.yaml", base) == Path("register.yaml")
    (base / "other.yaml").touch()
    assert find("other.yaml", base) == base / "other.yaml"
    assert find("nothing.yaml", base) == Path("nothing.yaml")


# ---- Plans


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
        "scores.csv", "scores.md", "training.csv", "training.md",
        *(f"figures/{table}.{ending}" for table in ("scores", "training")
          for ending in ("png", "pdf", "svg")),
        "export/sp.cs", "claims.csv", "scores/cs-en/bleu.json",
    )]  # fmt: skip


def test_a_study_may_have_a_model(workspace):
    found = plans(**changed("export", to={"model": "sp.cs", "precision": "int8"}))
    plan = found["results/first"]
    assert "results/first/model" in plan.targets
    assert plan.study.export.precision == "int8"


def test_plain_values_of_a_table_make_the_study_again(plan):
    dumped = plan.dump("training")
    assert list(dumped["tables"]) == ["training"]
    whole = plan.study.model_copy(update={"tables": {"training": plan.study.tables["training"]}})
    assert type(plan.study).model_validate(dumped) == whole


def test_the_paper_of_a_study_is_what_stands_beside_it(plan):
    assert plan.paper() == []
    (plan.home / "claims.yaml").touch()
    assert [Path(path).name for path in plan.paper()] == ["claims.yaml"]


# ---- The repository's own


@pytest.mark.parametrize("scale", ["default", "paper"])
def test_the_repositorys_studies_are_accepted(monkeypatch, scale):
    monkeypatch.chdir(REPOSITORY)
    values = yaml.safe_load(Path("config.yaml").read_text("utf-8"))
    if scale != "default":
        values |= yaml.safe_load(Path(f"workflow/scales/{scale}.yaml").read_text("utf-8"))
    configuration = load_configuration(values)
    found = load_plans(configuration, load_registers(configuration, REPOSITORY), REPOSITORY)
    assert found["results"].name == "wieting2019"


def test_a_study_is_read_without_its_plan(workspace):
    study = load_study(workspace / "studies/first", configured(), ["films", "verses", "scored"])
    assert study.title == "A study"


def test_the_page_of_all_keys_is_what_the_types_say():
    checked = subprocess.run(
        [sys.executable, "docs/reference.py", "--check"], cwd=REPOSITORY, capture_output=True
    )
    assert checked.returncode == 0, checked.stdout.decode() + checked.stderr.decode()
