"""A study: the values of its study.yaml, typed and checked.

An experiment is `<encoder>.<setting>`: a setting names the encoders that are trained in it, each
with its recipe, the corpus, and the objective.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from tandem.corpora.settings import (
    Backtranslation,
    Bitext,
    Collection,
    HiddenPairs,
    Labelled,
    StsArchives,
)
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.precision import Precision
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.registry import Named, Settings
from tandem.reporting.table import TABLES, Table
from tandem.segmentation.segmentation import SEGMENTATIONS, Segmentation
from tandem.statistics.bootstrap import Bootstrap
from tandem.tasks.task import TASKS, Task
from tandem.templates import or_template
from tandem.training.recipe import Recipe
from tandem.training.setting import Setting
from tandem.translation.translator import TRANSLATORS, Translator

Name = Annotated[str, Field(pattern=r"^[\w-]+$")]
Seed = Annotated[int, Field(ge=0, lt=1 << 32)]
"""Name of an entry: it becomes a part of file names, between dots."""


class Trainable(Settings):
    """An encoder that a study trains."""

    label: str
    """Its heading in tables."""
    segmentation: str
    """The segmentation that turns its text into ids."""
    architecture: Annotated[Encoder, Named(ENCODERS)]
    """The kind of encoder, with its settings."""
    vectors: tuple[str, ...] = ()
    """Pretrained encoders of the study, by their names there: training starts from their vectors of
    every token's text, put side by side and cut to the dimension; empty: from what the seed draws,
    as where a setting has a `start`. Where a setting does not train, these vectors are scored."""
    part: Annotated[str, Field(pattern=r"^[\w-]+/.+$")] | None = None
    """`<encoder>/<folder>`: it is not trained, but was beside another encoder in the same setting,
    and is in this folder of its model, such as `bgt/languages/en`."""
    seeds: PositiveInt | None = None
    """Train it with so many of the study's seeds, the first ones; null: with all."""


class Pretrained(Settings):
    """A pretrained baseline: it is scored, not trained."""

    label: str
    """Its heading in tables."""
    model: str
    """muse, minilm, e5, or a folder or name that sentence-transformers loads. One that training
    starts from: e5, or a folder or name that transformers loads."""
    pooling: Literal["mean", "first", "pooler"] = "mean"
    """Of one that training starts from, how its states become a vector; e5 has the mean."""
    prefix: str = ""
    """Of one that training starts from, what stands before every sentence; e5 has its own."""


class Export(Settings):
    """Models for use outside the study, from the first seed."""

    settings: list[str] = []
    """All averaging encoders that are trained in these settings are exported for
    sentence-transformers."""
    model: str | None = None
    """The experiment, of an averaging encoder, that is the study's model: `tandem` finds it by the
    name of the folder of results. Null: none."""
    precision: Precision = Precision.FLOAT32
    """Type of the numbers that this model is stored with."""


class Study(Settings):
    """All values of a study."""

    title: str
    """Title of the study."""
    folder: str = ""
    """Folder of its results under results/; "" for the name of the study, "." for results/."""
    seeds: Annotated[list[Seed], Field(min_length=1)] = [1]
    """Every experiment is trained once with each seed."""
    epochs: PositiveInt | None = None
    """Passes over the text that the paper trains for; an experiment with fewer is marked in tables
    and not comparable in claims. Null: not stated."""
    bitexts: dict[Name, Bitext] = {}
    """Parallel text."""
    collections: dict[Name, Collection] = {}
    """Parallel text of many languages."""
    labelled: dict[Name, Labelled] = {}
    """Pairs that are labelled as saying the same or not."""
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
