"""The configuration: checked against its schema, and for what a schema cannot say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema

from tandem import configuration_across as across
from tandem.errors import TandemError
from tandem.io import read_yaml

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
    rules = read_yaml(schema)
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
    panels = config["languages"]["panels"]
    named += [(f"languages.panels.{key}.sources", name) for key, entry in panels.items()
              for name in entry["sources"]]  # fmt: skip
    named.append(("languages.uriel", config["languages"]["uriel"]))
    named += [(f"sts.{key}", config["sts"][key]) for key in STS_ARCHIVES if config["sts"][key]]
    if unknown := [f"{place}: {name}" for place, name in named if name not in datasets]:
        raise ConfigurationError(
            "no register lists these corpora:\n  "
            + "\n  ".join(unknown)
            + f"\nRegisters: {', '.join(config['registers'])}; they list {', '.join(datasets)}"
        )


def panel_candidates(
    config: Config, panel: str, known: Iterable[str], held: Mapping[str, Collection[str]]
) -> list[str]:
    """Return the languages that a panel chooses among.

    Args:
        config: the configuration.
        panel: name of the panel.
        known: codes of the register of languages.
        held: for each corpus the languages that it holds.

    Raises:
        ConfigurationError: naming the languages that no source of the panel holds or the register
            does not know.
    """
    entry = config["languages"]["panels"][panel]
    had = {code for name in entry["sources"] for code in held[name]}
    codes = [code for code in known if code in had]
    if wrong := [code for code in entry["languages"] or () if code not in codes]:
        raise ConfigurationError(
            f"languages.panels.{panel}.languages: {', '.join(wrong)}: not in "
            f"{config['languages']['register']}, or in none of {', '.join(entry['sources'])}"
        )
    return entry["languages"] or codes


def corpora(config: Config) -> list[str]:
    """Return the names of all corpora that experiments can be trained on."""
    return [*config["bitexts"], *config["backtranslations"]]


def sides(config: Config, corpus: str) -> list[str]:
    """Return the two sides of a corpus, as in its file names: `en`, `cs`; or `en`, `en-bt`."""
    if corpus in config["bitexts"]:
        return list(config["bitexts"][corpus]["languages"])
    target = config["translators"][config["backtranslations"][corpus]["translator"]]["target"]
    return [target, f"{target}-bt"]


def experiments(config: Config, encoders: Collection[str], settings: Collection[str]) -> list[str]:
    """Return the names of the experiments of every encoder in every setting."""
    return [f"{encoder}.{setting}" for encoder in encoders for setting in settings]


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
    yield from _text_faults(config)
    for name, entry in config["translators"].items():
        languages = config["bitexts"].get(entry["bitext"], {}).get("languages", [])
        if sorted([entry["source"], entry["target"]]) != sorted(languages):
            yield (
                f"translators.{name}: source and target are not the languages of {entry['bitext']}"
            )
    yield from _backtranslation_faults(config)
    yield from across.faults(config)
    if int(config["sts"]["selection"].split(".")[0]) in config["sts"]["years"]:
        yield "sts.selection: its year is among sts.years, which are scored; choose another task"


def _text_faults(config: Config) -> Iterator[str]:
    """Yield what is wrong with how text is cleaned, and with the panels of languages."""
    cleaned = {f"bitexts.{name}": entry for name, entry in config["bitexts"].items()}
    panels = config["languages"]["panels"].items()
    cleaned |= {f"languages.panels.{name}": entry for name, entry in panels}
    for place, entry in cleaned.items():
        if entry["cleaning"]["min_words"] > entry["cleaning"]["max_words"]:
            yield f"{place}.cleaning: min_words is over max_words"
    if (name := config["languages"]["figure"]) not in dict(panels):
        yield f"languages.figure: no panel {name!r}; there are {', '.join(dict(panels))}"


def _backtranslation_faults(config: Config) -> Iterator[str]:
    for name, entry in config["backtranslations"].items():
        translator = config["translators"].get(entry["translator"], {})
        languages = config["bitexts"].get(entry["bitext"], {}).get("languages", [])
        if translator and sorted([translator["source"], translator["target"]]) != sorted(languages):
            yield f"backtranslations.{name}: {entry['translator']} does not translate this bitext"
    for name, entry in config["settings"].items():
        made = config["backtranslations"].get(entry["corpus"], {}).get("pairs")
        if made is not None and entry["pairs"] > made:
            yield f"settings.{name}.pairs: {entry['pairs']}, but only {made} are back-translated"


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
    yield from across.references(config)
