"""Bitext of one's own: how far few pairs go, from nothing and from a trained encoder."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from tandem.registry import ConfigurationError, not_among
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


METRIC = "p_at_1_x100"
WAYS = {"from": "{language}-{pivot}", "into": "{pivot}-{language}"}
"""From the language's sentences to the pivot's, and back."""


class StartCurve(Table):
    """P@1 of one language, trained on more and more pairs, with and without a start."""

    title: str
    """Heading of the table."""
    settings: list[str]
    """Settings of one language each, and of a number of pairs; those that name a start are compared
    with those that do not."""
    task: str
    """The task of retrieval in a collection."""
    source: str
    """The corpus whose held-out sentences are searched."""

    def experiments(self, plan: Outline) -> list[tuple[str, str, int, str]]:
        """Return (language, experiment, pairs, start) of each line, in order of language and pairs.

        Each experiment that is a start is there too, with 0 pairs.

        Raises:
            ConfigurationError: a setting is not there, not of one language, or without a number of
                pairs.
        """
        lines, languages = [], []
        for name in self.settings:
            if name not in plan.study.settings:
                problem = f"no setting {not_among(name, plan.study.settings)}"
                raise ConfigurationError(f"settings of a table of starts: {problem}")
            setting = plan.study.settings[name]
            if len(setting.languages or ()) != 1 or setting.pairs is None:
                problem = "needs one of languages, and a number of pairs"
                raise ConfigurationError(f"settings.{name}: a table of starts {problem}")
            (language,) = setting.languages or ()
            languages.append(language)
            start = setting.start or ""
            lines += [(language, f"{e}.{name}", setting.pairs, start) for e in setting.encoders]
            lines += [(language, start, 0, start)] * bool(setting.start_experiment)
        order = list(dict.fromkeys(languages))
        return sorted({*lines}, key=lambda row: (order.index(row[0]), row[3], row[2], row[1]))

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores."""
        names = [name for _, name, _, _ in self.experiments(plan)]
        return {"scores": plan.scores(names, self.task)}

    def build(self, material: Material) -> Report:
        """Make a line for each language, start and number of pairs.

        Columns: language, pairs, start (empty without one), experiment, sentences (searched),
        seed_count; `from_p_at_1_x100`, of the language's sentences, and `into_p_at_1_x100`, of the
        pivot's, each with its 95% interval; equal_pairs, see `equal_pairs`.
        """
        import pandas as pd

        from tandem.reporting.writer import columns

        rows: list[dict[str, Any]] = []
        for language, name, pairs, start in self.experiments(material.plan):
            pivot = material.plan.study.collections[material.plan.setting(name).corpus].pivot
            row: dict[str, Any] = {"language": language, "pairs": pairs, "start": start}
            row["experiment"] = name
            for way, form in WAYS.items():
                unit = f"{self.source}.{form.format(pivot=pivot, language=language)}"
                cell = material.scores.cell(name, self.task, unit)
                if cell is not None:
                    row |= {"sentences": cell.items, "seed_count": len(cell.seeds)}
                row |= columns(way, METRIC, cell)
            rows.append(row)
        frame = pd.DataFrame(rows)
        frame["equal_pairs"] = equal_pairs(frame)
        return Report(frame, self._markdown(frame))

    def _markdown(self, frame: pd.DataFrame) -> str:
        """Lay out a grid for each language: a row for each number of pairs."""
        from tandem.reporting.writer import grid, over_seeds_note, page, with_interval

        headings = ["Pairs", "Start", "To English", "From English", "As good as, without a start"]
        parts = [
            f"# {self.title}",
            "P@1 × 100: how often the nearest of the held-out sentences is the translation; in "
            f"brackets its 95% interval, {over_seeds_note(frame['seed_count'].dropna())}. *As good "
            "as*: the pairs with which training without a start comes as far to English, read off "
            "its curve.",
        ]
        for language, rows in frame.groupby("language", sort=False):
            scratch = rows[rows["start"] == ""]
            lines = [
                [f"{row['pairs']:,}", row["start"] or "none",
                 *(with_interval(row, way, METRIC) for way in WAYS), _equal(row, scratch)]
                for _, row in rows.iterrows()
            ]  # fmt: skip
            parts += [f"## {language}", grid(headings, lines)]
        return page(*parts)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each language: P@1 to English over the pairs, with and without a start.

        A start by itself is a level line.
        """
        import numpy as np

        from tandem.reporting.plots import Curves, bounds, line_plot
        from tandem.reporting.scores import METRICS

        panels = []
        frame = frame.fillna({"start": ""})  # as the CSV has it
        for language, points in frame.groupby("language", sort=False):
            points, series = points[points[f"from_{METRIC}"].notna()], {}
            ends = points.loc[points["pairs"] > 0, "pairs"].agg(["min", "max"])
            for name, rows in points.groupby("start"):
                start = str(name)
                pairs, values = rows["pairs"].to_numpy(), bounds(rows, "from", METRIC)
                label = f"from {start}" if start else "from nothing"
                series[label] = np.column_stack([pairs, values])[pairs > 0]
                for level in values[pairs == 0]:
                    series[f"{start}, no pairs"] = np.column_stack([ends, [level, level]])
            title = f"{self.source}, {language}"
            panels.append(Curves("training pairs", METRICS[METRIC], series, title))
        return line_plot(panels)


def equal_pairs(frame: pd.DataFrame) -> list[float]:
    """Return for each line with a start the pairs with which training without one is as good.

    As good in P@1 to the pivot's sentences, on the curve of the line's language: straight between
    its points over the logarithm of the pairs, and never falling. NaN beyond its ends.
    """
    import numpy as np

    equal = []
    for _, row in frame.iterrows():
        scratch = frame[(frame["start"] == "") & (frame["language"] == row["language"])]
        scratch = scratch.sort_values("pairs").dropna(subset=[f"from_{METRIC}"])
        curve = np.maximum.accumulate(scratch[f"from_{METRIC}"].to_numpy(float))
        value = row[f"from_{METRIC}"]
        inside = len(curve) and row["start"] and curve[0] <= value <= curve[-1]
        places = np.log(scratch["pairs"].to_numpy(float))
        equal.append(float(np.exp(np.interp(value, curve, places))) if inside else np.nan)
    return equal


def _equal(row: pd.Series, scratch: pd.DataFrame) -> str:
    """Write how many pairs are as good without a start; empty for a line without one."""
    if not row["start"] or not len(scratch):
        return ""
    if not isnan(row["equal_pairs"]):
        return f"{row['equal_pairs']:,.0f} pairs"
    above = row[f"from_{METRIC}"] > scratch[f"from_{METRIC}"].max()
    bound = scratch["pairs"].max() if above else scratch["pairs"].min()
    return f"{'more' if above else 'fewer'} than {bound:,}"
