"""What is refused in a configuration and in a study: each fault is named with its place."""

import re

import pytest
from one_study import REGISTER, STUDY, changed, configured, plans

from tandem.errors import InputError
from tandem.registry import ConfigurationError
from tandem.studies.configuration import load_registers


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
        ({"device": "tpu"}, "  device: Input should be 'cpu', 'cuda' or 'auto'"),
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
        (changed("settings", "cs.1", to={}), "settings.cs.1.[key]: 'cs.1' does not match"),
        (changed("settings", "{a}", to={"each": [{"b": 1}]}),
         "settings.{a}: no 'a' to put in braces; there are b"),
        (changed("settings", "{a}", to={"pairs": 1}), "settings.{a}.[key]: '{a}' does not match"),
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
        (changed("encoders", "sp", "architecture", to={"kind": "transformer", "grouped": True}),
         "encoders.sp: transformer with these settings does not read words"),
        (changed("encoders", "sp", "segmentation", to="word"),
         "encoders.sp.segmentation: no segmentations entry 'word' (did you mean 'words'?)"),
        (changed("settings", "cs", "corpus", to="en-enn"),
         "settings.cs.corpus: no corpora entry 'en-enn' (did you mean 'en-en'?)"),
        (changed("tasks", "retrieval", "corpus", to="en-enn"),
         "tasks.retrieval.corpus: no corpora entry 'en-enn' (did you mean 'en-en'?)"),
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
        (changed("settings", "en", "turns", to=["en-cs"]),
         "settings.en.turns: no back-translation 'en-cs'"),
        (changed("settings", "cs", "turns", to=["en-en"]),
         "settings.cs.turns: no back-translation 'en-cs'"),
        ({"studies": {"first": {
            "translators": {"de-en": {"kind": "released", "model": "m", "bitext": "en-de",
                                      "source": "de", "target": "en"}},
            "backtranslations": {"other": {"bitext": "en-de", "translator": "de-en", "pairs": 50}},
            "settings": {"en": {"turns": ["other"]}}}}},
         "settings.en.turns: back-translations of several bitexts"),
        ({"seeds": [1, 2, 3], **changed("settings", "en", "turns", to=["en-en"])},
         "settings.en.seeds: more than the corpora that take turns; give 2"),
        (changed("sts", to=None), "settings.cs.selection: similarity needs the section sts"),
        (changed("export", "settings", to=["cs", "none"]), "export.settings: none trains nothing"),
        # the study's model
        (changed("export", "model", to="sp.cz"),
         "export.model: no exportable encoder 'sp.cz' (did you mean 'sp.cs'?)"),
        (changed("export", "model", to="sp"), "export.model: no exportable encoder 'sp'"),
        (changed("export", "model", to="lstm.cs"), "export.model: no exportable encoder 'lstm.cs'"),
        (changed("export", "model", to="sp.none"), "export.model: no exportable encoder 'sp.none'"),
    ],
)  # fmt: skip
def test_a_fault_between_keys_is_named(workspace, change, said):
    with pytest.raises(ConfigurationError) as refused:
        plans(**change)
    assert str(refused.value).startswith("the study first is refused:\n")
    assert f"\n  {said}" in str(refused.value)


def test_every_fault_is_named_at_once(workspace):
    wrong = {"recipes": {"quick": {"epochs": 0}}, "objectives": {"margin": {"anneals": 1, "x": 2}}}
    with pytest.raises(ConfigurationError) as refused:
        plans(studies={"first": wrong})
    lines = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in lines[1:-1]] == ["  objectives.margin",
                                                          "  recipes.quick.epochs"]  # fmt: skip
    assert "unknown key 'anneals' (did you mean 'anneal'?), 'x'; there are margin" in lines[1]


def test_a_table_that_asks_for_a_corpus_without_register_is_refused(workspace, monkeypatch):
    from tandem.reporting.tables.experiments import Experiments

    monkeypatch.setattr(Experiments, "sources", lambda self: ["films", "maps"])
    with pytest.raises(ConfigurationError, match="\n  tables.years: no register lists 'maps'"):
        plans()


def test_an_empty_study_is_refused(workspace):
    (workspace / "studies/first/study.yaml").write_text("")
    with pytest.raises(ConfigurationError, match="the study first is refused:\n  title: not giv"):
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


def test_findings_of_no_table_are_refused_before_anything_is_trained(workspace):
    claims = workspace / "studies/first/claims.yaml"
    claims.write_text("table9: []\n")
    with pytest.raises(InputError, match="claims.yaml: no table 'table9'"):
        plans()
    claims.write_text("table9: [{id: x}]\n")
    with pytest.raises(InputError, match="claims.yaml: .*paper: not given"):
        plans()


def test_registers_are_there_and_have_each_corpus_once(workspace):
    with pytest.raises(ConfigurationError, match="registers: no file gone.yaml, here or in"):
        load_registers(configured(registers=["register.yaml", "gone.yaml"]), "nowhere")
    (workspace / "same.yaml").write_text(REGISTER)
    both = load_registers(configured(registers=["register.yaml", "same.yaml"]), "nowhere")
    assert both["scored"].path == "sts.zip"
    (workspace / "same.yaml").write_text(REGISTER.replace("sts.zip", "other.zip"))
    with pytest.raises(ConfigurationError, match="another register has the corpus scored, too"):
        load_registers(configured(registers=["register.yaml", "same.yaml"]), "nowhere")
