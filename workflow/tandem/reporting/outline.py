"""What tables, and tests of claims, ask of a study."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tandem.tasks.task import Places

if TYPE_CHECKING:
    from tandem.corpora.settings import Backtranslation, Collection, StsArchives
    from tandem.reporting.table import Table
    from tandem.training.setting import Setting


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
    def encoders(self) -> Container[str]:
        """Names of the encoders to train."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """What encoders are trained on."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """What is reported."""


class Outline(Places, Protocol):
    """What tables and tests of claims ask of a study's plan."""

    @property
    def home(self) -> Path:
        """The folder that holds the study."""

    @property
    def study(self) -> Values:
        """The values of the study."""

    def experiments(self, encoders: Iterable[str], settings: Iterable[str]) -> list[str]:
        """Return the experiments of encoders in settings."""

    def described(self, experiment: str) -> dict[str, Any]:
        """Describe an experiment for tables."""

    def pretrained(self, experiment: str) -> str | None:
        """Return the model of a pretrained baseline; None for an encoder that is trained."""

    def whole(self, experiment: str) -> str:
        """Return the experiment that an encoder is trained in: its own, unless it is a part."""

    def seeds(self, experiment: str) -> list[int]:
        """Return the seeds of an experiment."""

    def epochs(self, experiment: str) -> int:
        """Return the passes over its text that train an experiment."""

    def fewer_epochs(self, experiment: str) -> bool:
        """Whether an experiment is trained for fewer passes than the paper's."""

    def single_translator(self, experiment: str) -> str | None:
        """Return the translator whose text alone trains an experiment, if it could be another."""

    def segmented(self, experiment: str, seed: int) -> str:
        """Return the folder of the segmented sample that a seed trains an experiment on."""

    def scores(self, experiments: Iterable[str], task: str) -> list[str]:
        """Return the folders of scores of experiments on a task."""
