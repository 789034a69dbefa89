"""Figure 4: the effect of the margin on retrieval and on cosines of translations and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import NonNegativeFloat, PositiveFloat

from tandem.registry import Settings
from tandem.reporting import learned
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from yang2019.methods.experiments import Compared, experiment

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.reporting.scores import Scores

SERIES = {"positive": "translations", "negative": "nearest others"}
UNITS = ("forward.1", "backward.1")
COSINES = ("positive", "negative", "gap")


class Point(Settings):
    """A margin, and the setting that trains with it."""

    margin: NonNegativeFloat
    """Of the objective."""
    setting: str
    """The setting, without `-<language>`."""
    scale: PositiveFloat | None = None
    """What its objective multiplies the cosine by; null: nothing."""


class Margins(Table):
    """P@1, and the mean cosines of pairs and of their hardest negatives, by the margin."""

    title: str
    """Heading of the table."""
    encoders: dict[str, str]
    """The encoders, each with its heading."""
    language: str
    """Beside English."""
    points: list[Point]
    """Margins, from the smallest; the first point of a margin has the scale that is best for it."""
    task: str
    """The task that searches."""
    claimed: NonNegativeFloat = 0.3
    """The margin that claims compare with the smallest one; the paper's is 0.3."""
    scale: PositiveFloat | None = None
    """That of the points whose cosines are drawn and compared: a lower scale brings all vectors
    nearer to each other, with a margin or without. Null: of those that have none."""

    def _named(self, plan: Outline) -> list[tuple[str, Point, str]]:
        """Return each encoder with each margin, and the experiment."""
        return [
            (label, point, experiment(
                plan, Compared(label="", encoder=name, setting=point.setting), self.language))
            for name, label in self.encoders.items() for point in self.points
        ]  # fmt: skip

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores, and the models whose histories say whether they have learned."""
        names = [name for _, _, name in self._named(plan)]
        return {"scores": plan.scores(names, self.task), **learned.inputs(plan, names)}

    def figures(self, name: str) -> list[str]:
        """Name the figure as the paper numbers it."""
        return [name]

    def build(self, material: Material) -> Report:
        """Make a line for each encoder and margin.

        Columns: encoder, margin, scale, experiment, seed_count; forward.1 and backward.1 with 95%
        intervals over sentences and seeds; positive_x100, negative_x100 and gap_x100, mean cosines
        and their difference, with 95% t intervals over seeds (empty for one seed); sentences, the
        mean number that negatives are the means over. The frame `seeds` has the cosines of each
        seed at the scale where they are compared, `compared` for each encoder the experiments with
        the smallest margin and with `claimed`, each at its best scale.
        """
        import numpy as np
        import pandas as pd

        named, rows, seeds = self._named(material.plan), [], []
        for encoder in self.encoders.values():
            points = [(point, name) for label, point, name in named if label == encoder]
            cosines = _cosines(material.scores, [name for _, name in points], self.task)
            for point, name in points:
                if point.scale == self.scale:
                    at = {"encoder": encoder, "margin": f"{point.margin:g}"}
                    seeds += [{**at, **seed} for seed in cosines[name]]
                line = {"encoder": encoder, "margin": point.margin, "scale": point.scale or np.nan}
                line |= {"experiment": name}
                rows.append(line | self._figures(name, cosines[name], material))
        frame = pd.DataFrame(rows)
        frames = {"seeds": pd.DataFrame(seeds), "compared": self._compared(frame)}
        barred = learned.barred(material, [name for _, _, name in named])
        return Report(frame, self._markdown(rows, barred, material), frames, barred)

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
        line["sentences"] = sample_mean(np.array([s["sentences"] for s in cosines])).value
        return line

    def _markdown(
        self, rows: Sequence[Mapping[str, Any]], barred: Mapping[str, str], material: Material
    ) -> str:
        """Lay out a row for each encoder and margin."""
        from tandem.reporting.writer import grid, page, with_interval

        metric = material.scores.metric(self.task)
        scaled = any(point.scale for point in self.points)
        shown = [
            [str(row["encoder"]), f"{row['margin']:g}", *[f"{row['scale']:g}"] * scaled,
             *(with_interval(row, unit, metric) for unit in UNITS),
             *(with_interval(row, key, "x100") for key in COSINES), f"{row['sentences']:,.0f}"]
            for row in rows
        ]  # fmt: skip
        headings = ["Encoder", "Margin", *["Scale"] * scaled, "P@1 forward", "P@1 backward",
                    "Translations", "Nearest others", "Between", "Sentences"]  # fmt: skip
        at_one = (
            f"Claims compare P@1 at the scale that is best for each margin, the first of its rows, "
            f"and cosines at a scale of {self.scale:g}: a lower one brings all vectors nearer to "
            "each other."
        ) if self.scale else ""  # fmt: skip
        return page(
            f"# {self.title}",
            "P@1 x 100, with the 95% interval over sentences and seeds; the mean cosine x 100 of "
            "all translations and, of English sentences that find theirs first, that of the "
            "nearest other sentence (section 5.4), with 95% t intervals over seeds. Nearest others "
            "are those of the same sentences in all rows of an encoder and seed: those that find "
            "theirs with every margin.",
            at_one,
            grid(headings, shown),
            learned.note(barred),
        )

    def _compared(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return for each encoder the two experiments that claims compare."""
        import pandas as pd

        best = frame.drop_duplicates(["encoder", "margin"])
        return pd.DataFrame([
            {"encoder": label, "none": points[0][1], "least": f"{points[0][0]:g}", "margin": name,
             "claimed": f"{self.claimed:g}"}
            for label, lines in best.groupby("encoder", sort=False)
            for points in [lines[["margin", "experiment"]].to_numpy().tolist()]
            for margin, name in points
            if margin == self.claimed
        ])  # fmt: skip

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw P@1 at the best scale, and the cosines at one, over the margin."""
        import numpy as np

        from tandem.reporting.plots import Curves, bounds, line_plot

        metric = material.scores.metric(self.task)
        precisions, cosines = {}, {}
        for label, lines in frame.groupby("encoder", sort=False):
            best = lines.drop_duplicates("margin")
            precisions[str(label)] = np.column_stack(
                [best["margin"].to_numpy(float), bounds(best, "forward.1", metric)]
            )
            same = lines[lines["scale"] == self.scale] if self.scale else lines
            for key, heading in SERIES.items():
                values = [same["margin"].to_numpy(float), bounds(same, key, "x100")]
                cosines[f"{label}, {heading}"] = np.column_stack(values)
        at_one = f" (scale {self.scale:g})" if self.scale else ""
        return line_plot([
            Curves("margin", "P@1 × 100, from English", precisions, log=False),
            Curves("margin", f"mean cosine × 100{at_one}", cosines, log=False),
        ])  # fmt: skip


def _cosines(
    scores: Scores, names: Sequence[str], task: str
) -> dict[str, list[dict[str, float | int]]]:
    """Return COSINES x 100 of each seed of experiments, by experiment.

    Negatives are the means over the sentences that find their translation in all experiments that
    have the seed, of which there must be some; each experiment has different ones besides, which
    would be compared with others.
    """
    import numpy as np

    cosines: dict[str, list[dict[str, float | int]]] = {name: [] for name in names}
    every = [dict(zip(scores.seeds(name, task), scores.items(name, task), strict=True))
             for name in names]  # fmt: skip
    for seed in sorted(set[int]().union(*every)):
        scored = {name: items[seed] for name, items in zip(names, every, strict=True)
                  if seed in items}  # fmt: skip
        shared = np.all([np.isfinite(items["negative"]) for items in scored.values()], axis=0)
        for name, items in scored.items() if shared.any() else ():
            positive, negative = (
                100 * float(some.mean(dtype=np.float64))
                for some in (items["positive"], items["negative"][shared])
            )
            cosines[name].append({
                "seed": seed, "positive": positive, "negative": negative,
                "gap": positive - negative, "sentences": int(shared.sum()),
            })  # fmt: skip
    return cosines
