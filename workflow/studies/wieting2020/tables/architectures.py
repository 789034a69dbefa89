"""Tables 5 and 7: where the vector enters a decoder, and layers, with the time of an epoch."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import harmonic_mean
from typing import TYPE_CHECKING, Any

from pydantic import PositiveInt

from tandem.files.io import read_json
from tandem.reporting.compared import experiment
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import standing
from wieting2020.methods.standing import METRIC, NOTE, Floor, Named

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Architectures(Table):
    """A row for each architecture: STS, and the seconds that an epoch of training takes."""

    title: str
    """Heading of the table."""
    rows: list[Named]
    """The models."""
    untrained: Floor
    """Their encoders untrained."""
    timed_pairs: PositiveInt = 2000
    """Training pairs of a turn that is timed, at most those there are."""
    turns: PositiveInt = 3
    """Turns of each model; they take turns, so that all are timed in the same state of a
    machine."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""
    notes: str = ""
    """Shown under the table."""

    def experiments(self, plan: Outline) -> list[str]:
        """Name the experiments that are timed."""
        return [experiment(plan, row) for row in self.rows]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores, models, their text, and the times, which a job of its own measures."""
        name = next(name for name, table in plan.study.tables.items() if table == self)
        times = [plan.path("benchmarks", f"{name}.json")]
        return {**standing.inputs(plan, self.experiments(plan), self.untrained), "times": times}

    def build(self, material: Material) -> Report:
        """Make a line for each model.

        Columns: those of `Standing.columns`, and epoch_seconds, the time of one pass over all
        training pairs, by the mean of the turns, with epoch_fastest and epoch_slowest. The frame
        `pairs` names what claims compare.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, grid, page, quantity

        names = self.experiments(material.plan)
        models = standing.standings(material, names, self.untrained)
        times = read_json(material.files["times"][0])
        lines, heads = [], []
        for model, (name, stands) in zip(self.rows, models.items(), strict=True):
            lines.append({**stands.columns(model, name), **_seconds(times, name)})
            heads.append([model.label + stands.mark, str(lines[-1]["seed_count"] or "")])
        shown = beside(heads, [[stands.cell] for stands in models.values()])
        for row, stands, line in zip(shown, models.values(), lines, strict=True):
            row += [*stands.shown(), quantity(line["epoch_seconds"], ",.1f")]
        headings = ["Architecture", "Seeds", "STS", *standing.SHOWN, "Time (s)"]
        text = page(
            f"# {self.title}", grid(headings, shown), _legend(times), NOTE, self.notes,
            self._published(material),
        )  # fmt: skip
        pairs = standing.paired(dict(zip(names, self.rows, strict=True)))
        return Report(pd.DataFrame(lines), text, {"pairs": pairs}, **standing.withheld(models))

    def _published(self, material: Material) -> str:
        """Return a grid of the published rows."""
        from tandem.reporting.writer import grid

        rows = []
        for entry in (material.published[key] for key in self.quoted):
            figures = f"*{entry.values['STS']:.1f}*", f"*{entry.values['seconds']:,.0f}*"
            rows.append([f"*{entry.about}*", f"*{entry.paper}, {entry.place}*", *figures])
        return grid(["Published", "Printed in", "STS", "Time (s)"], rows) if rows else ""

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw the scores, and those of the untrained encoders."""
        import numpy as np

        from tandem.reporting.plots import Dots, bounds, dot_plot
        from tandem.reporting.scores import METRICS

        untrained = frame[f"untrained_{METRIC}"].to_numpy(float)
        missing = np.full_like(untrained, np.nan)
        series = {
            "trained, with 95% interval": bounds(frame, "STS", METRIC),
            "the same encoder untrained": np.stack([untrained, missing, missing], 1),
        }
        return dot_plot([Dots(METRICS[METRIC], [str(row) for row in frame["row"]], series)])


def _seconds(times: Mapping[str, Any], name: str) -> dict[str, float]:
    """Return the columns of the time of an epoch."""
    rates, pairs = times["rates"][name], times["pairs"][name]
    return {
        "epoch_seconds": pairs / harmonic_mean(rates),
        "epoch_fastest": pairs / max(rates),
        "epoch_slowest": pairs / min(rates),
    }


def _legend(times: Mapping[str, Any]) -> str:
    """Say what the figures are, and how times were measured."""
    turns = len(next(iter(times["rates"].values())))
    timed = sorted(set(times["timed"].values()))
    return (
        "STS: Pearson's r × 100, the mean of the years 2012-2016; in brackets, the 95% interval "
        "over items and seeds (of one seed, over items alone). Losses: nats for each held-out "
        "pair. Time: one pass over all training pairs, from "
        f"{turns} turn{'s' * (turns > 1)} over {' or '.join(f'{n:,}' for n in timed)} of them, on "
        f"{times['device']}, nothing else running in this workflow; another run gives other times."
    )
