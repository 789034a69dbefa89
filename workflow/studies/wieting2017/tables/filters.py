"""What each filter gains: sections 5.5 to 5.7 of wieting2017, and two filters together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tandem.reporting.table import Material, Report
from wieting2017.methods import results
from wieting2017.methods.settings import COMBINED, UNFILTERED
from wieting2017.methods.table import ExperimentTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.statistics.inference import Figures
    from wieting2017.methods.settings import Experiment


class Filters(ExperimentTable):
    """Each filter with its best bound, beside no filter."""

    def build(self, material: Material) -> Report:
        """Make a row for each text, encoder and filter.

        Columns: text, encoder, filter, label, bounds, passing (pairs), shared_percent (of a seed's
        pairs, those that another seed draws too), seed_count, the mean of the test years and its
        95% t interval over seeds and items, development_pearson_x100; the gain over no filter,
        paired by the seeds, with its interval. The frame `overall` has the mean gain over the
        texts, p of it, and p_holm, corrected as those of the table's claims are: over all filters
        of all encoders. The frame `gains` has the gain of each text and seed.
        """
        import pandas as pd

        experiment = self.experiment(material.plan)
        trainings = results.load(material, experiment, "chosen")
        rows: list[dict[str, Any]] = []
        gains: dict[tuple[str, str, str], Figures] = {}
        for (text, encoder), runs in trainings.groupby(["text", "encoder"], sort=False):
            if experiment.filtered(str(text)):
                label = experiment.encoders[str(encoder)].label
                for name, row, gain in _gains(experiment, runs):
                    rows.append({"text": text, "encoder": label, **row})
                    gains[str(text), label, name] = gain
        frame = pd.DataFrame(rows)
        overall = _overall(frame, gains)
        kinds = frame.drop_duplicates(["filter", "encoder"])[["filter", "encoder", "label"]]
        frames = {"filters": frame, "kinds": kinds, "overall": overall, "gains": _by_seed(gains)}
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
    from tandem.reporting.writer import grid, p_value, page, with_interval

    lines = [
        [experiment.texts[row["text"]].label, row["encoder"], row["label"], row["bounds"],
         f"{row['passing']:,}", f"{row['shared_percent']:.0f}%", f"{row['mean_pearson_x100']:.1f}",
         with_interval(row, "gain", results.METRIC, "+")]
        for _, row in frame.iterrows()
    ]  # fmt: skip
    headings = ["Text", "Encoder", "Filter", "Bounds", "Pairs", "Shared", "r x 100", "Gain"]
    note = (
        "Each filter with the bound that is best on STS 2016 and the pairs that pass, trained "
        f"on {experiment.size:,} of them. Shared: of a seed's pairs, those that another seed draws "
        "too; where that is most of them, other pairs would change more than the interval says. "
        "r x 100 is the mean of STS 2012 to 2015 over seeds; its gain is over no filter with the "
        "same seeds, in brackets the 95% t interval over seeds and items, of this text alone. "
        "Combined: the best two that enough pairs pass. The cosine is that of "
        f"{experiment.cosine or 'an encoder trained on the pairs held apart'}."
    )
    whole = [
        [row["encoder"], row["label"], str(row["text_count"]),
         with_interval(row, "gain", results.METRIC, "+"), p_value(row["p_holm"])]
        for _, row in overall.iterrows()
    ]  # fmt: skip
    over = (
        "Mean gain of the texts, in brackets the 95% t interval over texts, seeds and items; p is "
        "corrected (Holm) over all rows, which are the table's claims."
    )
    return page(
        "# What filters gain", over,
        grid(["Encoder", "Filter", "Texts", "Gain", "p"], whole),
        "## Text by text", note, grid(headings, lines),
    )  # fmt: skip


def _gains(
    experiment: Experiment, runs: pd.DataFrame
) -> Iterator[tuple[str, dict[str, Any], Figures]]:
    """Yield each filter of a text and an encoder that enough pairs pass: its row, its gain."""
    from tandem.reporting.writer import columns
    from tandem.statistics.inference import over_seeds

    plain = runs[runs["filter"] == UNFILTERED]
    for name, filtered in runs[runs["filter"] != UNFILTERED].groupby("filter", sort=False):
        if filtered["test"].isna().any():
            continue
        first, gain = filtered.iloc[0], results.gain(filtered, plain)
        row: dict[str, Any] = {"filter": name, "label": label_of(experiment, str(name))}
        row |= {key: first[key] for key in ("bounds", "passing")}
        row["shared_percent"] = results.shared_percent(first["size"], first["passing"])
        row["seed_count"] = len(filtered)
        row |= columns("mean", results.METRIC, over_seeds(results.figures(filtered)))
        row["development_pearson_x100"] = filtered["development"].mean()
        yield str(name), row | columns("gain", results.METRIC, over_seeds(gain)), gain


def _overall(frame: pd.DataFrame, gains: Mapping[tuple[str, str, str], Figures]) -> pd.DataFrame:
    """Return the mean gain over texts of each encoder and filter, p corrected over all of them.

    These are the claims of the table, tested as `paired-means` tests them.
    """
    import pandas as pd

    from tandem.reporting.writer import columns
    from tandem.statistics.inference import holm, over_groups

    lines: list[dict[str, Any]] = []
    for (encoder, name, label), _ in frame.groupby(["encoder", "filter", "label"], sort=False):
        texts = [gain for key, gain in gains.items() if key[1:] == (encoder, name)]
        mean = over_groups(texts)
        line: dict[str, Any] = {"encoder": encoder, "label": label, "text_count": len(texts)}
        lines.append({**line, **columns("gain", results.METRIC, mean), "p": mean.p(0)})
    overall = pd.DataFrame(lines)
    overall["p_holm"] = overall["p"]
    tested = overall["p"].notna()  # one text does not show the spread, and is no claim
    overall.loc[tested, "p_holm"] = holm(overall.loc[tested, "p"].to_list())
    return overall


def _by_seed(gains: Mapping[tuple[str, str, str], Figures]) -> pd.DataFrame:
    """Return a line for each text, encoder, filter and seed: the gain and its draws."""
    import pandas as pd

    return pd.DataFrame([
        {"text": text, "encoder": encoder, "filter": name, "seed": seed,
         f"gain_{results.METRIC}": value, "draws": draws}
        for (text, encoder, name), gain in gains.items()
        for seed, (value, draws) in enumerate(zip(gain.values, gain.draws, strict=True), 1)
    ])  # fmt: skip


def label_of(experiment: Experiment, name: str) -> str:
    """Return the name of a filter in tables."""
    return "combined" if name == COMBINED else experiment.filters[name].label
