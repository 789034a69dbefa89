"""Figure 4: the effect of the margin on retrieval and on cosines of translations and others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import NonNegativeFloat

from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from yang2019.methods.experiments import Compared, experiment

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


SERIES = {"positive": "translations", "negative": "nearest others"}
UNITS = ("forward.1", "backward.1")
COSINES = ("positive", "negative", "gap")


class Point(Settings):
    """A margin, and the setting that trains with it."""

    margin: NonNegativeFloat
    """Of the objective."""
    setting: str
    """The setting, without `-<language>`."""


class Margins(Table):
    """P@1, and the mean cosines of pairs and of their hardest negatives, by the margin."""

    title: str
    """Heading of the table."""
    encoders: dict[str, str]
    """The encoders, each with its heading."""
    language: str
    """Beside English."""
    points: list[Point]
    """Margins, from the smallest."""
    task: str
    """The task that searches."""
    claimed: NonNegativeFloat = 0.3
    """The margin that claims compare with the smallest one; the paper's is 0.3."""

    def _named(self, plan: Outline) -> list[tuple[str, Point, str]]:
        """Return each encoder with each margin, and the experiment."""
        return [
            (label, point, experiment(
                plan, Compared(label="", encoder=name, setting=point.setting), self.language))
            for name, label in self.encoders.items() for point in self.points
        ]  # fmt: skip

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores."""
        return {"scores": plan.scores([name for _, _, name in self._named(plan)], self.task)}

    def figures(self, name: str) -> list[str]:
        """Name the figure as the paper numbers it."""
        return [name]

    def build(self, material: Material) -> Report:
        """Make a line for each encoder and margin.

        Columns: encoder, margin, experiment, seed_count; forward.1 and backward.1 with 95%
        intervals over sentences and seeds; positive_x100, negative_x100 and gap_x100, mean cosines
        and their difference, with 95% t intervals over seeds (empty for one seed). The frame
        `seeds` has the cosines of each seed, `compared` for each encoder the experiments with the
        smallest margin and with `claimed`.
        """
        import pandas as pd

        rows, seeds = [], []
        for label, point, name in self._named(material.plan):
            cosines = _cosines(material.scores.details(name, self.task))
            margin = f"{point.margin:g}"
            seeds += [
                {"encoder": label, "margin": margin, "seed": number, **cosine}
                for number, cosine in enumerate(cosines, start=1)
            ]
            named = {"encoder": label, "margin": point.margin, "experiment": name}
            rows.append(named | self._figures(name, cosines, material))
        frame = pd.DataFrame(rows)
        frames = {"seeds": pd.DataFrame(seeds), "compared": self._compared(frame)}
        return Report(frame, self._markdown(rows, material), frames)

    def _figures(
        self, name: str, cosines: Sequence[Mapping[str, float]], material: Material
    ) -> dict[str, Any]:
        """Return the columns of an experiment, from its scores and its cosines by seed."""
        import numpy as np

        from tandem.reporting.writer import columns
        from tandem.statistics.inference import sample_mean

        metric = material.scores.metric(self.task)
        line: dict[str, Any] = {"seed_count": len(material.scores.details(name, self.task))}
        for unit in UNITS:
            line |= columns(unit, metric, material.scores.cell(name, self.task, unit))
        for key in COSINES:
            line |= columns(key, "x100", sample_mean(np.array([seed[key] for seed in cosines])))
        return line

    def _markdown(self, rows: Sequence[Mapping[str, Any]], material: Material) -> str:
        """Lay out a row for each encoder and margin."""
        from tandem.reporting.writer import grid, page, with_interval

        metric = material.scores.metric(self.task)
        shown = [
            [str(row["encoder"]), f"{row['margin']:g}",
             *(with_interval(row, unit, metric) for unit in UNITS),
             *(with_interval(row, key, "x100") for key in COSINES)]
            for row in rows
        ]  # fmt: skip
        headings = ["Encoder", "Margin", "P@1 forward", "P@1 backward", "Translations",
                    "Nearest others", "Between"]  # fmt: skip
        return page(
            f"# {self.title}",
            "P@1 x 100, with the 95% interval over sentences and seeds; the mean cosine x 100 of "
            "all translations and, of English sentences that find theirs first, that of the "
            "nearest other sentence (section 5.4), with 95% t intervals over seeds.",
            grid(headings, shown),
        )

    def _compared(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return for each encoder the two experiments that claims compare."""
        import pandas as pd

        return pd.DataFrame([
            {"encoder": label, "none": points[0][1], "least": f"{points[0][0]:g}", "margin": name,
             "claimed": f"{self.claimed:g}"}
            for label, lines in frame.groupby("encoder", sort=False)
            for points in [lines[["margin", "experiment"]].to_numpy().tolist()]
            for margin, name in points
            if margin == self.claimed
        ])  # fmt: skip

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw P@1 and the cosines over the margin."""
        import numpy as np

        from tandem.reporting.plots import Curves, bounds, line_plot

        metric = material.scores.metric(self.task)
        precisions, cosines = {}, {}
        for label, lines in frame.groupby("encoder", sort=False):
            margin = lines["margin"].to_numpy(float)
            precisions[str(label)] = np.column_stack([margin, bounds(lines, "forward.1", metric)])
            for key, heading in SERIES.items():
                values = bounds(lines, key, "x100")
                cosines[f"{label}, {heading}"] = np.column_stack([margin, values])
        return line_plot([
            Curves("margin", "P@1 × 100, from English", precisions, log=False),
            Curves("margin", "mean cosine × 100", cosines, log=False),
        ])  # fmt: skip


def _cosines(details: Iterable[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Return COSINES x 100 of each seed that has a mean cosine of negatives."""
    means = [
        {"positive": 100 * seed["positive"], "negative": 100 * seed["negative"]}
        for seed in details
        if seed["negative"] is not None
    ]
    return [{**seed, "gap": seed["positive"] - seed["negative"]} for seed in means]
