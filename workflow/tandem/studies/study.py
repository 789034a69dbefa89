"""A study: the values of its study.yaml, typed and checked.

An experiment is `<encoder>.<setting>`: a setting names the encoders that are trained in it, each
with its recipe, the corpus, and the objective.
"""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from tandem.corpora.register import Code
from tandem.corpora.settings import Bitext, Collection, HiddenPairs, StsArchives
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.precision import Precision
from tandem.filtering.filter import Filters, parse_filters
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.registry import Named, Settings, not_among
from tandem.reporting.table import TABLES, Table
from tandem.segmentation.segmentation import SEGMENTATIONS, Segmentation
from tandem.studies.starts import start_faults
from tandem.tasks.task import TASKS, Task
from tandem.templates import or_template
from tandem.training.recipe import Recipe
from tandem.translation.translator import TRANSLATORS, Translator

Name = Annotated[str, Field(pattern=r"^[\w-]+$")]
"""Name of an entry: it becomes a part of file names, between dots."""

RESERVED = {"sts", "downloads"}
"""Folders beside those of the corpora."""


class Backtranslation(Settings):
    """Back-translated text: one side of a bitext, paired with the translation of its other side."""

    bitext: str
    """The bitext that is back-translated."""
    translator: str
    """The translator; the side in its target language is kept, the other is translated."""
    pairs: NonNegativeInt | None = None
    """How many pairs of the training split, from its start; null: all. The validation and the test
    split are translated too."""
    cleaning: Filters = parse_filters({"identical": {}})
    """Filters that a pair of text and back-translation must pass, in this order."""
    shards: PositiveInt = 1
    """Number of jobs that share the translation; changes no result."""


class Trainable(Settings):
    """An encoder that a study trains."""

    label: str
    """Its heading in tables."""
    segmentation: str
    """The segmentation that turns its text into ids."""
    architecture: Annotated[Encoder, Named(ENCODERS)]
    """The kind of encoder, with its settings."""
    seeds: PositiveInt | None = None
    """Train it with so many of the study's seeds, the first ones; null: with all."""


class Pretrained(Settings):
    """A pretrained baseline: it is scored, not trained."""

    label: str
    """Its heading in tables."""
    model: str
    """muse, minilm, or a folder or name that sentence-transformers loads."""


class Setting(Settings):
    """The text that encoders are trained on, and how they are trained."""

    label: str
    """Its heading in tables."""
    corpus: str
    """Name of a bitext, a back-translation or a collection."""
    encoders: dict[str, str] = {}
    """The encoders that are trained in this setting, each with its recipe."""
    objective: str
    """Name of the objective that training minimises."""
    pairs: PositiveInt | None
    """Training pairs, a sample of the training split; each seed draws its own. Segmentations are
    learned from it too. Null, for a collection: all."""
    sources: tuple[str, ...] | None = None
    """Of a collection, the corpora whose pairs are trained on; null: all."""
    languages: tuple[Code, ...] | None = None
    """Of a collection, the languages that are trained on, beside its pivot; null: all."""
    temperature: Annotated[float, Field(ge=1)] = 1.0
    """Of a collection: each corpus in each language has a share of an epoch in proportion to its
    pairs to the power of 1 / temperature."""
    pools: Literal["mixed", "source"] = "mixed"
    """Of a collection, what a mega-batch, from which negatives are chosen, holds: pairs of all that
    is trained on (mixed), or of one corpus (source). Pairs of two languages and pairs of one are
    always apart."""
    start: str | None = None
    """What training starts from, and whose segmentation is used: an experiment, whose encoder is of
    the same seed or else of its first, or the folder of a model (a path with a /). Null: training
    starts from what the seed draws."""
    trained: bool = True
    """Whether encoders are trained; else they stay as their seed draws them."""
    selection: Literal["similarity", "retrieval", "last"] = "similarity"
    """What selects the epoch: r on `sts.selection`, or P@1 on the validation split of a bitext;
    last: nothing, the last one is kept."""


class Bootstrap(Settings):
    """How 95% bootstrap intervals are computed."""

    resamples: PositiveInt = 1000
    """Number of times that the scored items are resampled."""
    seed: NonNegativeInt = 1
    """Seed of the resampling."""


class Export(Settings):
    """Models for use outside the study, from the first seed."""

    settings: list[str] = []
    """All averaging encoders that are trained in these settings are exported for
    sentence-transformers."""
    model: str | None = None
    """The experiment, of an averaging encoder, that is the study's model: `tandem` finds it by the
    name of the folder of results. Null: none."""
    precision: Precision = Precision.FLOAT32
    """Of the numbers that this model is stored with."""


class Study(Settings):
    """All values of a study."""

    title: str
    """Title of the study."""
    folder: str = ""
    """Folder of its results under results/; "" for the name of the study, "." for results/."""
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1)] = [1]
    """Every experiment is trained once with each seed."""
    epochs: PositiveInt | None = None
    """Passes over the text that the paper trains for; an experiment with fewer is marked in tables
    and not comparable in claims. Null: not stated."""
    bitexts: dict[Name, Bitext] = {}
    """Parallel text."""
    collections: dict[Name, Collection] = {}
    """Parallel text of many languages."""
    sts: StsArchives | None = None
    """Semantic textual similarity."""
    mining: dict[Name, HiddenPairs] = {}
    """Mining tasks: sentences of two languages, some of which translate each other."""
    segmentations: dict[Name, Annotated[Segmentation, Named(SEGMENTATIONS)]] = {}
    """Ways to turn text into ids."""
    translators: dict[Name, Annotated[Translator, Named(TRANSLATORS)]] = {}
    """Translators from one side of a bitext to the other."""
    backtranslations: dict[Name, Backtranslation] = {}
    """Bitexts with one side replaced by its translation into the language of the other."""
    encoders: dict[Name, Trainable] = {}
    """Encoders to train."""
    pretrained: dict[Name, Pretrained] = {}
    """Pretrained baselines to compare with."""
    objectives: dict[Name, Annotated[Objective, Named(OBJECTIVES)]] = {}
    """Losses that training minimises."""
    recipes: dict[Name, Recipe] = {}
    """Hyperparameters of training."""
    settings: Annotated[dict[Name, Setting], Field(json_schema_extra=or_template(Setting))] = {}
    """What encoders are trained on; with `each`, an entry is a template for several."""
    tasks: dict[Name, Annotated[Task, Named(TASKS)]] = {}
    """What encoders are scored on."""
    tables: dict[Name, Annotated[Table, Named(TABLES)]] = {}
    """What is reported."""
    export: Export = Export()
    """Models for use outside Tandem."""
    front: list[str] = []
    """Figures on the first page of the report, as paths without ending."""
    bootstrap: Bootstrap = Bootstrap()
    """How intervals are computed."""


REFERENCES = {
    "mining": {"bitext": "bitexts"},
    "translators": {"bitext": "bitexts"},
    "backtranslations": {"bitext": "bitexts", "translator": "translators"},
    "encoders": {"segmentation": "segmentations"},
    "settings": {"corpus": "corpora", "objective": "objectives"},
}
"""By section: the keys of its entries that name an entry of another section, and that section."""


def cross_faults(study: Study, datasets: Names[str]) -> Iterator[str]:
    """Yield what is inconsistent between keys: names that do not exist, and impossible sizes.

    `datasets` are the names of the registered corpora.
    """
    corpora = [*study.bitexts, *study.backtranslations, *study.collections]
    for one, other in (
        ("bitexts", "backtranslations"),
        ("bitexts", "collections"),
        ("backtranslations", "collections"),
        ("encoders", "pretrained"),
    ):
        for name in getattr(study, other):
            if name in getattr(study, one):
                yield f"{other}.{name}: {one} has this name too"
    for name in RESERVED.intersection(corpora):
        yield f"no corpus can be named {name}: its folder holds something else"
    for place, name, section in _references(study):
        known = corpora if section == "corpora" else getattr(study, section)
        if name not in known:
            yield f"{place}: no {section} entry {not_among(name, known)}"
    for place, source in _sources(study):
        if source not in datasets:
            yield f"{place}: no register lists {not_among(source, datasets)}"
    yield from _encoder_faults(study)
    yield from _language_faults(study)
    yield from _size_faults(study)
    yield from _collection_faults(study)
    yield from _export_faults(study)


def _references(study: Study) -> Iterator[tuple[str, str, str]]:
    """Yield (place, name, section): the name used at a place, and where it must be defined."""
    for section, keys in REFERENCES.items():
        for name, entry in getattr(study, section).items():
            for key, other in keys.items():
                yield f"{section}.{name}.{key}", getattr(entry, key), other
    for name, setting in study.settings.items():
        for encoder, recipe in setting.encoders.items():
            yield f"settings.{name}.encoders", encoder, "encoders"
            yield f"settings.{name}.encoders.{encoder}", recipe, "recipes"
    for name in study.export.settings:
        yield "export.settings", name, "settings"


def _sources(study: Study) -> Iterator[tuple[str, str]]:
    """Yield (place, name) of the registered corpora that the study names."""
    for section in ("bitexts", "collections"):
        for name, made in getattr(study, section).items():
            yield from ((f"{section}.{name}.sources", source) for source in made.sources)
    for name, task in study.mining.items():
        yield from ((f"mining.{name}", source) for source in task.published())
    for name, table in study.tables.items():
        yield from ((f"tables.{name}", source) for source in table.sources())
    if study.sts is not None:
        yield from ((f"sts.{key}", source) for key, source in study.sts.archives().items())


def _encoder_faults(study: Study) -> Iterator[str]:
    """Yield the encoders that cannot read what their segmentation gives."""
    for name, entry in study.encoders.items():
        scheme = study.segmentations.get(entry.segmentation)
        if scheme and not entry.architecture.reads(scheme):
            kind = entry.architecture.kind
            yield f"encoders.{name}: {kind} with these settings does not read {scheme.kind}"


def _language_faults(study: Study) -> Iterator[str]:
    """Yield the entries that name languages which their bitext does not have."""
    needed = [(f"translators.{name}", each.bitext, {each.source, each.target})
              for name, each in study.translators.items()]  # fmt: skip
    needed += [(f"backtranslations.{name}", made.bitext, {chosen.source, chosen.target})
               for name, made in study.backtranslations.items()
               if (chosen := study.translators.get(made.translator))]  # fmt: skip
    needed += [(f"mining.{name}", task.bitext, {"en", task.language})
               for name, task in study.mining.items()]  # fmt: skip
    for place, bitext, languages in needed:
        if bitext in study.bitexts and languages != set(study.bitexts[bitext].languages):
            yield f"{place}: {bitext} is not of {' and '.join(sorted(languages))}"


def _size_faults(study: Study) -> Iterator[str]:
    hidden = [task.bitext for task in study.mining.values()]
    for name, task in study.mining.items():
        if hidden.count(task.bitext) > 1:
            yield f"mining.{name}: {task.bitext} has another mining task; give it one"
    for name, setting in study.settings.items():
        made = study.backtranslations.get(setting.corpus)
        translated = None if made is None else made.pairs
        if translated is not None and (setting.pairs or 0) > translated:
            yield f"settings.{name}.pairs: {setting.pairs}, but only {translated} are translated"
        if setting.selection == "similarity" and study.sts is None:
            yield f"settings.{name}.selection: similarity needs the section sts"


def _collection_faults(study: Study) -> Iterator[str]:
    """Yield what is said of a collection's pairs in the setting of a bitext, and the reverse."""
    for name, setting in study.settings.items():
        yield from (f"settings.{name}.start: {fault}" for fault in start_faults(study, name))
        if setting.corpus in study.collections:
            if setting.selection == "retrieval":
                yield f"settings.{name}.selection: retrieval is for bitexts; similarity or last"
            continue
        if setting.pairs is None:
            yield f"settings.{name}.pairs: null is for collections; give a number"
        for key in ("sources", "languages", "temperature", "pools"):
            if getattr(setting, key) != Setting.model_fields[key].default:
                yield f"settings.{name}.{key}: {setting.corpus} is no collection; leave it out"


def _export_faults(study: Study) -> Iterator[str]:
    for name in study.export.settings:
        if name in study.settings and not study.settings[name].trained:
            yield f"export.settings: {name} trains nothing that could be exported"
    known = [
        f"{encoder}.{name}"
        for name, setting in study.settings.items()
        for encoder in setting.encoders
        if setting.trained and encoder in study.encoders
        if study.encoders[encoder].architecture.exportable
    ]
    if study.export.model not in (None, *known):
        yield f"export.model: no exportable encoder {not_among(study.export.model, known)}"
