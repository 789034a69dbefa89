"""Figure 5: scores by the number of tokens of a batch, after equal passes over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods.standing import METRIC, NOTE, Named, comparable, inputs, standings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Family(Settings):
    """Models that differ in their batches alone."""

    label: str
    """Its heading."""
    name: str
    """Its name in claims, before that of the setting."""
    encoder: str
    """The encoder."""


class BatchSizes(Table):
    """A row for each family and size of a batch, and a curve for each family."""

    title: str
    """Heading of the table."""
    families: list[Family]
    """The models."""
    settings: list[str]
    """The settings, one for each size."""
    untrained: str
    """The setting in which their encoders are not trained."""
    task: str = "sts"
    """The task that scores them."""
    unit: str = "mean"
    """Which of its figures."""
    notes: str = ""
    """Shown under the table."""

    @property
    def _models(self) -> list[Named]:
        return [
            Named(label=family.label, name=f"{family.name}-{setting}", encoder=family.encoder,
                  setting=setting)
            for family in self.families for setting in self.settings
        ]  # fmt: skip

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores, models and their text."""
        return inputs(plan, self._models, self.untrained, self.task)

    def build(self, material: Material) -> Report:
        """Make a line for each family and size.

        Columns: those of `Standing.columns`, and the score with its 95% interval. The frame
        `comparable` names what claims may compare.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, page

        models = standings(material, self._models, self.untrained, self.task, self.unit)
        frame = pd.DataFrame(
            [{**model.columns(), **columns("STS", METRIC, model.scored)} for model in models]
        )
        heads = [[model.model.label + model.mark, f"{model.tokens:,}"] for model in models]
        shown = beside(heads, [[model.scored] for model in models])
        for row, model in zip(shown, models, strict=True):
            floor = "" if model.floor is None else f"{model.floor.estimate:.1f}"
            row += [floor, f"{model.loss:.1f}", f"{model.unigram:.1f}"]
        headings = ["", "Tokens of a batch", "STS", "untrained", "held-out loss", "by frequencies"]
        legend = (
            "STS: Pearson's r × 100, the mean of the years 2012-2016; in brackets, the 95% "
            "interval over items and seeds (of one seed, over items alone). Losses: nats for each "
            "held-out pair. All read the text as often, so that larger batches are fewer updates. "
            "The paper has a figure, without numbers."
        )
        text = page(f"# {self.title}", grid(headings, shown), legend, NOTE, self.notes)
        return Report(frame, text, {"comparable": comparable(models)})

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a curve for each family."""
        import numpy as np

        from tandem.reporting.plots import Curves, bounds, line_plot
        from tandem.reporting.scores import METRICS

        series = {}
        for label, rows in frame.groupby("row", sort=False):
            points = [rows["batch_tokens"].to_numpy(float)[:, None], bounds(rows, "STS", METRIC)]
            series[str(label)] = np.concatenate(points, 1)
        return line_plot([Curves("Tokens of a batch", METRICS[METRIC], series)])
