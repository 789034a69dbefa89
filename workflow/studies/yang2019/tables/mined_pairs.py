"""Tables 5 and 6: mining as in BUCC, by cosine, by margins and by a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from yang2019.methods.comparable import Comparable
from yang2019.methods.experiments import Compared, experiment, printed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


FIGURES = ("precision", "recall", "f1")


class Method(Settings):
    """A row of the table: a way to score and choose pairs."""

    label: str
    """Its heading."""
    task: str
    """The task that mines."""
    unit: str
    """Its figure, such as cosine.forward."""
    part: Literal["training", "test"] = "test"
    """Which part is shown; the threshold is always the training part's best."""


class MinedPairs(Table):
    """Precision, recall and F1 of each method in each language."""

    title: str
    """Heading of the table."""
    tasks: dict[str, Comparable] = {}
    """The mining task of each language; only one table of the study sets them."""
    experiments: dict[str, Compared]
    """Encoders that mine, each in a setting, by name."""
    languages: list[str]
    """Beside English."""
    methods: list[Method]
    """Rows, for each experiment."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""
    notes: str = ""
    """Shown under the table."""

    def sources(self) -> list[str]:
        """Name the corpora with published tasks."""
        return [name for task in self.tasks.values() for name in task.published or ()]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores."""
        names = [experiment(plan, e, code) for e in self.experiments.values()
                 for code in self.languages]  # fmt: skip
        tasks = dict.fromkeys(method.task for method in self.methods)
        return {f"scores.{task}": plan.scores(names, task) for task in tasks}

    def build(self, material: Material) -> Report:
        """Make a line for each experiment, method and language.

        Columns: name, method, part, language, experiment, threshold, precision_x100, recall_x100,
        f1_x100 (means over seeds), f1_low_x100 and f1_high_x100 (95% interval over source
        sentences and seeds, of the test part), gold (pairs to be found), seed_count.
        """
        import pandas as pd

        from tandem.reporting.writer import grid, page

        rows = [
            self._row(material, name, entry, method, code)
            for name, entry in self.experiments.items()
            for method in self.methods
            for code in self.languages
        ]
        frame = pd.DataFrame(rows)
        shown = []
        for (label, method, part), lines in frame.groupby(["label", "method", "part"], sort=False):
            cells = [_shown(row) for _, row in lines.iterrows()]
            shown.append([f"{label}: {method}", str(part), *cells])
        sizes = [[code, *(str(v) for v in self._sizes(material, code))] for code in self.languages]
        text = page(
            f"# {self.title}",
            "Precision, recall and F1 x 100 of the pairs that are found, means over seeds; in "
            "brackets, the 95% interval of F1 over source sentences and seeds. Thresholds are "
            "those with the best F1 on the training part, applied unchanged to the test part: "
            "figures of the training part are at a threshold that has seen its answers, as in the "
            "paper. forward: the nearest English sentence of each other one.",
            grid(["", "Part", *self.languages], shown),
            self.notes,
            grid(["Language", "Training: sentences", "English", "Test: sentences", "English",
                  "Pairs hidden in either part"], sizes),
            printed(material, self.quoted, self.languages, self.languages),
        )  # fmt: skip
        return Report(frame, text, {"mined": frame})

    def _row(
        self, material: Material, key: str, entry: Compared, method: Method, code: str
    ) -> dict[str, Any]:
        import numpy as np

        name = experiment(material.plan, entry, code)
        seeds = material.scores.details(name, method.task)
        scored = [seed.get("methods", {method.unit: seed}).get(method.unit, {}) for seed in seeds]
        parts = [figures[method.part] for figures in scored if method.part in figures]
        tested = method.part == "test"
        cell = material.scores.cell(name, method.task, method.unit) if tested else None
        row: dict[str, Any] = {"name": key, "label": entry.label, "method": method.label}
        row |= {"part": method.part, "language": code, "experiment": name}
        least = [figures.get("threshold", np.nan) for figures in scored]
        row["threshold"] = np.mean(least) if least else None
        for figure in FIGURES:
            values = [part[figure] for part in parts]
            row[f"{figure}_x100"] = float(np.mean(values)) if values else None
        row["f1_low_x100"] = cell.interval.low if cell else None
        row["f1_high_x100"] = cell.interval.high if cell else None
        row["gold"] = parts[0]["gold"] if parts else None
        row["seed_count"] = len(parts)
        return row

    def _sizes(self, material: Material, code: str) -> list[Any]:
        """Return the sentences of both parts, and the pairs hidden in either."""
        for entry in self.experiments.values():
            for method in self.methods:
                name = experiment(material.plan, entry, code)
                details = material.scores.details(name, method.task)
                if details and "sentences" in details[0]:
                    gold = details[0]["methods"][method.unit]["training"]["gold"]
                    return [f"{n:,}" for n in (*details[0]["sentences"], gold)]
        return [""] * 5

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw F1 of each method: a row for each, a series for each language."""
        import numpy as np

        from tandem.reporting.plots import Dots, dot_plot

        named = frame.assign(shown=frame["label"] + ": " + frame["method"] + ", " + frame["part"])
        rows = list(named["shown"].unique())
        columns = ["f1_x100", "f1_low_x100", "f1_high_x100"]
        series = {
            str(code): np.asarray(lines.set_index("shown").loc[rows, columns], float)
            for code, lines in named.groupby("language", sort=False)
        }
        return dot_plot([Dots("F1 × 100", rows, series)])


def _shown(row: pd.Series) -> str:
    figures = [row[f"{figure}_x100"] for figure in FIGURES]
    if any(value is None or value != value for value in figures):
        return ""
    low, high = row["f1_low_x100"], row["f1_high_x100"]
    interval = "" if low is None or low != low else f" [{low:.1f}, {high:.1f}]"
    return " / ".join(f"{value:.1f}" for value in figures) + interval
