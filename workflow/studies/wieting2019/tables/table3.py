"""Table 3: mining parallel sentences, for every way to score and choose pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Names, Report, Table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


BESIDE = {
    "cosine, training part": "yang2019.bucc_f1.train.cosine",
    "yang-9, training part": "yang2019.bucc_f1.train.margin_eq9",
    "yang-10, training part": "yang2019.bucc_f1.train.margin_eq10",
    "yang-9, test part": "yang2019.bucc_f1.test.margin_eq9",
    "yang-10, test part": "yang2019.bucc_f1.test.margin_eq10",
}
"""Published rows that are quoted; the text we quote from has no cells of Table 3."""

FIGURES = [f"{part}_{figure}" for part in ("training", "test")
           for figure in ("precision", "recall", "f1")] + ["test_f1_best"]  # fmt: skip


class Table3(Table):
    """F1 of bitext mining, for each encoder, language, score and way to choose pairs."""

    encoders: Names
    """Encoders; the table has a grid for each."""
    settings: list[str]
    """Columns: trained on the bitexts of the mining tasks."""
    task: str = "mining"
    """The mining task."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores."""
        names = plan.experiments(self.encoders, self.settings)
        return {"scores": plan.scores(names, self.task)}

    def build(self, material: Material) -> Report:
        """Make one line for each experiment and method.

        Columns: task, experiment, encoder, pairs, neighbours, score, retrieval, threshold;
        training_<figure>_x100 and test_<figure>_x100 for precision, recall and F1, means over
        seeds, with the 95% interval of the test part's F1; test_f1_best_x100, that part's F1 at the
        threshold that would be best there, an upper bound; seed_count; chosen, whether the method
        has the best training F1 of its experiment.
        """
        import pandas as pd

        names = material.plan.experiments(self.encoders, self.settings)
        rows = [
            self._row(name, unit, material)
            for name in names
            for unit in material.scores.units(name, self.task)
        ]
        frame = pd.DataFrame(rows)
        frame["chosen"] = chosen(frame)
        mined = frame.drop_duplicates("experiment")[["experiment", "task", "encoder"]]
        slugs = mined["encoder"].str.lower().str.replace(" ", "-")
        return Report(frame, self._markdown(frame, material), {"mined": mined.assign(slug=slugs)})

    def _row(self, name: str, unit: str, material: Material) -> dict[str, object]:
        """Make one line of the table."""
        import numpy as np

        about, seeds = material.plan.described(name), material.scores.details(name, self.task)
        methods = [seed["methods"][unit] for seed in seeds]
        cell = material.scores.cell(name, self.task, unit)
        assert cell is not None  # the unit is of its scores
        score, retrieval = unit.rsplit(".", 1)
        return {
            "task": material.plan.mining_of(material.plan.setting(name).corpus),
            "experiment": name,
            **{key: about[key] for key in ("encoder", "pairs")},
            "neighbours": seeds[0]["neighbours"],
            "score": score,
            "retrieval": retrieval,
            "threshold": np.mean([method["threshold"] for method in methods]),
            **{f"{f}_x100": np.mean([_of(method, f) for method in methods]) for f in FIGURES},
            "test_f1_low_x100": cell.interval.low,
            "test_f1_high_x100": cell.interval.high,
            "seed_count": len(cell.seeds),
        }

    def _markdown(self, frame: pd.DataFrame, material: Material) -> str:
        """Lay out F1 by task, a grid of methods for each encoder; then the sizes of the tasks."""
        from tandem.reporting.writer import beside, grid, page, quoted

        parts, tasks = [], list(frame["task"].unique())
        for encoder, rows in frame.groupby("encoder", sort=False):
            mined = rows.drop_duplicates("experiment").set_index("task")["experiment"]
            scores = material.scores
            units = scores.units(mined.iloc[0], self.task)
            cells = [[scores.cell(name, self.task, unit) for name in mined] for unit in units]
            heads = [[", ".join(unit.rsplit(".", 1))] for unit in units]
            names = [str(task) for task in mined.index]
            headings = ["Score, retrieval", *names, *(f"{task}, at best" for task in names)]
            best = rows.pivot_table("test_f1_best_x100", ["score", "retrieval"], "task", sort=False)
            bounds = [[f"{value:.1f}" for value in line] for line in best[mined.index].to_numpy()]
            lines = zip(beside(heads, cells), bounds, strict=True)
            parts += [f"## {encoder}", grid(headings, [[*line, *bound] for line, bound in lines])]
            parts.append(_said(rows[rows["chosen"]]))
        printed = quoted([material.published[key] for key in BESIDE.values()], tasks)
        named = [[f"*{label}*", *row[1:]] for label, row in zip(BESIDE, printed, strict=True)]
        return page(
            "# Table 3: mining parallel sentences",
            "F1 x 100 of the pairs found in the test part, at the score that gives the best F1 on "
            "the training part, applied unchanged; averaged over seeds. In brackets, the 95% "
            "interval over source sentences and seeds. Best of each column in bold. "
            "Scores: the cosine; the margin as distance and ratio (Artetxe and Schwenk, 2019), "
            "who call the cosine absolute; yang-9 and yang-10, equations 9 and 10 of yang2019. "
            "At best: an upper bound, F1 at the threshold that is best on the test part itself. It "
            "reads the test part's answers and chooses nothing; what F1 lacks of it is due to the "
            "threshold.",
            *parts,
            "## What was searched",
            self._sizes(frame, material),
            "## Published",
            "For orientation only: the published task, other encoders and training text. "
            "The text of wieting2019 that Tandem quotes from does not print its Table 3.",
            grid(["", "Printed in", *tasks], named),
        )  # fmt: skip

    def _sizes(self, frame: pd.DataFrame, material: Material) -> str:
        """Return a grid of the sentences and hidden pairs of each task."""
        from tandem.reporting.writer import grid, quantity

        rows = []
        for _, row in frame.drop_duplicates("task").iterrows():
            mined = material.scores.details(row["experiment"], self.task)[0]
            method = mined["methods"][f"{row['score']}.{row['retrieval']}"]
            sizes, hidden = mined["sentences"], [method[p]["gold"] for p in ("training", "test")]
            numbers = [*sizes[:2], hidden[0], *sizes[2:], hidden[1]]
            rows.append([row["task"], *map(quantity, numbers)])
        names = ["sentences", "English sentences", "pairs hidden"]
        heads = [f"{part}: {name}" for part in ("training", "test") for name in names]
        return grid(["Task", *heads], rows)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each encoder and task, a series for each score."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        panels, tasks = [], list(frame["task"].unique())
        for (encoder, task), rows in frame.groupby(["encoder", "task"], sort=False):
            ways = list(rows["retrieval"].unique())
            series = {
                str(score): bounds(lines.set_index("retrieval").reindex(ways), "test_f1", "x100")
                for score, lines in rows.groupby("score", sort=False)
            }
            panels.append(Dots("F1 × 100, test part", ways, series, f"{encoder}, {task}"))
        return dot_plot(panels, columns=len(tasks))


def chosen(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether each line has the best training F1 of its experiment, the first of equals.

    The best of many methods on the test part would be too high; this one has not seen it.
    """
    best = frame.groupby("experiment", sort=False)["training_f1_x100"].idxmax()
    return frame.index.isin(best)


def _said(rows: pd.DataFrame) -> str:
    """Name the methods that the training part chooses, with F1 of the test part."""
    listed = (
        f"{row['task']} {row['score']}, {row['retrieval']}: {row['test_f1_x100']:.1f} "
        f"[{row['test_f1_low_x100']:.1f}, {row['test_f1_high_x100']:.1f}]"
        for _, row in rows.iterrows()
    )
    return (
        "The way with the best F1 on the training part, and its F1 on the test part: "
        f"{'; '.join(listed)}."
    )


def _of(method: dict[str, Any], figure: str) -> float:
    """Return `<part>_<figure>` of a method; `test_f1_best` is F1 at the best threshold."""
    if figure == "test_f1_best":
        return method["best"]["f1"]
    part, name = figure.split("_")
    return method[part][name]
