"""Which of some encoders is taken: the one with the best mean among those that are small enough."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import PositiveFloat

from tandem.errors import TandemError
from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Names, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.encoders.model import SentenceEncoder
    from tandem.reporting.scores import Cell


class Criterion(Settings):
    """A figure that counts."""

    label: str
    """Its heading."""
    task: str
    """The task, on text of the validation split, or the selection task: none that is reported."""
    unit: str
    """Which of its figures."""
    weight: PositiveFloat = 1.0
    """How much it counts."""


class Choice(Table):
    """Encoders of several sizes, what each scores on what is chosen on, and which is taken."""

    title: str
    """Heading of the table."""
    encoders: Names
    """The encoders."""
    setting: str
    """The setting that they are trained in."""
    criteria: list[Criterion]
    """What counts: the weighted mean."""
    most_megabytes: PositiveFloat
    """Most megabytes of a model that is taken, vocabulary included, stored as int8."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores, and the models of the first seed."""
        names = self.experiments()
        tasks = dict.fromkeys(criterion.task for criterion in self.criteria)
        models = [plan.models([name], plan.seeds(name)[:1])[0] for name in names]
        return {"models": models} | {f"scores.{task}": plan.scores(names, task) for task in tasks}

    def experiments(self) -> list[str]:
        """Name the encoders as trained."""
        return [f"{encoder}.{self.setting}" for encoder in self.encoders]

    def build(self, material: Material) -> Report:
        """Make a row for each encoder.

        Columns: encoder, experiment, pieces, dimension, size_mb (int8), each criterion with its 95%
        interval, mean (x 100), taken.
        """
        import pandas as pd

        from tandem.encoders.model import SentenceEncoder
        from tandem.reporting.writer import columns, grid, page

        rows, weights = [], [criterion.weight for criterion in self.criteria]
        for name, path in zip(self.experiments(), material.files["models"], strict=True):
            model = SentenceEncoder.load(path)
            cells = [self._cell(name, criterion, material) for criterion in self.criteria]
            mean = np.average([cell.estimate for cell in cells], weights=weights)
            row = {
                "encoder": material.plan.described(name)["encoder"],
                "experiment": name,
                "pieces": len(model.segmenter),
                "dimension": model.dimension,
                "size_mb": round(megabytes(model), 2),
            }
            for criterion, cell in zip(self.criteria, cells, strict=True):
                metric = material.scores.metric(criterion.task)
                row |= columns(criterion.label, metric, cell)
            rows.append(row | {"mean_x100": round(float(mean), 4)})
        frame = pd.DataFrame(rows)
        frame["taken"] = frame.index == taken(frame, self.most_megabytes)
        heads = ["Encoder", "Pieces", "Dimension", "MB", *(c.label for c in self.criteria), "Mean"]
        lines = [
            [
                row["encoder"] + (" (taken)" if row["taken"] else ""),
                f"{row['pieces']:,}",
                str(row["dimension"]),
                f"{row['size_mb']:.1f}",
                *(f"{row[self._column(c, material)]:.1f}" for c in self.criteria),
                f"{row['mean_x100']:.1f}",
            ]
            for row in frame.to_dict("records")
        ]
        weighed = ", ".join(f"{c.label} {c.weight:g}" for c in self.criteria)
        text = page(
            f"# {self.title}",
            grid(heads, lines),
            f"Taken is the best mean among those of at most {self.most_megabytes:g} MB as int8, "
            f"pieces included. Weights: {weighed}.",
        )
        return Report(frame, text)

    def _cell(self, name: str, criterion: Criterion, material: Material) -> Cell:
        cell = material.scores.cell(name, criterion.task, criterion.unit)
        if cell is None:
            problem = f"{name} has no {criterion.unit} in the task {criterion.task}"
            raise TandemError(f"{problem}. Correct the criterion {criterion.label}")
        return cell

    def _column(self, criterion: Criterion, material: Material) -> str:
        return f"{criterion.label}_{material.scores.metric(criterion.task)}"

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw the mean over the megabytes."""
        from tandem.reporting.plots import Curves, line_plot

        series = {
            str(row["encoder"]): np.array([[row["size_mb"], *[row["mean_x100"]] * 3]])
            for row in frame.to_dict("records")
        }
        return line_plot([Curves("MB as int8", "mean x 100", series, self.title)])


def taken(frame: pd.DataFrame, most_megabytes: float) -> int:
    """Return the row of the best mean among those that are small enough, -1 if none is."""
    rows = np.flatnonzero(frame["size_mb"].to_numpy() <= most_megabytes)
    means = frame["mean_x100"].to_numpy()[rows]
    return int(rows[means.argmax()]) if len(rows) else -1


def megabytes(model: SentenceEncoder) -> float:
    """Return the size of a model's folder, stored as int8, in millions of bytes."""
    from tandem.encoders.precision import Precision

    with tempfile.TemporaryDirectory() as scratch:
        model.save(Path(scratch) / "model", Precision.INT8)
        files = (file for file in Path(scratch).rglob("*") if file.is_file())
        return sum(file.stat().st_size for file in files) / 1e6
