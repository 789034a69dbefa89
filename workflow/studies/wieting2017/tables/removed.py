"""Which pairs each filter removes, and which of them another filter removes too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report
from wieting2017.methods import results
from wieting2017.methods.settings import COMBINED, UNFILTERED
from wieting2017.methods.table import ExperimentTable, excerpt

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from wieting2017.methods.settings import Experiment

    Removals = dict[str, tuple[str, NDArray[np.bool_]]]
    """By filter: its bounds, as text, and which pairs it removes."""


class Removed(ExperimentTable):
    """The filters of an encoder, each with its chosen bound, on every text."""

    encoder: str
    """The encoder whose bounds are shown."""
    examples: int = 2
    """Pairs of each filter that are shown."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the texts, their scores, and the trainings that chose bounds."""
        names = self.filtered(plan)
        return {
            "texts": [plan.path("texts", name) for name in names],
            "pairs": [plan.path("scores/pairs", f"{name}.tsv") for name in names],
            "conditions": [
                plan.path("scores/conditions", f"{name}.{self.encoder}.json") for name in names
            ],
        }

    def build(self, material: Material) -> Report:
        """Make a row for each text, filter and other filter.

        Columns: text, filter, bounds, removed_pairs, removed_percent (of the text's pairs), other,
        also_removed_percent (of the pairs that the filter removes, those that the other removes
        too), and expected_percent (of all pairs, those that the other removes: what chance gives).
        """
        import pandas as pd

        from tandem.reporting.writer import grid, page
        from wieting2017.methods import texts

        experiment = self.experiment(material.plan)
        rows: list[dict[str, Any]] = []
        shown: dict[str, list[list[str]]] = {}
        files = (material.files[name] for name in ("texts", "pairs", "conditions"))
        for folder, scores, file in zip(*files, strict=True):
            trainings = read_json(file)
            removed = _removed(trainings["chosen"], pd.read_csv(scores, sep="\t"))
            label, pairs = experiment.texts[trainings["text"]].label, texts.read(folder)
            rows += [{"text": label, **row} for row in _shared(removed, experiment)]
            for name, (bounds, _) in removed.items():
                lines = shown.setdefault(name, [])
                for place, others in _examples(removed, name)[: self.examples - len(lines)]:
                    cells = [experiment.filters[name].label, bounds, label]
                    cells += [excerpt(side) for side in pairs[place].sides]
                    lines.append([*cells, str(others)])
        frame = pd.DataFrame(rows)
        note = (
            "Of the pairs that a filter removes, the share that another removes too, in percent, "
            "the mean of the texts; on the diagonal, what it removes of all pairs. Bounds are "
            f"those chosen for {experiment.encoders[self.encoder].label} on STS 2016."
        )
        heads = ["Filter", "Bounds", "Text", "Reference", "Paraphrase", "Other filters, too"]
        examples = [line for lines in shown.values() for line in lines]
        return Report(
            frame,
            page(
                "# What filters remove", note, _square(frame) if rows else "",
                "## Examples", "Pairs that few other filters remove.", grid(heads, examples),
            ),
            {"removed": frame},
        )  # fmt: skip

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw the share that each filter removes, a series for each text."""
        import numpy as np

        from tandem.reporting.plots import Dots, dot_plot

        rows = list(dict.fromkeys(frame["filter"]))
        series = {}
        for text, removals in frame.groupby("text", sort=False):
            shares = removals.drop_duplicates("filter").set_index("filter").reindex(rows)
            values = shares["removed_percent"].to_numpy(float)
            series[str(text)] = np.column_stack([values, *[np.full(len(rows), np.nan)] * 2])
        return dot_plot([Dots("removed, % of the text's pairs", rows, series)])


def _shared(removed: Removals, experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Yield a row for each filter and other filter; see `Removed.build`."""
    for name, (bounds, gone) in removed.items():
        for other, (_, also) in removed.items():
            if other != name:
                yield {
                    "filter": experiment.filters[name].label,
                    "bounds": bounds,
                    "removed_pairs": int(gone.sum()),
                    "removed_percent": 100 * gone.mean(),
                    "other": experiment.filters[other].label,
                    "also_removed_percent": 100 * also[gone].mean() if gone.any() else None,
                    "expected_percent": 100 * also.mean(),
                }


def _examples(removed: Removals, name: str) -> list[tuple[int, int]]:
    """Return the places of the pairs that a filter removes, and how many other filters remove each.

    Those that the fewest others remove come first: they show what this filter alone removes.
    """
    import numpy as np

    votes = np.sum([gone for _, gone in removed.values()], axis=0)
    places = removed[name][1].nonzero()[0].tolist()
    return [(place, int(votes[place]) - 1) for place in sorted(places, key=lambda i: (votes[i], i))]


def _removed(chosen: list[dict], scores: pd.DataFrame) -> Removals:
    """Return for each filter its bounds, as text, and which pairs it removes."""
    from wieting2017.methods.conditions import Condition, Kept

    removed = {}
    for result in chosen:
        name = result["filter"]
        if name in (UNFILTERED, COMBINED) or name in removed:
            continue
        condition = Condition(name, tuple(Kept(**kept) for kept in result["kept"]))
        removed[name] = results.spelt(result["kept"]), ~condition.passing(scores)
    return removed


def _percent(value: float) -> str:
    return "" if value != value else f"{value:.0f}"  # nothing is removed


def _square(frame: pd.DataFrame) -> str:
    from tandem.reporting.writer import grid

    names = list(dict.fromkeys(frame["filter"]))
    both = frame.groupby(["filter", "other"], sort=False)["also_removed_percent"].mean()
    whole = frame.drop_duplicates(["text", "filter"]).groupby("filter")["removed_percent"].mean()
    rows = [
        [name, *(f"*{whole[name]:.0f}*" if name == other else _percent(both[name, other])
                 for other in names)]
        for name in names
    ]  # fmt: skip
    return grid(["Filter", *names], rows)
