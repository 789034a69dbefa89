"""Figures 3 and 4, Tables 2 and 3: models against chosen figures of their tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import standing
from wieting2020.methods.compared import Compared, Figure, experiment, pretrained
from wieting2020.methods.standing import Floor, Standing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

    from tandem.reporting.scores import Cell

LEVEL = 0.01
"""The level of the paper's paired bootstrap (section 4.4)."""
MOST_BESIDE = 5
"""Most panels of a figure beside each other, where that leaves no gap."""
_MARK = "†"


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
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""
    untrained: Floor | None = None
    """The models' encoder untrained: what is below it, or has not begun to learn, is marked."""
    notes: str = ""
    """Shown under the table."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all models, of each task in its settings, and what they learned."""
        folders: dict[str, list[str]] = defaultdict(list)
        for names in self._experiments(plan):
            for figure, name in zip(self.columns, names, strict=True):
                folders[f"scores.{figure.task}"] += plan.scores([name], figure.task)
        learned = (name for names in self._experiments(plan) for name in names)
        for key, paths in standing.inputs(plan, learned, self.untrained).items():
            folders[key] += paths
        return {key: list(dict.fromkeys(paths)) for key, paths in folders.items()}

    def _models(self, plan: Outline) -> list[Compared]:
        return [*pretrained(plan, self.baselines), *self.rows]

    def _experiments(self, plan: Outline) -> list[list[str]]:
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

        rows, names = self._models(material.plan), self._experiments(material.plan)
        cells = [
            [material.scores.cell(name, figure.task, figure.unit)
             for name, figure in zip(row, self.columns, strict=True)] for row in names
        ]  # fmt: skip
        p = [[_p(cells[-1][place], cell) for place, cell in enumerate(row)] for row in cells]
        stands = standing.standings(material, dict.fromkeys(sum(names, [])), self.untrained)
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
        shown = self._shown(lines, names, cells, stands)
        if any(least := self._chance(material)):
            shown.append(["Most frequent label", "", *least])
        text = page(
            f"# {self.title}", grid(headings, shown), self._legend(material),
            standing.NOTE if stands else "", self.notes, self._published(material),
        )  # fmt: skip
        frames = {"cells": pd.DataFrame(scored)}
        return Report(pd.DataFrame(lines), text, frames, **standing.withheld(stands))

    def _shown(
        self,
        lines: Sequence[Mapping[str, Any]],
        names: Sequence[Sequence[str]],
        cells: Sequence[Sequence[Cell | None]],
        stands: Mapping[str, Standing],
    ) -> list[list[str]]:
        """Return the rows of the grid: marks are behind a label, or, of several models, figures."""
        from tandem.reporting.writer import beside

        heads = [[line["row"], str(line["seed_count"])] for line in lines]
        shown = beside(heads, cells)
        for texts, line, of_row, scored in zip(shown, lines, names, cells, strict=True):
            marks = [stands[name].mark if name in stands else "" for name in of_row]
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

    def _chance(self, material: Material) -> list[str]:
        """Return what the most frequent label would score, for each column that has one."""
        shares: dict[tuple[str, str], float] = {}
        for names in self._experiments(material.plan):
            for figure, name in zip(self.columns, names, strict=True):
                for details in material.scores.details(name, figure.task)[:1]:
                    for entry in details.get("sets", []):
                        shares.setdefault((figure.task, entry["set"]), entry["chance_x100"])
        keys = [(figure.task, figure.unit) for figure in self.columns]
        return [f"{shares[key]:.1f}" if key in shares else "" for key in keys]

    def _published(self, material: Material) -> str:
        """Return a grid of the published rows."""
        from tandem.reporting.writer import grid, quoted

        names = [figure.label for figure in self.columns]
        rows = quoted([material.published[key] for key in self.quoted], names)
        return grid(["Published", "Printed in", *names], rows) if rows else ""

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Drawing:
        """Draw a panel for each figure that any model has, a row for each model."""
        from tandem.reporting.plots import Dots, bounds, dot_plot
        from tandem.reporting.scores import METRICS

        rows, panels = [str(label) for label in frame["row"]], []
        for column in self.columns:
            metric = material.scores.metric(column.task)
            values = bounds(frame, column.label, metric)
            if np.isfinite(values).any():
                series = {"mean over seeds, with 95% interval": values}
                panels.append(Dots(METRICS[metric], rows, series, title=column.label))
        if not panels:  # none of the data could be had
            panels = [Dots("nothing was scored", rows, {})]
        return dot_plot(panels, _beside(len(panels)))


def _described(row: Compared, figure: Figure, name: str) -> dict[str, str]:
    """Return what a figure is of, for claims."""
    return {
        "row": row.label, "label": figure.label, "encoder": row.encoder,
        "setting": name.split(".")[1], "experiment": name, "task": figure.task,
        "unit": figure.unit,
    }  # fmt: skip


def _beside(panels: int) -> int:
    """Return how many panels stand beside each other, so that every row of them is full."""
    full = [count for count in range(3, MOST_BESIDE + 1) if panels % count == 0]
    return max(full, default=panels)


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
