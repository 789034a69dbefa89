"""Where the vector enters an autoencoder, and what it then says of sentences (Appendix A.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import NonNegativeInt, PositiveInt

from tandem.reporting.compared import Compared, experiment
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.tasks.task import read_items
from wieting2020.methods import likelihood_figures as figures
from wieting2020.methods import standing
from wieting2020.methods.gains import gain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

    from tandem.reporting.scores import Cell

HEADINGS = {
    "information": "Mutual information", "divergence": "Divergence from the prior",
    "negative_log_likelihood": "Negative log-likelihood", "perplexity": "Perplexity",
}  # fmt: skip
METRICS = dict.fromkeys(HEADINGS, "nats") | {"perplexity": "ppl"}


class LikelihoodTable(Table):
    """A row for each autoencoder, and how far the last is above the first."""

    title: str
    """Heading of the table."""
    models: list[Compared]
    """The autoencoders."""
    sentences: PositiveInt = 500
    """Sentences of the test split, the first ones."""
    draws: PositiveInt = 100
    """Vectors drawn for each sentence."""
    seed: NonNegativeInt = 1
    """Seed of those draws."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""
    notes: str = ""
    """Shown under the table."""

    def experiments(self, plan: Outline) -> list[str]:
        """Name the autoencoders' experiments."""
        return [experiment(plan, model) for model in self.models]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name what was measured of each sentence, by each seed."""
        names = self.experiments(plan)
        return {
            "measured": [
                plan.path("likelihood", name, f"seed{seed}.npz")
                for name in names
                for seed in plan.seeds(name)
            ],
            **standing.inputs(plan, names),
        }

    def build(self, material: Material) -> Report:
        """Make a line for each autoencoder.

        Columns: row, system, seed_count, each figure with its 95% interval over sentences and
        seeds. The frame `gains` (`methods.gains`) has for claims the last minus the first, and of
        the negative log-likelihood and the perplexity the first minus the last.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page

        names, cells = self.experiments(material.plan), self._cells(material)
        stands = standing.standings(material, names)
        lines, gains = [], []
        for model, name in zip(self.models, names, strict=True):
            line: dict[str, Any] = {"row": model.label, "system": name}
            line["seed_count"] = len(cells[name]["information"].seeds)
            for figure, metric in METRICS.items():
                line |= columns(figure, metric, cells[name][figure])
            lines.append(line)
        first, last = names[0], names[-1]
        for figure in METRICS:
            sides = {name: cells[name][figure] for name in (last, first)}
            if figure in ("negative_log_likelihood", "perplexity"):  # less is better
                sides = dict(reversed(sides.items()))
            gains.append(gain(figure, sides))
        rows = [
            [line["row"] + stands[name].mark, str(line["seed_count"]),
             *map(_shown, cells[name].values())]
            for line, name in zip(lines, names, strict=True)
        ]  # fmt: skip
        text = page(
            f"# {self.title}",
            grid(["", "Seeds", *HEADINGS.values()], rows),
            f"In nats, of {cells[first]['information'].items:,} sentences of the test split; in "
            "brackets, the 95% interval over sentences, and seeds where there are several. Mutual "
            "information is that of a sentence and its vector where the sentences are these: at "
            "most the logarithm of their number, and the divergence; below 0 by the draws alone. "
            f"The likelihood is importance-weighted, with {self.draws:,} draws of each sentence's "
            "vector; the perplexity is that of a token, the end of a sentence included.",
            standing.BEGUN_NOTE, self.notes, self._published(material),
        )  # fmt: skip
        frames = {"gains": pd.DataFrame(gains)}
        return Report(pd.DataFrame(lines), text, frames, **standing.withheld(stands))

    def _cells(self, material: Material) -> dict[str, dict[str, Cell]]:
        """Return the figures of each autoencoder."""
        import numpy as np

        from tandem.reporting.scores import Cell

        files, cells = iter(material.files["measured"]), {}
        for name in self.experiments(material.plan):
            seeds = tuple(material.plan.seeds(name))
            items = [read_items(next(files)) for _ in seeds]
            how = material.scores.resamples, material.scores.seed
            cells[name] = {
                figure: Cell(
                    values=np.array([figures.estimate(of_seed, figure) for of_seed in items]),
                    draws=figures.draws(items, figure, *how),
                    items=len(items[0]["tokens"]),
                    seeds=seeds,
                    metric=metric,
                )
                for figure, metric in METRICS.items()
            }
        return cells

    def _published(self, material: Material) -> str:
        """Return a grid of what the paper prints."""
        from tandem.reporting.writer import grid

        rows = []
        for entry in (material.published[key] for key in self.quoted):
            values = (f"*{entry.values[f]:g}*" if f in entry.values else "" for f in HEADINGS)
            rows.append([f"*{entry.about}*", f"*{entry.paper}, {entry.place}*", *values])
        headings = ["Published", "Printed in", *HEADINGS.values()]
        return grid(headings, rows) if rows else ""

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Drawing:
        """Draw a panel for each figure, a row for each autoencoder."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        rows = [str(label) for label in frame["row"]]
        panels = []
        for name, metric in METRICS.items():
            label = HEADINGS[name] + (", nats" if metric == "nats" else "")
            panels.append(Dots(label, rows, {"with 95% interval": bounds(frame, name, metric)}))
        return dot_plot(panels)


def _shown(cell: Cell) -> str:
    """Return a figure with its interval."""
    bounds = cell.interval
    return f"{bounds.estimate:.2f} [{bounds.low:.2f}, {bounds.high:.2f}]"
