"""The configuration: checked against its schema, and for what a schema cannot say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from tandem.errors import TandemError

RESERVED = {"sts", "downloads"}
"""Folders beside those of the corpora."""

STS_ARCHIVES = ("benchmark", "companion", "sts2017_input", "sts2017_gold")
"""Keys of the section `sts` that name corpora; all but the first may be null."""

Config = Mapping[str, Any]


class ConfigurationError(TandemError):
    """A configuration that is refused; the message names the key."""


def check(config: Config, schema: str | Path) -> None:
    """Refuse a configuration that the schema does not allow or that contradicts itself.

    Raises:
        ConfigurationError: naming every key at fault.
    """
    rules = yaml.safe_load(Path(schema).read_text(encoding="utf-8"))
    faults = list(_schema_faults(config, rules)) or list(_cross_field_faults(config))
    if faults:
        raise ConfigurationError(
            "the configuration is refused:\n  " + "\n  ".join(faults) + f"\nSee {schema}"
        )


def check_sources(config: Config, datasets: Collection[str]) -> None:
    """Refuse a configuration that names a corpus that no register has.

    Raises:
        ConfigurationError: naming every key at fault.
    """
    named = [(f"bitexts.{key}.sources", name) for key, entry in config["bitexts"].items()
             for name in entry["sources"]]  # fmt: skip
    named += [(f"mining_tasks.{key}.{part}", entry[part])
              for key, entry in config["mining_tasks"].items()
              for part in ("training", "test") if entry[part]]  # fmt: skip
    named += [(f"sts.{key}", config["sts"][key]) for key in STS_ARCHIVES if config["sts"][key]]
    if unknown := [f"{place}: {name}" for place, name in named if name not in datasets]:
        raise ConfigurationError(
            "no register lists these corpora:\n  " + "\n  ".join(unknown)
            + f"\nRegisters: {', '.join(config['registers'])}; they list {', '.join(datasets)}"
        )


def corpora(config: Config) -> list[str]:
    """Return the names of all corpora that experiments can be trained on."""
    return [*config["bitexts"], *config["backtranslations"]]


def sides(config: Config, corpus: str) -> list[str]:
    """Return the two sides of a corpus, as in its file names: `en`, `cs`; or `en`, `en-bt`."""
    if corpus in config["bitexts"]:
        return list(config["bitexts"][corpus]["languages"])
    target = config["translators"][config["backtranslations"][corpus]["translator"]]["to"]
    return [target, f"{target}-bt"]


def experiments(config: Config, encoders: Collection[str], settings: Collection[str]) -> list[str]:
    """Return the names of the experiments of every encoder in every setting."""
    return [f"{encoder}.{setting}" for encoder in encoders for setting in settings]


def table2_experiments(config: Config) -> list[dict[str, Any]]:
    """Return the rows of Table 2, each with its experiments by language."""
    table = config["table2"]
    return [
        row | {
            "experiments": {
                language: f"{row['encoder']}.{table['trainings'][row['training']][language]}"
                for language in table["languages"]
            }
        }
        for row in table["rows"]
    ]  # fmt: skip


def table2_corpora(config: Config) -> dict[str, str]:
    """Return the corpus of each language of Table 2, that of all its trainings."""
    table = config["table2"]
    training = next(iter(table["trainings"].values()))
    return {name: config["settings"][training[name]]["corpus"] for name in table["languages"]}


def mining_task_of(config: Config, corpus: str) -> str | None:
    """Return the mining task whose hidden sentences a bitext must not hold, if there is one."""
    tasks = config["mining_tasks"].items()
    return next((name for name, entry in tasks if entry["bitext"] == corpus), None)


def _schema_faults(config: Config, rules: Config) -> Iterator[str]:
    for error in jsonschema.Draft202012Validator(rules).iter_errors(config):
        # of a choice (oneOf) show the branch that nearly fits, not "not valid under any"
        cause = jsonschema.exceptions.best_match([error]) or error
        yield f"{'.'.join(map(str, cause.absolute_path)) or 'top level'}: {cause.message}"


def _cross_field_faults(config: Config) -> Iterator[str]:
    """Yield what is wrong between keys: names that nothing has, and sizes that cannot be."""
    names = corpora(config)
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"backtranslations.{name}: a bitext has this name too"
    for name in sorted(RESERVED & set(names)):
        yield f"no corpus can be named {name}: its folder holds something else"
    for place, name, section in _references(config):
        known = names if section == "corpora" else list(config[section])
        if name not in known:
            yield f"{place}: no {section} entry {name!r}; there are {', '.join(known)}"
    for name, entry in config["bitexts"].items():
        if entry["cleaning"]["min_words"] > entry["cleaning"]["max_words"]:
            yield f"bitexts.{name}.cleaning: min_words is over max_words"
    for name, entry in config["translators"].items():
        languages = config["bitexts"].get(entry["bitext"], {}).get("languages", [])
        if sorted([entry["from"], entry["to"]]) != sorted(languages):
            yield f"translators.{name}: from and to are not the languages of {entry['bitext']}"
    yield from _backtranslation_faults(config)
    yield from _mining_faults(config)
    yield from _table2_faults(config)
    table4 = config["table4"]
    if table4["language"] not in config["bitexts"].get(table4["bitext"], {}).get("languages", []):
        yield f"table4.language: {table4['language']} is no language of {table4['bitext']}"
    if int(config["sts"]["selection"].split(".")[0]) in config["sts"]["years"]:
        yield "sts.selection: its year is among sts.years, which are scored; choose another task"


def _backtranslation_faults(config: Config) -> Iterator[str]:
    for name, entry in config["backtranslations"].items():
        translator = config["translators"].get(entry["translator"], {})
        languages = config["bitexts"].get(entry["bitext"], {}).get("languages", [])
        if translator and sorted([translator["from"], translator["to"]]) != sorted(languages):
            yield f"backtranslations.{name}: {entry['translator']} does not translate this bitext"
    for name, entry in config["settings"].items():
        made = config["backtranslations"].get(entry["corpus"], {}).get("pairs")
        if made is not None and entry["pairs"] > made:
            yield f"settings.{name}.pairs: {entry['pairs']}, but only {made} are back-translated"


def _mining_faults(config: Config) -> Iterator[str]:
    bitexts = [entry["bitext"] for entry in config["mining_tasks"].values()]
    for name, entry in config["mining_tasks"].items():
        languages = config["bitexts"].get(entry["bitext"], {}).get("languages", [])
        if languages and sorted(languages) != sorted(["en", entry["language"]]):
            yield f"mining_tasks.{name}: {entry['bitext']} is not en and {entry['language']}"
        if bool(entry["training"]) != bool(entry["test"]):
            yield f"mining_tasks.{name}: give both training and test, or null for both"
        if bitexts.count(entry["bitext"]) > 1:
            yield f"mining_tasks.{name}: {entry['bitext']} has another mining task; give it one"
    for name in config["table3"]["settings"]:
        corpus = config["settings"].get(name, {}).get("corpus")
        if corpus and corpus not in bitexts:
            yield f"table3.settings.{name}: no mining task has its corpus, {corpus}"


def _table2_faults(config: Config) -> Iterator[str]:
    table = config["table2"]
    for name, training in table["trainings"].items():
        for language in table["languages"]:
            if language not in training:
                yield f"table2.trainings.{name}: no setting for {language}, one of the languages"
        for language, setting in training.items():
            corpus = config["settings"].get(setting, {}).get("corpus")
            known = config["bitexts"].get(corpus, {}).get("languages", [language])
            if language not in known:
                yield f"table2.trainings.{name}.{language}: the corpus of {setting} has it not"
    for language in table["languages"]:
        names = [training.get(language) for training in table["trainings"].values()]
        found = {config["settings"].get(name, {}).get("corpus") for name in names}
        if len(found) > 1:  # each searches the test split of its corpus
            yield f"table2.trainings: the settings of {language} have different corpora"
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


def _references(config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield (place, name, section): the name used at a place, and where it must be defined."""
    for name, entry in config["translators"].items():
        yield f"translators.{name}.bitext", entry["bitext"], "bitexts"
    for name, entry in config["backtranslations"].items():
        yield f"backtranslations.{name}.bitext", entry["bitext"], "bitexts"
        yield f"backtranslations.{name}.translator", entry["translator"], "translators"
    for name, entry in config["encoders"].items():
        yield f"encoders.{name}.segmentation", entry["segmentation"], "segmentations"
    for name, entry in config["settings"].items():
        yield f"settings.{name}.corpus", entry["corpus"], "corpora"
    for section in ("encoders", "settings"):
        for name in config["table1"][section]:
            yield f"table1.{section}", name, section
    for name, entry in config["mining_tasks"].items():
        yield f"mining_tasks.{name}.bitext", entry["bitext"], "bitexts"
    for name, training in config["table2"]["trainings"].items():
        for language, setting in training.items():
            yield f"table2.trainings.{name}.{language}", setting, "settings"
    for row in config["table2"]["rows"]:
        yield f"table2.rows.{row['label']}", row["encoder"], "encoders"
    for section in ("encoders", "settings"):
        for name in config["table3"][section]:
            yield f"table3.{section}", name, section
    for name in config["table4"]["encoders"]:
        yield "table4.encoders", name, "encoders"
    yield "table4.setting", config["table4"]["setting"], "settings"
    yield "table4.bitext", config["table4"]["bitext"], "bitexts"
    for table in ("table2", "table4"):
        for name in config[table]["baselines"]:
            yield f"{table}.baselines", name, "baselines"
