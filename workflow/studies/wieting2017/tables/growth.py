"""More and more pairs, filtered and unfiltered: section 5.8 of wieting2017."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.table import Material, Report
from wieting2017.methods import results
from wieting2017.methods.settings import UNFILTERED
from wieting2017.methods.table import ExperimentTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Growth(ExperimentTable):
    """Learning curves of each text, with its best filter and without any."""

    def build(self, material: Material) -> Report:
        """Make a row for each text, encoder, filter and number of pairs.

        Columns: text, encoder, filter (of the text's best bound on the development task, or none),
        bounds, pairs, shared_percent (of a seed's pairs, those that another seed draws too),
        seed_count, and the mean of the test years with its 95% t interval over seeds and items.
        Numbers of pairs that a text does not have are left out. The frame `growth-runs` has a line
        for each training, `texts` one for each text and encoder.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page, with_interval
        from tandem.statistics.inference import over_seeds

        experiment = self.experiment(material.plan)
        scores = results.load(material, experiment, "growth")
        scores = scores.dropna(subset=["test"]).copy()
        rows: list[dict[str, Any]] = []
        groups = ["text", "encoder", "filter", "bounds", "size"]
        for (text, encoder, name, bounds, size), runs in scores.groupby(groups, sort=False):
            row: dict[str, Any] = {"text": experiment.texts[str(text)].label}
            row |= {"encoder": experiment.encoders[str(encoder)].label}
            row |= {"filter": "none" if name == UNFILTERED else experiment.filters[str(name)].label}
            row |= {"bounds": bounds, "pairs": size, "seed_count": len(runs)}
            first = runs.iloc[0]
            row["shared_percent"] = results.shared_percent(first["size"], first["passing"])
            mean = over_seeds(results.figures(runs))
            rows.append(row | columns("mean", results.METRIC, mean))
        frame = pd.DataFrame(rows)
        ends = {min(experiment.growth): "fewest", max(experiment.growth): "most"}
        scores["pairs"] = [ends.get(size, "between") for size in scores["size"]]
        scores["source"] = [experiment.texts[text].source for text in scores["text"]]
        scores["label"] = [experiment.texts[text].label for text in scores["text"]]
        scores["kept"] = [n if n == UNFILTERED else "best filter" for n in scores["filter"]]
        shown = [
            [row["text"], row["encoder"], row["bounds"] or "none", f"{row['pairs']:,}",
             f"{row['shared_percent']:.0f}%", with_interval(row, "mean", results.METRIC)]
            for row in rows
        ]  # fmt: skip
        note = (
            "r x 100, mean of STS 2012 to 2015, of encoders trained on more and more pairs: with "
            "the filter and bound that are best on STS 2016 at one size, and with none; in "
            "brackets, the 95% t interval over seeds and items. Shared: of a seed's pairs, those "
            "that another seed draws too."
        )
        headings = ["Text", "Encoder", "Filter", "Pairs", "Shared", "r x 100"]
        texts = scores.drop_duplicates(["text", "encoder"])[["text", "encoder", "label", "source"]]
        return Report(frame, page("# Growing training sets", note, grid(headings, shown)),
                      {"growth": frame, "growth-runs": scores, "texts": texts})  # fmt: skip

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each text: a curve for each encoder, filtered and not."""
        import numpy as np

        from tandem.reporting.plots import Curves, bounds, line_plot

        panels = []
        for text, points in frame.groupby("text", sort=False):
            series = {}
            for (encoder, name), rows in points.groupby(["encoder", "filter"], sort=False):
                label = f"{encoder}, {'unfiltered' if name == 'none' else 'best filter'}"
                values = bounds(rows, "mean", results.METRIC)
                series[label] = np.column_stack([rows["pairs"], values])
            panels.append(Curves("training pairs", "Pearson's r × 100", series, str(text)))
        return line_plot(panels)
