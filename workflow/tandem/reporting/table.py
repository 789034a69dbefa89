"""The kinds of table: which scores a table reads, its rows, and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.registry import Kind, Registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from tandem.plan import Plan
    from tandem.reporting.scores import Scores


@dataclass(frozen=True)
class Given:
    """What a table is made of.

    Attributes:
        name: of the table.
        plan: of its study.
        files: what its `inputs` named.
        scores: the figures of its score files.
        scale: name of the scale.
    """

    name: str
    plan: Plan
    files: Mapping[str, list[Path]]
    scores: Scores
    scale: str


@dataclass(frozen=True)
class Report:
    """A table as numbers and as Markdown, with further frames that claims are tested on."""

    frame: DataFrame
    markdown: str
    frames: dict[str, DataFrame] = field(default_factory=dict)


class Table(Kind):
    """What every kind of table has.

    Modules of tables are imported by every dry run: pandas, SciPy and matplotlib in methods only.
    """

    def inputs(self, plan: Plan) -> dict[str, list[str]]:
        """Return the files it reads, by a name; names of folders of scores begin with `scores`."""
        return {}

    def sources(self) -> list[str]:
        """Return the registered corpora that it names itself."""
        return []

    def build(self, given: Given) -> Report:
        """Make the table."""
        raise NotImplementedError

    def figures(self, name: str) -> list[str]:
        """Return its figures, as paths under the study's results without ending."""
        return [f"figures/{name}"]

    def plot(self, figure: str, frame: DataFrame, given: Given) -> Figure:
        """Draw one of its figures from the table as written to CSV."""
        raise NotImplementedError


TABLES = Registry("tandem.reporting.tables", Table)
