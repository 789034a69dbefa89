"""What each filter gains: sections 5.5 to 5.7 of wieting2017, and two filters together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.table import Material, Report
from wieting2017.methods import results
from wieting2017.methods.settings import COMBINED, UNFILTERED
from wieting2017.methods.table import ExperimentTable

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from wieting2017.methods.settings import Experiment


class Filters(ExperimentTable):
    """Each filter with its best bound, beside no filter."""

    def build(self, material: Material) -> Report:
        """Make a row for each text, encoder and filter.

        Columns: text, encoder, filter, label, bounds, passing (pairs), seed_count, the mean of the
        test years and its 95% t interval, development_pearson_x100; the gain over no filter, paired
        by the seeds, with its 95% t interval; p of the gain, and p_holm, corrected over the filters
        of a text and an encoder. The frame `overall` has the mean gain over the texts.
        """
        import pandas as pd

        experiment = self.experiment(material.plan)
        trainings = results.load(material.files["conditions"], "chosen")
        rows: list[dict[str, Any]] = []
        for (text, encoder), runs in trainings.groupby(["text", "encoder"], sort=False):
            if experiment.filtered(str(text)):
                named = {"text": text, "encoder": experiment.encoders[str(encoder)].label}
                rows += [named | row for row in _gains(experiment, runs)]
        frame = pd.DataFrame(rows)
        overall = _overall(frame)
        kinds = frame.drop_duplicates(["filter", "encoder"])[["filter", "encoder", "label"]]
        frames = {"filters": frame, "kinds": kinds, "overall": overall}
        return Report(frame, _markdown(experiment, frame, overall), frames)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each encoder: a row for each filter, a series for each text."""
        import numpy as np

        from tandem.reporting.plots import Dots, bounds, dot_plot

        experiment = self.experiment(material.plan)
        panels = []
        for encoder, gains in frame.groupby("encoder", sort=False):
            labels = list(dict.fromkeys(gains["label"]))
            series = {}
            for text, rows in gains.groupby("text", sort=False):
                placed = rows.set_index("label").reindex(labels)
                series[experiment.texts[str(text)].label] = np.asarray(
                    bounds(placed, "gain", results.METRIC), float
                )
            xlabel = "gain over no filter, r × 100, with 95% interval"
            panels.append(Dots(xlabel, labels, series, str(encoder)))
        return dot_plot(panels)


def _markdown(experiment: Experiment, frame: pd.DataFrame, overall: pd.DataFrame) -> str:
    """Lay out the gains over all texts, then those on each."""
    from tandem.reporting.writer import grid, page, with_interval

    lines = [
        [experiment.texts[row["text"]].label, row["encoder"], row["label"], row["bounds"],
         f"{row['passing']:,}", f"{row['mean_pearson_x100']:.1f}",
         with_interval(row, "gain", results.METRIC, "+"), _shown(row["p_holm"])]
        for _, row in frame.iterrows()
    ]  # fmt: skip
    headings = ["Text", "Encoder", "Filter", "Bounds", "Pairs", "r x 100", "Gain", "p"]
    note = (
        "Each filter with the bound that is best on STS 2016 and the pairs that pass, trained "
        f"on {experiment.size:,} of them. r x 100 is the mean of STS 2012 to 2015 over seeds; "
        "its gain is over no filter with the same seeds, in brackets the 95% t interval; p is "
        "corrected (Holm) over the filters of a text and an encoder. Combined: the best two "
        "that enough pairs pass. The cosine is that of "
        f"{experiment.cosine or 'an encoder trained on the pairs held apart'}."
    )
    whole = [
        [row["encoder"], row["label"], str(row["text_count"]),
         with_interval(row, "gain", results.METRIC, "+"), _shown(row["p_holm"])]
        for _, row in overall.iterrows()
    ]  # fmt: skip
    over = (
        "Mean gain of the texts, in brackets the 95% t interval over texts; p is corrected "
        "(Holm) over the filters of an encoder."
    )
    return page(
        "# What filters gain", over,
        grid(["Encoder", "Filter", "Texts", "Gain", "p"], whole),
        "## Text by text", note, grid(headings, lines),
    )  # fmt: skip


def _gains(experiment: Experiment, runs: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each filter of a text and an encoder that enough pairs pass."""
    from tandem.reporting.writer import columns
    from tandem.statistics.inference import holm, sample_mean

    plain = runs[runs["filter"] == UNFILTERED].set_index("seed")["test"]
    rows: list[dict[str, Any]] = []
    for name, filtered in runs[runs["filter"] != UNFILTERED].groupby("filter", sort=False):
        scores = filtered.set_index("seed")["test"]
        if scores.isna().any():
            continue
        gains = (scores - plain).to_numpy()
        row: dict[str, Any] = {"filter": name, "label": label_of(experiment, str(name))}
        row |= {key: filtered[key].iloc[0] for key in ("bounds", "passing")}
        row |= {"seed_count": len(filtered)}
        row |= columns("mean", results.METRIC, sample_mean(scores.to_numpy()))
        row["development_pearson_x100"] = filtered["development"].mean()
        rows.append(row | _gain(gains))
    corrected = holm([row["p"] for row in rows])
    return [{**row, "p_holm": p} for row, p in zip(rows, corrected, strict=True)]


def _overall(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean gain over texts of each encoder and filter, p corrected over the filters."""
    import pandas as pd

    from tandem.statistics.inference import holm

    lines: list[dict[str, Any]] = []
    for encoder, gains in frame.groupby("encoder", sort=False):
        rows: list[dict[str, Any]] = [
            {"encoder": encoder, "label": label, "text_count": len(texts),
             **_gain(texts[f"gain_{results.METRIC}"].to_numpy())}
            for label, texts in gains.groupby("label", sort=False)
        ]  # fmt: skip
        corrected = holm([row["p"] for row in rows])
        lines += [{**row, "p_holm": p} for row, p in zip(rows, corrected, strict=True)]
    return pd.DataFrame(lines)


def _gain(gains: np.ndarray) -> dict[str, float | None]:
    """Return the mean of gains with its 95% t interval, as columns, and the p-value of no gain."""
    from tandem.reporting.writer import columns
    from tandem.statistics.inference import sample_mean

    mean = sample_mean(gains)
    return {**columns("gain", results.METRIC, mean), "p": mean.p(0)}


def _shown(p: float) -> str:
    return "" if p != p else f"{p:.3f}"  # NaN of a single seed or text


def label_of(experiment: Experiment, name: str) -> str:
    """Return the name of a filter in tables."""
    return "combined" if name == COMBINED else experiment.filters[name].label
