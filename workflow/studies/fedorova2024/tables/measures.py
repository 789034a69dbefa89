"""How well models tell paraphrases: accuracy beside what no single threshold decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tandem.reporting.compared import Compared, experiment, pretrained
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.reporting.tables.comparison import panels_beside

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.reporting.scores import Cell

MEASURES = {
    "auc_x100": "AUC", "average_precision_x100": "Average precision",
    "equal_error_x100": "Equal error", "f1_x100": "F1",
}  # fmt: skip


_SHOWN = {"calibrated_accuracy_x100": "At another's threshold", **MEASURES}


class Measures(Table):
    """A row for each model and class or direction of pairs."""

    title: str
    """Heading of the table."""
    rows: list[Compared]
    """The models."""
    baselines: list[str] = []
    """Pretrained baselines, further rows, which come first."""
    task: str
    """The task of kind identification."""
    units: dict[str, str]
    """What is shown of it: a direction such as `intra.en`, or the mean of a class, by heading."""
    notes: str = ""
    """Shown under the table."""

    def _models(self, plan: Outline) -> list[Compared]:
        return [*pretrained(plan, self.baselines), *self.rows]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all models."""
        names = [experiment(plan, model) for model in self._models(plan)]
        return {"scores": plan.scores(names, self.task)}

    def build(self, material: Material) -> Report:
        """Make a line for each model and unit.

        Columns: row, experiment, unit, seed_count, pair_count, positive_x100 (the share that says
        the same), accuracy with its 95% interval, valid_accuracy_x100 (of the threshold, where it
        was chosen), calibrated_accuracy_x100 (at the threshold of the task's `calibrated`
        languages), auc_x100, average_precision_x100, equal_error_x100 and f1_x100: means over
        seeds, and over directions where a unit has several.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page

        lines, shown = [], []
        for model in self._models(material.plan):
            name = experiment(material.plan, model)
            details = material.scores.details(name, self.task)
            for heading, unit in self.units.items():
                cell = material.scores.cell(name, self.task, unit)
                if cell is None:
                    continue
                line: dict[str, Any] = {"row": model.label, "experiment": name, "unit": unit}
                line |= {"seed_count": len(cell.seeds), **_averaged(details, unit)}
                line |= columns("told", material.scores.metric(self.task), cell)
                lines.append(line)
                shown.append([model.label, heading, *_shown(line, cell)])
        text = page(
            f"# {self.title}",
            grid(["", "Pairs of", "Number", "Positive", "Accuracy", *_SHOWN.values()], shown),
            "× 100; means over seeds, and over directions where there are several. Positive: the "
            "share of pairs that say the same. Accuracy and F1: at the threshold that is most "
            "accurate on the validation split of the direction; in brackets, the 95% interval "
            "over pairs and seeds (of one seed, over pairs alone), which takes thresholds as they "
            "are. At another's threshold: accuracy at the one that is most accurate on validation "
            "pairs of the languages that are trained on, so that no labelled pair of a zero-shot "
            "language chooses anything. AUC: how often a pair that says the same is above one that "
            "does not, a tie counting half. Equal error: where as large a share of either is "
            "misjudged; the lower, the better.",
            self.notes,
        )  # fmt: skip
        return Report(pd.DataFrame(lines), text)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each unit, a row for each model: AUC."""
        import numpy as np

        from tandem.reporting.plots import Dots, dot_plot

        panels = []
        for heading, unit in self.units.items():
            rows = frame[frame["unit"] == unit]
            if rows.empty:
                continue
            values = np.full((len(rows), 3), np.nan)
            values[:, 0] = rows["auc_x100"]
            names = [str(label) for label in rows["row"]]
            panels.append(Dots("AUC × 100", names, {"mean over seeds": values}, title=heading))
        return dot_plot(panels, panels_beside(len(panels)))


def _averaged(details: Sequence[Mapping[str, Any]], unit: str) -> dict[str, float]:
    """Return the figures of a unit, averaged over its directions and over seeds."""
    import numpy as np

    kind, _, direction = unit.partition(".")
    chosen = [
        figures
        for of_seed in details
        for name, figures in of_seed["directions"].items()
        if name == unit or (direction == "mean" and name.startswith(f"{kind}."))
    ]
    averaged = {"pair_count": sum(figures["pairs"] for figures in chosen) // len(details)}
    for key in ("positive_x100", "valid_accuracy_x100", *_SHOWN):
        averaged[key] = float(np.mean([figures.get(key, np.nan) for figures in chosen]))
    return averaged


def _shown(line: Mapping[str, Any], cell: Cell) -> list[str]:
    """Return the cells of a row of the grid."""
    bounds = cell.interval
    return [
        f"{line['pair_count']:,}", f"{line['positive_x100']:.1f}",
        f"{bounds.estimate:.1f} [{bounds.low:.1f}, {bounds.high:.1f}]",
        *(f"{line[key]:.1f}" if line[key] == line[key] else "" for key in _SHOWN),
    ]  # fmt: skip
