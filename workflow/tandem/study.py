"""A study: the values of its study.yaml, typed and checked.

An experiment is `<encoder>.<setting>`: a setting names the encoders that are trained in it, each
with its recipe, the corpus, and the objective.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from tandem.corpora.settings import Bitext, HiddenPairs, StsArchives
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.registry import Named, Settings
from tandem.reporting.table import TABLES, Table
from tandem.segmentation.scheme import Segmentation
from tandem.tasks.task import TASKS, Task
from tandem.training.recipe import Recipe
from tandem.translation.translator import TRANSLATORS, Translator

RESERVED = {"sts", "downloads"}
"""Folders beside those of the corpora."""


class Backtranslation(Settings):
    """The second side of a bitext, its language kept, beside the translation of its first."""

    bitext: str
    """The bitext whose pairs are taken."""
    translator: str
    """What translates; the side in its target language stays."""
    pairs: PositiveInt
    """Of the training split, from its start."""
    shards: PositiveInt = 1
    """Jobs that translate it; changes no result."""


class Trainable(Settings):
    """An encoder as a study names it."""

    label: str
    """Its heading in tables."""
    segmentation: str
    """How its text becomes ids."""
    architecture: Annotated[Encoder, Named(ENCODERS)]
    """The kind of encoder, with its settings."""


class Pretrained(Settings):
    """An encoder that others made: it is scored, not trained."""

    label: str
    """Its heading in tables."""
    model: str
    """muse, minilm, or a folder or name that sentence-transformers loads."""


class Setting(Settings):
    """What encoders are trained on, and how."""

    label: str
    """Its heading in tables."""
    corpus: str
    """A bitext or a back-translation."""
    encoders: dict[str, str] = {}
    """The encoders that are trained in it, each with its recipe."""
    objective: str
    """What training makes small."""
    pairs: NonNegativeInt
    """Training pairs, from the start of the training split; 0: the encoder stays untrained."""
    selection: Literal["similarity", "retrieval"] = "similarity"
    """What chooses the epoch: r on `sts.selection`, or P@1 on the validation split."""


class Bootstrap(Settings):
    """How 95% intervals are drawn."""

    resamples: PositiveInt = 1000
    """Of the scored items."""
    seed: NonNegativeInt = 1
    """Of the draws."""


class Export(Settings):
    """What is also written for sentence-transformers, with the first seed."""

    settings: list[str] = []
    """Every averaging encoder that is trained in one of these."""


class Study(Settings):
    """All values of a study."""

    title: str
    """What it is about, for people."""
    folder: str = ""
    """Where its results stand, under results/; "" for a folder of its name, "." for results/."""
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1)] = [1]
    """Every experiment is trained once with each."""
    bitexts: dict[str, Bitext] = {}
    """Parallel text."""
    sts: StsArchives | None = None
    """Semantic textual similarity."""
    mining: dict[str, HiddenPairs] = {}
    """Mining tasks: sentences of two languages, some of which translate each other."""
    segmentations: dict[str, Segmentation] = {}
    """How text becomes ids."""
    translators: dict[str, Annotated[Translator, Named(TRANSLATORS)]] = {}
    """From one side of a bitext to the other."""
    backtranslations: dict[str, Backtranslation] = {}
    """Bitexts one of whose sides is translated."""
    encoders: dict[str, Trainable] = {}
    """Encoders to train."""
    pretrained: dict[str, Pretrained] = {}
    """Encoders to compare with."""
    objectives: dict[str, Annotated[Objective, Named(OBJECTIVES)]] = {}
    """What training makes small."""
    recipes: dict[str, Recipe] = {}
    """How encoders are trained."""
    settings: dict[str, Setting] = {}
    """What encoders are trained on."""
    tasks: dict[str, Annotated[Task, Named(TASKS)]] = {}
    """What encoders are scored on."""
    tables: dict[str, Annotated[Table, Named(TABLES)]] = {}
    """What is reported."""
    export: Export = Export()
    """Models for others."""
    bootstrap: Bootstrap = Bootstrap()
    """How intervals are drawn."""


def cross_faults(study: Study) -> Iterator[str]:
    """Yield what is wrong between keys: names that nothing has, and sizes that cannot be."""
    corpora = [*study.bitexts, *study.backtranslations]
    for name in sorted({name for name in corpora if corpora.count(name) > 1}):
        yield f"backtranslations.{name}: a bitext has this name too"
    for name in sorted(RESERVED & set(corpora)):
        yield f"no corpus can be named {name}: its folder holds something else"
    for place, name, section in _references(study):
        known = corpora if section == "corpora" else list(getattr(study, section))
        if name not in known:
            yield f"{place}: no {section} entry {name!r}; there are {', '.join(known)}"
    yield from _language_faults(study)
    for name, setting in study.settings.items():
        made = study.backtranslations.get(setting.corpus)
        if made is not None and setting.pairs > made.pairs:
            yield f"settings.{name}.pairs: {setting.pairs}, but only {made.pairs} are translated"
        if setting.selection == "similarity" and study.sts is None:
            yield f"settings.{name}.selection: similarity needs the section sts"
    for name in study.export.settings:
        if name in study.settings and study.settings[name].pairs == 0:
            yield f"export.settings: {name} trains nothing that could be exported"


def _language_faults(study: Study) -> Iterator[str]:
    """Yield what names languages that its bitext has not."""

    def languages(bitext: str) -> list[str] | None:
        return sorted(study.bitexts[bitext].languages) if bitext in study.bitexts else None

    for name, translator in study.translators.items():
        held = languages(translator.bitext)
        if held and sorted([translator.source, translator.target]) != held:
            yield f"translators.{name}: its languages are not those of {translator.bitext}"
    for name, made in study.backtranslations.items():
        held, chosen = languages(made.bitext), study.translators.get(made.translator)
        if held and chosen and sorted([chosen.source, chosen.target]) != held:
            yield f"backtranslations.{name}: {made.translator} does not translate this bitext"
    hidden = [task.bitext for task in study.mining.values()]
    for name, task in study.mining.items():
        held = languages(task.bitext)
        if held and sorted(["en", task.language]) != held:
            yield f"mining.{name}: {task.bitext} is not en and {task.language}"
        if hidden.count(task.bitext) > 1:
            yield f"mining.{name}: {task.bitext} has another mining task; give it one"


def _references(study: Study) -> Iterator[tuple[str, str, str]]:
    """Yield (place, name, section): the name used at a place, and where it must be defined."""
    for name, task in study.mining.items():
        yield f"mining.{name}.bitext", task.bitext, "bitexts"
    for name, translator in study.translators.items():
        yield f"translators.{name}.bitext", translator.bitext, "bitexts"
    for name, made in study.backtranslations.items():
        yield f"backtranslations.{name}.bitext", made.bitext, "bitexts"
        yield f"backtranslations.{name}.translator", made.translator, "translators"
    for name, encoder in study.encoders.items():
        yield f"encoders.{name}.segmentation", encoder.segmentation, "segmentations"
    for name, setting in study.settings.items():
        yield f"settings.{name}.corpus", setting.corpus, "corpora"
        yield f"settings.{name}.objective", setting.objective, "objectives"
        for encoder, recipe in setting.encoders.items():
            yield f"settings.{name}.encoders", encoder, "encoders"
            yield f"settings.{name}.encoders.{encoder}", recipe, "recipes"
    for name in study.export.settings:
        yield "export.settings", name, "settings"
