"""Every filter with every bound, over all texts: Table 5 of wieting2017, and other filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.table import Material, Report
from wieting2017.methods import results
from wieting2017.methods.settings import UNFILTERED
from wieting2017.methods.table import ExperimentTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from wieting2017.methods.settings import Experiment


class Bounds(ExperimentTable):
    """What each bound gains, the mean over texts."""

    def build(self, material: Material) -> Report:
        """Make a row for each encoder, filter and bound.

        Columns: encoder, filter, bounds, text_count (texts of which enough pairs pass), seed_count,
        shared_percent (of a seed's pairs, those that another seed draws too, in the text where that
        is most), the mean gain over no filter on the test years with its 95% interval over texts,
        seeds and items, and the mean development_gain_pearson_x100. The frame `bounds` has a line
        for each training; `neighbours` the bounds of a text that follow one another, shorter and
        longer.
        """
        import pandas as pd

        experiment = self.experiment(material.plan)
        chosen = results.load(material, experiment, "chosen")
        plain = chosen[chosen["filter"] == UNFILTERED]
        lines = results.load(material, experiment, "bounds").dropna(subset=["test"])
        rows = [
            self._row(experiment, runs, plain)
            for _, runs in lines.groupby(["encoder", "filter", "bounds"], sort=False)
        ]
        frames = {"bounds": lines, "neighbours": _neighbours(experiment, lines)}
        return Report(pd.DataFrame(rows), _markdown(experiment, rows), frames)

    def _row(
        self, experiment: Experiment, runs: pd.DataFrame, plain: pd.DataFrame
    ) -> dict[str, Any]:
        """Return the row of a bound."""
        from tandem.reporting.writer import columns
        from tandem.statistics.inference import over_groups

        first, texts = runs.iloc[0], [some for _, some in runs.groupby("text", sort=False)]
        plain = plain[plain["encoder"] == first["encoder"]]
        unfiltered = [plain[plain["text"] == some["text"].iloc[0]] for some in texts]
        gains = [results.gain(*both) for both in zip(texts, unfiltered, strict=True)]
        row: dict[str, Any] = {"encoder": experiment.encoders[first["encoder"]].label}
        row |= {"filter": experiment.filters[first["filter"]].label, "bounds": first["bounds"]}
        row |= {"text_count": len(texts), "seed_count": len(gains[0].values)}
        row["shared_percent"] = results.shared_percent(first["size"], runs["passing"].min())
        row |= columns("gain", results.METRIC, over_groups(gains))
        development = [
            some["development"].mean() - results.same_seeds(other, some)["development"].mean()
            for some, other in zip(texts, unfiltered, strict=True)
        ]
        return row | {"development_gain_pearson_x100": sum(development) / len(texts)}

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a row for each bound of each filter, a series for each encoder.

        The interval of two texts would dwarf all others: it is only in the table.
        """
        import numpy as np

        from tandem.reporting.plots import Dots, bounds, dot_plot

        names = list(dict.fromkeys(zip(frame["filter"], frame["bounds"], strict=True)))
        series = {}
        for encoder, gains in frame.groupby("encoder", sort=False):
            placed = gains.set_index(["filter", "bounds"]).reindex(names)
            values = bounds(placed, "gain", results.METRIC).copy()
            values[placed["text_count"].to_numpy(float) < 3, 1:] = np.nan
            series[str(encoder)] = values
        rows = [bound for _, bound in names]
        xlabel = "gain over no filter, r × 100, mean of texts; 95% interval of 3 or more"
        return dot_plot([Dots(xlabel, rows, series, limit=(0.0, "no filter"))])


def _neighbours(experiment: Experiment, lines: pd.DataFrame) -> pd.DataFrame:
    """Return the bounds of a text and an encoder that follow one another; see `Bounds.build`.

    They are of whole numbers, such as lengths: the next begins one above.

    Columns: text, label, encoder, short and long, as text.
    """
    import pandas as pd

    columns = ["text", "label", "encoder", "filter", "short", "long"]
    rows = []
    for (text, encoder, name), runs in lines.groupby(["text", "encoder", "filter"], sort=False):
        ends = runs.drop_duplicates("bounds")[["bounds", "low", "high"]].to_numpy().tolist()
        label = experiment.texts[str(text)].label
        rows += [
            [text, label, encoder, name, short, long]
            for short, _, high in ends for long, low, _ in ends if low == high + 1
        ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _markdown(experiment: Experiment, rows: list[dict[str, Any]]) -> str:
    """Lay out the rows."""
    from tandem.reporting.writer import grid, page, with_interval

    note = (
        "What each bound gains over no filter, r x 100 on STS 2012 to 2015: the mean of the "
        "texts of which enough pairs pass, with the 95% t interval over texts, seeds and items. "
        f"{experiment.size:,} pairs each. Shared: of a seed's pairs, those that another seed draws "
        "too, in the text where the fewest pass. Development is the gain on STS 2016, which bounds "
        "are chosen on."
    )
    shown = [
        [row["encoder"], row["filter"], row["bounds"], str(row["text_count"]),
         str(row["seed_count"]), f"{row['shared_percent']:.0f}%",
         with_interval(row, "gain", results.METRIC, "+"),
         f"{row['development_gain_pearson_x100']:+.1f}"]
        for row in rows
    ]  # fmt: skip
    headings = ["Encoder", "Filter", "Bounds", "Texts", "Seeds", "Shared", "Gain", "Development"]
    return page("# Bounds of filters", note, grid(headings, shown))
