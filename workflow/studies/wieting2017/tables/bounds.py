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


class Bounds(ExperimentTable):
    """What each bound gains, the mean over texts; trained with the first seed."""

    def build(self, material: Material) -> Report:
        """Make a row for each encoder, filter and bound.

        Columns: encoder, filter, bounds, text_count (texts of which enough pairs pass), the mean
        gain over no filter on the test years with its 95% t interval over texts, and the mean
        development_gain_pearson_x100. The frame `bounds` has a line for each text.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page, with_interval
        from tandem.statistics.inference import sample_mean

        experiment = self.experiment(material.plan)
        files = material.files["conditions"]
        plain = results.load(files, "chosen")
        plain = plain[plain["filter"] == UNFILTERED].set_index(["text", "encoder", "seed"])
        lines = results.load(files, "bounds")
        unfiltered = plain.reindex(pd.MultiIndex.from_frame(lines[["text", "encoder", "seed"]]))
        for task in ("test", "development"):
            lines[f"{task}_gain"] = lines[task].to_numpy() - unfiltered[task].to_numpy()
        rows: list[dict[str, Any]] = []
        for (encoder, name, bounds), runs in lines.groupby(
            ["encoder", "filter", "bounds"], sort=False
        ):
            runs = runs.dropna(subset=["test_gain"])
            if not len(runs):
                continue
            row: dict[str, Any] = {"encoder": experiment.encoders[str(encoder)].label}
            row |= {"filter": experiment.filters[str(name)].label, "bounds": bounds}
            row |= {"text_count": len(runs)}
            row |= columns("gain", results.METRIC, sample_mean(runs["test_gain"].to_numpy()))
            row["development_gain_pearson_x100"] = runs["development_gain"].mean()
            rows.append(row)
        frame = pd.DataFrame(rows)
        note = (
            "What each bound gains over no filter, r x 100 on STS 2012 to 2015: the mean of the "
            "texts of which enough pairs pass, with the 95% t interval over texts. Trained with "
            f"one seed, {experiment.size:,} pairs each. Development is the gain on STS 2016, which "
            "bounds are chosen on."
        )
        shown = [
            [row["encoder"], row["filter"], row["bounds"], str(row["text_count"]),
             with_interval(row, "gain", results.METRIC, "+"),
             f"{row['development_gain_pearson_x100']:+.1f}"]
            for row in rows
        ]  # fmt: skip
        headings = ["Encoder", "Filter", "Bounds", "Texts", "Gain", "Development"]
        return Report(frame, page("# Bounds of filters", note, grid(headings, shown)),
                      {"bounds": lines.dropna(subset=["test_gain"])})  # fmt: skip

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
