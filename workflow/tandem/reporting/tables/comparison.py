"""Models against chosen figures of their tasks, with what a paper prints below."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import NonNegativeFloat

from tandem.reporting import learned
from tandem.reporting.compared import Compared, Figure, experiment, pretrained
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

    from tandem.reporting.scores import Cell

LEVEL = 0.01
"""Level at which a figure is marked as below the last row's (wieting2020, section 4.4)."""
MOST_BESIDE = 5
"""Most panels of a figure beside each other."""
_MARK = "†"


class Marked(NamedTuple):
    """What a table says of experiments beside their figures.

    Attributes:
        marks: what stands behind a label, or a figure, by experiment.
        note: what the marks mean.
        withheld: of which claims are not made, as `Report` has it.
    """

    marks: Mapping[str, str] = {}
    note: str = ""
    withheld: Mapping[str, Mapping[str, str]] = {}


class Comparison(Table):
    """A row for each model, a column for each figure, the paper's figures below."""

    title: str
    """Heading of the table."""
    rows: list[Compared]
    """The models."""
    baselines: list[str] = []
    """Pretrained baselines, further rows, which come first."""
    columns: list[Figure]
    """The columns."""
    last_above: bool = False
    """Mark the figures that the last row's are significantly above."""
    guarded: list[str] = []
    """Experiments that claims compare with each other: not where one has not learned enough."""
    noise: NonNegativeFloat = 0.0
    """Points of the guarded experiments' validation score that say nothing of their last epochs."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""
    notes: str = ""
    """Shown under the table."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all models, of each task in its settings, and who is guarded."""
        folders: dict[str, list[str]] = defaultdict(list)
        for names in self.experiments(plan):
            for figure, name in zip(self.columns, names, strict=True):
                folders[f"scores.{figure.task}"] += plan.scores([name], figure.task)
        files = {key: list(dict.fromkeys(paths)) for key, paths in folders.items()}
        return files | (learned.inputs(plan, self.guarded) if self.guarded else {})

    def _models(self, plan: Outline) -> list[Compared]:
        return [*pretrained(plan, self.baselines), *self.rows]

    def marked(self, material: Material) -> Marked:
        """Return what is said of experiments; a kind of a study may say something."""
        return Marked()

    def further_rows(self, material: Material) -> list[list[str]]:
        """Return rows below those of the models: a label, "" and a text for each column."""
        return []

    def experiments(self, plan: Outline) -> list[list[str]]:
        """Return the experiment of each row and column."""
        return [[experiment(plan, row, figure) for figure in self.columns]
                for row in self._models(plan)]  # fmt: skip

    def build(self, material: Material) -> Report:
        """Make a line for each model.

        Columns: row, encoder, setting, seed_count, each figure with its 95% interval over items and
        seeds, and with `last_above` <figure>_p, the two-sided p-value of its difference from the
        last row's. The frame `cells` names every figure that was scored, for claims: row, label,
        encoder, setting, experiment, task and unit.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page

        rows, names = self._models(material.plan), self.experiments(material.plan)
        cells = [
            [material.scores.cell(name, figure.task, figure.unit)
             if not row.units or figure.unit in row.units else None
             for name, figure in zip(of_row, self.columns, strict=True)]
            for row, of_row in zip(rows, names, strict=True)
        ]  # fmt: skip
        p = [[_p(cells[-1][place], cell) for place, cell in enumerate(row)] for row in cells]
        marked = self.marked(material)
        shortfalls = learned.barred(material, self.guarded, self.noise) if self.guarded else {}
        barred = {"barred": {**shortfalls, **marked.withheld.get("barred", {})}}
        lines, scored = [], []
        for row, of_row, figures, values in zip(rows, names, cells, p, strict=True):
            line: dict[str, Any] = row.model_dump(include={"encoder", "setting"})
            line = {"row": row.label, **line}
            line["seed_count"] = max((len(cell.seeds) for cell in figures if cell), default=0)
            for figure, name, cell, value in zip(
                self.columns, of_row, figures, values, strict=True
            ):
                line |= columns(figure.label, material.scores.metric(figure.task), cell)
                line |= {f"{figure.label}_p": value} if self.last_above else {}
                if cell is not None:
                    scored.append(_described(row, figure, name))
            lines.append(line)
        headings = ["", "Seeds", *(figure.label for figure in self.columns)]
        shown = [*self._shown(lines, names, cells, marked), *self.further_rows(material)]
        text = page(
            f"# {self.title}", grid(headings, shown), self._legend(material),
            marked.note, learned.note(shortfalls), self.notes, self._published(material),
        )  # fmt: skip
        frames = {"cells": pd.DataFrame(scored)}
        return Report(pd.DataFrame(lines), text, frames, **{**marked.withheld, **barred})

    def _shown(
        self,
        lines: Sequence[Mapping[str, Any]],
        names: Sequence[Sequence[str]],
        cells: Sequence[Sequence[Cell | None]],
        marked: Marked,
    ) -> list[list[str]]:
        """Return the rows of the grid: marks are behind a label, or, of several models, figures."""
        from tandem.reporting.writer import beside

        heads = [[line["row"], str(line["seed_count"])] for line in lines]
        shown = beside(heads, cells)
        for texts, line, of_row, scored in zip(shown, lines, names, cells, strict=True):
            marks = [marked.marks.get(name, "") for name in of_row]
            if len({*of_row}) == 1:
                texts[0] += marks[0]
                marks = [""] * len(marks)
            for place, (figure, mark) in enumerate(zip(self.columns, marks, strict=True)):
                below = _below(scored[place], cells[-1][place], line.get(f"{figure.label}_p"))
                texts[2 + place] += (mark if scored[place] else "") + _MARK * below
        return shown

    def _legend(self, material: Material) -> str:
        """Say what the figures are."""
        from tandem.reporting.scores import METRICS

        metrics = {material.scores.metric(figure.task) for figure in self.columns}
        names = ", ".join(METRICS[metric] for metric in sorted(metrics))
        legend = (
            f"{names}: means over seeds; in brackets, the 95% interval over items and seeds "
            "(of one seed, over items alone). Best of each column in bold; empty where it was not "
            "scored."
        )
        if not self.last_above:
            return legend
        last = self.rows[-1].label
        return (
            f"{legend} {_MARK}: {last} is above it, p < {LEVEL:g} by the paired bootstrap over "
            "items, and seeds where both have several; not corrected for the number of tests."
        )

    def _published(self, material: Material) -> str:
        """Return a grid of the published rows."""
        from tandem.reporting.writer import grid, quoted

        names = [figure.label for figure in self.columns]
        rows = quoted([material.published[key] for key in self.quoted], names)
        return grid(["Published", "Printed in", *names], rows) if rows else ""

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Drawing:
        """Draw a panel for each figure that any model has, a row for each model."""
        from tandem.reporting.plots import Dots, bounds, dot_plot
        from tandem.reporting.scores import LOWER, METRICS

        rows, panels = [str(label) for label in frame["row"]], []
        for column in self.columns:
            metric = material.scores.metric(column.task)
            values = bounds(frame, column.label, metric)
            if np.isfinite(values).any():
                series = {"mean over seeds, with 95% interval": values}
                xlabel = METRICS[metric]
                if metric in LOWER:  # losses have no range in common
                    xlabel = f"{column.label} × 100, the lower the better"
                panels.append(Dots(xlabel, rows, series, column.label, group=column.task))
        if not panels:  # none of the data could be had
            panels = [Dots("nothing was scored", rows, {})]
        return dot_plot(panels, panels_beside(len(panels)))


def _described(row: Compared, figure: Figure, name: str) -> dict[str, str]:
    """Return what a figure is of, for claims."""
    return {
        "row": row.label, "label": figure.label, "encoder": row.encoder,
        "setting": name.split(".")[1], "experiment": name, "task": figure.task,
        "unit": figure.unit,
    }  # fmt: skip


def panels_beside(panels: int) -> int:
    """Return how many panels stand beside each other, in few and even rows."""
    rows = math.ceil(panels / MOST_BESIDE)
    return math.ceil(panels / rows)


def _p(last: Cell | None, cell: Cell | None) -> float | None:
    """Return the p-value of the difference; None where one is missing, or both are the same."""
    from tandem.statistics.inference import difference

    if last is None or cell is None or last is cell:
        return None
    return difference(last, cell).p(0)


def _below(cell: Cell | None, last: Cell | None, p: float | None) -> bool:
    """Whether a figure is significantly below the last row's."""
    if cell is None or last is None or p is None:
        return False
    return last.estimate > cell.estimate and p < LEVEL
