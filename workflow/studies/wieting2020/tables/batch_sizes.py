"""Figure 5: scores by the number of tokens of a batch, after equal passes over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.registry import Settings
from tandem.reporting.compared import experiment
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import standing
from wieting2020.methods.standing import METRIC, NOTE, Floor, Named

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
    untrained: Floor
    """Their encoders untrained."""
    notes: str = ""
    """Shown under the table."""

    def _models(self, plan: Outline) -> dict[str, Named]:
        models = [
            Named(label=family.label, name=f"{family.name}-{setting}", encoder=family.encoder,
                  setting=setting)
            for family in self.families for setting in self.settings
        ]  # fmt: skip
        return {experiment(plan, model): model for model in models}

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores, models and their text."""
        return standing.inputs(plan, self._models(plan), self.untrained)

    def build(self, material: Material) -> Report:
        """Make a line for each family and size.

        Columns: those of `Standing.columns`. The frame `pairs` names what claims compare.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, grid, page

        models = self._models(material.plan)
        stands = standing.standings(material, models, self.untrained)
        lines = [stands[name].columns(model, name) for name, model in models.items()]
        heads = [[model.label + stands[name].mark, f"{stands[name].tokens:,}"]
                 for name, model in models.items()]  # fmt: skip
        shown = beside(heads, [[stands[name].cell] for name in models])
        shown = [[*row, *stands[name].shown()] for row, name in zip(shown, models, strict=True)]
        headings = ["", "Tokens of a batch", "STS", *standing.SHOWN]
        legend = (
            "STS: Pearson's r × 100, the mean of the years 2012-2016; in brackets, the 95% "
            "interval over items and seeds (of one seed, over items alone). Losses: nats for each "
            "held-out pair. All read the text as often, so that larger batches are fewer updates. "
            "The paper has a figure, without numbers."
        )
        text = page(f"# {self.title}", grid(headings, shown), legend, NOTE, self.notes)
        pairs = standing.paired(models)
        return Report(pd.DataFrame(lines), text, {"pairs": pairs}, **standing.withheld(stands))

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
