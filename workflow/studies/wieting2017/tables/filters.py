"""What each filter gains: sections 5.5 to 5.7 of wieting2017, and two filters together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.table import Given, Report, Table
from wieting2017.experiment import results
from wieting2017.experiment.settings import COMBINED, UNFILTERED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.plan import Plan
    from wieting2017.experiment.settings import Experiment


class Filters(Table):
    """Each filter with its best bound, beside no filter."""

    of: str
    """The table that has the experiment."""

    def others(self) -> list[str]:
        """Name the table that has the experiment."""
        return [self.of]

    def inputs(self, plan: Plan) -> dict[str, list[str]]:
        """Name the scores of all trainings."""
        return {"conditions": results.inputs(plan, results.experiment_of(plan, self.of))}

    def build(self, given: Given) -> Report:
        """Make a row for each text, encoder and filter.

        Columns: text, encoder, filter, bounds, passing (pairs), seed_count,
        development_pearson_x100; the mean of the test years and its gain over no filter, paired by
        the seeds, each with its 95% t interval; p of the gain, and p_holm, corrected over the
        filters of a text and an encoder.
        """
        import numpy as np
        import pandas as pd

        from tandem.reporting.writer import grid, page, with_interval
        from tandem.statistics.inference import holm

        files = given.files["conditions"]
        experiment = results.experiment_of(given.plan, self.of)
        found = results.load(files, "chosen")
        rows: list[dict[str, Any]] = []
        for (text, encoder), runs in found.groupby(["text", "encoder"], sort=False):
            if not experiment.filtered(str(text)):
                continue
            plain = runs[runs["filter"] == UNFILTERED].set_index("seed")["test"]
            own = []
            for name, each in runs[runs["filter"] != UNFILTERED].groupby("filter", sort=False):
                scores = each.set_index("seed")["test"]
                if scores.isna().any():
                    continue
                gains = (scores - plain).to_numpy()
                row = {"text": text, "encoder": experiment.encoders[str(encoder)].label}
                row |= {"filter": name, "label": label_of(experiment, str(name))}
                row |= {"bounds": each["bounds"].iloc[0], "passing": each["passing"].iloc[0]}
                row |= {"seed_count": len(each), **results.over_seeds(scores.to_numpy())}
                row["development_pearson_x100"] = each["development"].mean()
                row |= {key.replace("mean", "gain"): value
                        for key, value in results.over_seeds(gains).items()}  # fmt: skip
                own.append(row | {"p": _p(gains)})
            for row, p in zip(own, holm([row["p"] for row in own]), strict=True):
                row["p_holm"] = p
            rows += own
        frame = pd.DataFrame(rows)
        lines = [
            [row["text"], row["encoder"], row["label"], row["bounds"], f"{row['passing']:,}",
             f"{row['mean_pearson_x100']:.1f}",
             with_interval(row, "gain", results.METRIC, "+"),
             "" if np.isnan(row["p_holm"]) else f"{row['p_holm']:.3f}"]
            for _, row in frame.iterrows()
        ]  # fmt: skip
        headings = ["Text", "Encoder", "Filter", "Bounds", "Pairs", "r x 100", "Gain", "p"]
        said = (
            "Each filter with the bound that is best on STS 2016 and the pairs that pass, trained "
            f"on {experiment.size:,} of them. r x 100 is the mean of STS 2012 to 2015 over seeds; "
            "its gain is over no filter with the same seeds, in brackets the 95% t interval; p is "
            "corrected (Holm) over the filters of a text and an encoder. Combined: the best two."
        )
        markdown = page("# What filters gain", said, grid(headings, lines))
        kinds = frame.drop_duplicates(["filter", "encoder"])[["filter", "encoder", "label"]]
        return Report(frame, markdown, {"filters": frame, "kinds": kinds})

    def plot(self, figure: str, frame: pd.DataFrame, given: Given) -> Figure:
        """Draw a panel for each encoder: a row for each filter, a series for each text."""
        import numpy as np

        from tandem.reporting.plots import Dots, bounds, dot_plot

        panels = []
        for encoder, own in frame.groupby("encoder", sort=False):
            labels = list(dict.fromkeys(own["label"]))
            series = {}
            for text, rows in own.groupby("text", sort=False):
                placed = rows.set_index("label").reindex(labels)
                series[str(text)] = np.asarray(bounds(placed, "gain", results.METRIC), float)
            xlabel = "gain over no filter, r × 100, with 95% interval"
            panels.append(Dots(xlabel, labels, series, str(encoder)))
        return dot_plot(panels)


def label_of(experiment: Experiment, name: str) -> str:
    """Return what a filter is called in tables."""
    return "combined" if name == COMBINED else experiment.filters[name].label


def _p(gains) -> float:  # noqa: ANN001
    """Return the two-sided p-value of "the mean gain is 0"; NaN for one seed."""
    import numpy as np
    from scipy import stats

    if len(gains) < 2:
        return float("nan")
    if not np.ptp(gains):
        return float(gains[0] == 0)
    return float(stats.ttest_1samp(gains, 0).pvalue)
