"""The configuration of mining, of Tables 2 to 4 and of what is exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

Config = Mapping[str, Any]


def table2_experiments(config: Config) -> list[dict[str, Any]]:
    """Return the rows of Table 2, label and experiments by language of each."""
    table = config["table2"]
    return [
        {
            "label": row["label"],
            "experiments": {
                language: f"{row['encoder']}.{table['trainings'][row['training']][language]}"
                for language in table["languages"]
            },
        }
        for row in table["rows"]
    ]


def table2_corpora(config: Config) -> dict[str, str]:
    """Return the corpus of each language of Table 2, that of all its trainings."""
    table = config["table2"]
    training = next(iter(table["trainings"].values()))
    return {name: config["settings"][training[name]]["corpus"] for name in table["languages"]}


def mining_task_of(config: Config, corpus: str) -> str | None:
    """Return the mining task whose hidden sentences a bitext must not hold, if there is one."""
    tasks = config["mining_tasks"].items()
    return next((name for name, entry in tasks if entry["bitext"] == corpus), None)


def references(config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield (place, name, section): the name used at a place, and where it must be defined."""
    for name, entry in config["mining_tasks"].items():
        yield f"mining_tasks.{name}.bitext", entry["bitext"], "bitexts"
    for training, language, setting in _trainings(config):
        yield f"table2.trainings.{training}.{language}", setting, "settings"
    for row in config["table2"]["rows"]:
        yield f"table2.rows.{row['label']}", row["encoder"], "encoders"
    yield "table4.setting", config["table4"]["setting"], "settings"
    yield "table4.bitext", config["table4"]["bitext"], "bitexts"
    for place, key in (
        ("table3", "encoders"), ("table3", "settings"), ("table4", "encoders"),
        ("export", "settings"), ("table2", "baselines"), ("table4", "baselines"),
    ):  # fmt: skip
        for name in config[place][key]:
            yield f"{place}.{key}", name, key


def faults(config: Config) -> Iterator[str]:
    """Yield what is wrong between keys."""
    yield from _mining_faults(config)
    yield from _table2_faults(config)
    table = config["table4"]
    if table["language"] not in _languages(config, table["bitext"], table["language"]):
        yield f"table4.language: {table['language']} is no language of {table['bitext']}"
    for name in config["export"]["settings"]:
        if config["settings"].get(name, {}).get("pairs") == 0:
            yield f"export.settings: {name} trains nothing that could be exported"


def _mining_faults(config: Config) -> Iterator[str]:
    bitexts = [entry["bitext"] for entry in config["mining_tasks"].values()]
    for name, entry in config["mining_tasks"].items():
        pair = ["en", entry["language"]]
        if sorted(_languages(config, entry["bitext"], *pair)) != sorted(pair):
            yield f"mining_tasks.{name}: {entry['bitext']} is not en and {entry['language']}"
        if bool(entry["training"]) != bool(entry["test"]):
            yield f"mining_tasks.{name}: give both training and test, or null for both"
        if bitexts.count(entry["bitext"]) > 1:
            yield f"mining_tasks.{name}: {entry['bitext']} has another mining task; give it one"
    for name in config["table3"]["settings"]:
        corpus = _corpus(config, name)
        if corpus and corpus not in bitexts:
            yield f"table3.settings.{name}: no mining task has its corpus, {corpus}"


def _table2_faults(config: Config) -> Iterator[str]:
    table = config["table2"]
    yield from _training_faults(config)
    for row in table["rows"]:
        if row["training"] not in table["trainings"]:
            yield f"table2.rows: {row['label']}: no training {row['training']!r}"
    for track in table["tracks"]:
        if track["language"] not in table["languages"]:
            yield f"table2.tracks: {track['label']}: {track['language']} is no language of it"
    for field in ("rows", "tracks"):
        labels = [entry["label"] for entry in table[field]]
        for label in sorted({label for label in labels if labels.count(label) > 1}):
            yield f"table2.{field}: {label} comes twice"


def _training_faults(config: Config) -> Iterator[str]:
    table = config["table2"]
    for (name, training), language in product(table["trainings"].items(), table["languages"]):
        if language not in training:
            yield f"table2.trainings.{name}: no setting for {language}, one of the languages"
    for name, language, setting in _trainings(config):
        if language not in _languages(config, _corpus(config, setting), language):
            yield f"table2.trainings.{name}.{language}: the corpus of {setting} has it not"
    for language in table["languages"]:
        names = [training.get(language) for training in table["trainings"].values()]
        if len({_corpus(config, name) for name in names}) > 1:  # each searches its test split
            yield f"table2.trainings: the settings of {language} have different corpora"


def _trainings(config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield (training, language, setting) of Table 2."""
    for training, settings in config["table2"]["trainings"].items():
        for language, setting in settings.items():
            yield training, language, setting


def _corpus(config: Config, setting: str | None) -> str | None:
    """Return the corpus of a setting; None of one that is not defined, a fault found elsewhere."""
    return config["settings"].get(setting, {}).get("corpus")


def _languages(config: Config, bitext: str | None, *otherwise: str) -> list[str]:
    """Return the languages of a bitext; of one not defined, which is found elsewhere, others."""
    return list(config["bitexts"].get(bitext, {}).get("languages", otherwise))
