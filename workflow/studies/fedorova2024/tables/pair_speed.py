"""What telling paraphrases costs, beside how accurately it is done (section IV-C)."""

from __future__ import annotations

from statistics import harmonic_mean
from typing import TYPE_CHECKING, Any

from pydantic import PositiveInt

from tandem.files.io import read_json
from tandem.reporting.compared import Compared, experiment, pretrained
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing


class PairSpeed(Table):
    """A row for each model: pairs a second, the time of 1,000 times 1,000, accuracy."""

    title: str
    """Heading of the table."""
    rows: list[Compared]
    """The models."""
    baselines: list[str] = []
    """Pretrained baselines, further rows, which come first."""
    task: str
    """The task of kind identification."""
    unit: str
    """Which of its figures is beside the speed."""
    pairs: PositiveInt = 100
    """English test pairs of a turn."""
    turns: PositiveInt = 3
    """Turns of each model; they take turns, so that all are timed in the same state of a
    machine."""
    notes: str = ""
    """Shown under the table."""

    def models(self, plan: Outline) -> dict[str, Compared]:
        """Return the models by experiment."""
        models = [*pretrained(plan, self.baselines), *self.rows]
        return {experiment(plan, model): model for model in models}

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all models, and their times."""
        name = next(name for name, table in plan.study.tables.items() if table == self)
        times = [plan.path("benchmarks", f"{name}.json")]
        return {"scores": plan.scores(self.models(plan), self.task), "times": times}

    def build(self, material: Material) -> Report:
        """Make a line for each model, the most accurate first.

        Columns: row, experiment, device, pairs_per_s (of all turns), pairs_slowest_per_s and
        pairs_fastest_per_s (of a turn), all_s (seconds of 1,000 x 1,000), seed_count, and the
        figure `told` with its 95% interval.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page, quantity, with_interval

        times, lines = read_json(material.files["times"][0]), []
        metric = material.scores.metric(self.task)
        for name, model in self.models(material.plan).items():
            timed, cell = times["models"][name], material.scores.cell(name, self.task, self.unit)
            turns = timed["pairs_per_s"]
            line: dict[str, Any] = {"row": model.label, "experiment": name}
            line |= {"device": timed["device"], "pairs_per_s": harmonic_mean(turns)}
            line |= {"pairs_slowest_per_s": min(turns), "pairs_fastest_per_s": max(turns)}
            line |= {"all_s": timed["all_s"], "seed_count": len(cell.seeds) if cell else 0}
            lines.append(line | columns("told", metric, cell))
        lines.sort(key=lambda line: -(line[f"told_{metric}"] or 0))
        shown = [
            [line["row"], with_interval(line, "told", metric), f"{line['pairs_per_s']:,.1f}",
             f"{line['pairs_slowest_per_s']:,.1f} to {line['pairs_fastest_per_s']:,.1f}",
             quantity(line["all_s"], ",.1f")]
            for line in lines
        ]  # fmt: skip
        text = page(
            f"# {self.title}",
            grid(["", "Accuracy", "Pairs a second", "Turns", "1,000 × 1,000, seconds"], shown),
            f"Accuracy × 100 ({self.unit}), with its 95% interval, which takes thresholds as they "
            f"are. Pairs a second: from raw English text, {self.turns} turns of {self.pairs:,} "
            "pairs, both sentences new to the model; a cross-encoder reads either order. 1,000 × "
            "1,000: to compare so many sentences with so many others, from the fastest turn; "
            "vectors are made once and multiplied, a cross-encoder reads a million pairs in both "
            "orders. These are times: another run, and above all another machine, gives others. "
            "The load of this one was "
            f"{times['load']:.1f} before.",
            self.notes,
        )  # fmt: skip
        return Report(pd.DataFrame(lines), text)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Drawing:
        """Draw accuracy, and pairs a second, of each model."""
        from tandem.reporting.plots import Dots, bounds, dot_plot
        from tandem.reporting.scores import METRICS

        metric, rows = material.scores.metric(self.task), [str(label) for label in frame["row"]]
        spans = frame[["pairs_per_s", "pairs_slowest_per_s", "pairs_fastest_per_s"]]
        speeds = {"all turns, slowest to fastest": spans.to_numpy(float)}
        told = {"mean over seeds, with 95% interval": bounds(frame, "told", metric)}
        return dot_plot([
            Dots(METRICS[metric], rows, told),
            Dots("pairs a second, from raw text", rows, speeds, log=True),
        ])  # fmt: skip
