"""Scores over the size of the text, for text of different breadth."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.text import language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    from matplotlib.figure import Figure


class Measure(Settings):
    """A figure of a task."""

    label: str
    """Its name in the table and the figure."""
    task: str
    """The task."""
    unit: str
    """Which of its figures."""


class Curve(Settings):
    """Text of one breadth."""

    label: str
    """What the text is."""
    settings: list[str]
    """Settings with more and more of it."""


class SizeCurve(Table):
    """Figures of one encoder, trained on more and more text."""

    title: str
    """Heading of the table."""
    encoder: str
    """The encoder."""
    curves: list[Curve]
    """What is drawn; a single setting is a point."""
    measures: list[Measure]
    """What is shown."""
    notes: str = ""
    """Shown under the table."""

    def experiments(self) -> dict[str, list[str]]:
        """Name the experiments of each curve."""
        return {
            curve.label: [f"{self.encoder}.{setting}" for setting in curve.settings]
            for curve in self.curves
        }

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores, and the segmented text, which tells how many pairs were drawn."""
        names = list(dict.fromkeys(chain.from_iterable(self.experiments().values())))
        tasks = dict.fromkeys(measure.task for measure in self.measures)
        drawn = [plan.segmented(name, plan.seeds(name)[0]) for name in names]
        return {"text": drawn} | {f"scores.{task}": plan.scores(names, task) for task in tasks}

    def build(self, material: Material) -> Report:
        """Make a line for each point of a curve.

        Columns: text, pairs, languages (both sides', variants of one counted once), experiment,
        seed_count, and each measure with its 95% interval.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, page

        rows, cells = [], []
        drawn = {path: read_json(path / "parts.json")["parts"] for path in material.files["text"]}
        most = {measure.label: self._most(measure, material) for measure in self.measures}
        for label, names in self.experiments().items():
            for name in names:
                folder = Path(material.plan.segmented(name, material.plan.seeds(name)[0]))
                parts = drawn[folder]
                scored = [
                    cell if cell and cell.items == most[m.label] else None
                    for m in self.measures
                    for cell in [material.scores.cell(name, m.task, m.unit)]
                ]
                row = {
                    "text": label,
                    "pairs": sum(part["pairs"] for part in parts),
                    "languages": len(_languages(parts)),
                    "experiment": name,
                    "seed_count": max((len(cell.seeds) for cell in scored if cell), default=0),
                }
                for measure, cell in zip(self.measures, scored, strict=True):
                    metric = material.scores.metric(measure.task)
                    row |= columns(measure.label, metric, cell)
                rows.append(row)
                cells.append(scored)
        heads = [[row["text"], f"{row['pairs']:,}", str(row["languages"])] for row in rows]
        text = page(
            f"# {self.title}",
            grid(
                ["Text", "Pairs", "Languages", *(measure.label for measure in self.measures)],
                beside(heads, cells),
            ),
            "Languages: English included, variants of a language counted once. "
            "Means over seeds; in brackets, the 95% interval over items and seeds. Best of each "
            "column in bold. A figure is left out where an encoder knows too few of the languages "
            "to be scored on all that the others are.",
            self.notes,
        )
        return Report(pd.DataFrame(rows), text)

    def _most(self, measure: Measure, material: Material) -> int:
        """Return the most items that an experiment is scored on: fewer are not comparable."""
        names = chain.from_iterable(self.experiments().values())
        cells = (material.scores.cell(name, measure.task, measure.unit) for name in names)
        return max((cell.items for cell in cells if cell), default=0)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each measure: the figure over the pairs, a curve for each text."""
        import numpy as np

        from tandem.reporting.plots import Curves, bounds, line_plot
        from tandem.reporting.scores import METRICS

        panels = []
        for measure in self.measures:
            metric = material.scores.metric(measure.task)
            series = {}
            for label, points in frame.groupby("text", sort=False):
                shown = points[points[f"{measure.label}_{metric}"].notna()]
                if len(shown):
                    values = bounds(shown, measure.label, metric)
                    series[str(label)] = np.column_stack([shown["pairs"], values])
            panels.append(Curves("training pairs", METRICS[metric], series, measure.label))
        return line_plot(panels)


def _languages(parts: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the languages of the drawn pairs; pt-BR is pt, and en-GB is en."""
    drawn = (part for part in parts if part["pairs"])
    return {language_of(part[side]) for part in drawn for side in ("left", "right")}
