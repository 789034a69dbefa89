"""Tables: from scores to rows, Markdown and figures.

A table of a study is a kind: its fields are its entry in the study, and its class stands in the
study's folder `tables/`, or is one of those that every study may use, in `tandem.reporting.tables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import NonNegativeInt, PositiveInt

from tandem.registry import Kind, Registry, Settings
from tandem.reporting.published import Published, read_published
from tandem.tasks.task import Places

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.corpora.settings import Backtranslation, Collection, StsArchives
    from tandem.reporting.scores import Scores
    from tandem.tasks.task import Task
    from tandem.training.setting import Setting


class Bootstrap(Settings):
    """How 95% bootstrap intervals are computed."""

    resamples: PositiveInt = 1000
    """Number of times that the scored items are resampled."""
    seed: NonNegativeInt = 1
    """Seed of the resampling."""


class Values(Protocol):
    """What tables ask of the values of a study."""

    @property
    def epochs(self) -> int | None:
        """Passes over the text that the paper trains for."""

    @property
    def collections(self) -> Mapping[str, Collection]:
        """Parallel text of many languages."""

    @property
    def backtranslations(self) -> Mapping[str, Backtranslation]:
        """Bitexts with one side replaced by a translation."""

    @property
    def sts(self) -> StsArchives | None:
        """Semantic textual similarity."""

    @property
    def encoders(self) -> Mapping[str, object]:
        """Encoders to train."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """What encoders are trained on."""

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What encoders are scored on."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """What is reported."""

    @property
    def bootstrap(self) -> Bootstrap:
        """How intervals are computed."""


class Outline(Places, Protocol):
    """What tables and tests of claims ask of a study's plan."""

    @property
    def home(self) -> Path:
        """The folder that holds the study."""

    @property
    def study(self) -> Values:
        """The values of the study."""

    @property
    def fetched(self) -> Mapping[str, list[str]]:
        """The files of every registered corpus."""

    def experiments(self, encoders: Iterable[str], settings: Iterable[str]) -> list[str]:
        """Return the experiments of encoders in settings."""

    def described(self, experiment: str) -> dict[str, Any]:
        """Describe an experiment for tables."""

    def pretrained(self, experiment: str) -> str | None:
        """Return the model of a pretrained baseline; None for an encoder that is trained."""

    def seeds(self, experiment: str) -> list[int]:
        """Return the seeds of an experiment."""

    def epochs(self, experiment: str) -> int:
        """Return the passes over its text that train an experiment."""

    def fewer_epochs(self, experiment: str) -> bool:
        """Whether an experiment is trained for fewer passes than the paper's."""

    def segmented(self, experiment: str, seed: int) -> str:
        """Return the folder of the segmented sample that a seed trains an experiment on."""

    def model(self, experiment: str, seed: int) -> str:
        """Return the folder of a trained encoder."""

    def models(self, experiments: Iterable[str]) -> list[str]:
        """Return the folders of the encoders that are trained, for all seeds."""

    def scores(self, experiments: Iterable[str], task: str) -> list[str]:
        """Return the folders of scores of experiments on a task."""


@dataclass(frozen=True)
class Material:
    """What a table is made from: its name, the study's plan, its files, and the scores in them.

    `files` holds what `Table.inputs` names, and under `paper` the study's claims and published
    figures, where it has them.
    """

    name: str
    plan: Outline
    files: Mapping[str, list[Path]]
    scores: Scores
    scale: str

    def paper(self, name: str) -> Path | None:
        """Return `claims.yaml` or `published.yaml`, if the study has it."""
        return next((file for file in self.files.get("paper", []) if file.name == name), None)

    @property
    def published(self) -> Mapping[str, Published]:
        """The published figures that the study quotes, by id."""
        path = self.paper("published.yaml")
        return read_published(path) if path else {}


@dataclass(frozen=True)
class Report:
    """A table as CSV and Markdown; `frames`, by name, hold further data that its claims read."""

    frame: pd.DataFrame
    markdown: str
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)


class Table(Kind):
    """A table of a study, its figures, and the evidence for its claims."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the files it reads; those under names that begin with "scores" are score files."""
        raise NotImplementedError

    def sources(self) -> list[str]:
        """Name the registered corpora that it asks for itself."""
        return []

    def encodes(self) -> list[str]:
        """Name the experiments whose encoders it loads."""
        return []

    def others(self) -> list[str]:
        """Name the study's tables whose settings it reads besides its own."""
        return []

    def build(self, material: Material) -> Report:
        """Make the table."""
        raise NotImplementedError

    def figures(self, name: str) -> list[str]:
        """Name its figures: paths under the study's results, without ending."""
        return [f"figures/{name}"]

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw one of its figures from the table as its CSV holds it.

        Unless a table says otherwise: a row of dots for each column that has an interval, a series
        for each row of the table, named by the table's first column.
        """
        from tandem.reporting.plots import dot_plot, panels_of

        return dot_plot(panels_of(frame))


TABLES = Registry("tandem.reporting.tables", Table)
