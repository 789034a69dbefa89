"""Tables: from scores to rows, Markdown and figures.

A table of a study is a kind: its fields are its entry in the study, and its class stands in the
study's folder `tables/`, or is one of those that every study may use, in `tandem.reporting.tables`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tandem.registry import Kind, Registry
from tandem.reporting.published import Published, read_published

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.reporting.outline import Outline
    from tandem.reporting.scores import Scores


Names = Annotated[list[str], Field(min_length=1)]
"""Of what a table shows: without any it would have no row or no column."""


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
    """A table as CSV and Markdown; `frames`, by name, hold further data that its claims read.

    Claims that name an experiment of `barred` are not comparable, nor are those that name none but
    experiments of `doubtful`; both say why, by experiment.
    """

    frame: pd.DataFrame
    markdown: str
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    barred: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)


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
