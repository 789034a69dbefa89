"""Figure 5 and Table 7: precision-recall curves of mining by cosine, and its failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from yang2019.methods.experiments import Compared, experiment, printed
from yang2019.methods.failures import KINDS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


SIDES = {"positives": "false positives", "negatives": "false negatives"}


class RankedPairs(Table):
    """Average precision in each language, the curves, and failures with their scores."""

    title: str
    """Heading of the table."""
    experiment: Compared
    """The encoder that mines, in a setting."""
    languages: list[str]
    """Beside English."""
    task: str = "ranked"
    """The task that ranks the candidates."""
    shown: str
    """The language whose failures are shown, those of the first seed."""
    most: int = 5
    """Most failures of each kind that are shown."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""

    def _names(self, plan: Outline) -> dict[str, str]:
        return {code: experiment(plan, self.experiment, code) for code in self.languages}

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores."""
        return {"scores": plan.scores(self._names(plan).values(), self.task)}

    def figures(self, name: str) -> list[str]:
        """Name the figure as the paper numbers it."""
        return [name]

    def build(self, material: Material) -> Report:
        """Make a line for each language.

        Columns: language, experiment, ap_x100 with its 95% interval over source sentences and
        seeds, threshold (of the first seed), and how many false positives and false negatives of
        each kind there are at it. The frame `failures` has the sentences of the failures kept.
        """
        import pandas as pd

        from tandem.reporting.writer import columns, grid, page, with_interval
        from yang2019.tasks.ranked_mining import UNIT

        rows, listed = [], []
        for code, name in self._names(material.plan).items():
            details = material.scores.details(name, self.task)
            cell = material.scores.cell(name, self.task, UNIT)
            if not details or cell is None:
                continue
            row: dict[str, Any] = {"language": code, "experiment": name}
            row |= columns("average-precision", material.scores.metric(self.task), cell)
            rows.append(row | {"threshold": details[0]["threshold"], **details[0]["counts"]})
            for side in ("false_positives", "false_negatives"):
                listed += [{"language": code, "failure": side, **pair} for pair in details[0][side]]
        frame = pd.DataFrame(rows)
        counts = [[row["language"], with_interval(row, "average-precision", "ap_x100"),
                   f"{row['threshold']:.3f}",
                   *(str(row[f"{side}.{kind}"]) for side, kind in _kinds())]
                  for row in rows]  # fmt: skip
        names = [f"{SIDES[side]}: {KINDS[kind]}" for side, kind in _kinds()]
        text = page(
            f"# {self.title}",
            "The training part of each task, searched forward by cosine. Average precision x 100, "
            "with its 95% interval over source sentences and seeds; how many pairs are wrong at "
            "the threshold with the best F1, of the first seed.",
            grid(["Language", "Average precision", "Threshold", *names], counts),
            printed(material, self.quoted, self.languages, self.languages),
            f"## Failures, {self.shown}-en",
            "Those farthest from the threshold come first. A kind is what a rule can tell: numbers "
            "that differ, then lengths; what is left is near in meaning, or a translation that the "
            "gold list does not have.",
            *self._failures([pair for pair in listed if pair["language"] == self.shown]),
        )
        return Report(frame, text, {"failures": pd.DataFrame(listed)})

    def _failures(self, listed: list[dict[str, Any]]) -> list[str]:
        from tandem.reporting.writer import grid

        parts = []
        for side in ("false_positives", "false_negatives"):
            pairs = []
            for kind in KINDS:
                pairs += [pair for pair in listed if (pair["failure"], pair["kind"]) == (side, kind)
                          ][: self.most]  # fmt: skip
            rows = [
                ["" if pair["cosine"] is None else f"{pair['cosine']:.2f}", KINDS[pair["kind"]],
                 *(_cell(f"{pair[f'{s}_id']} {pair[s]}") for s in ("source", "english")),
                 _cell(pair.get("nearer", ""))]
                for pair in pairs
            ]  # fmt: skip
            headings = ["Cosine", "What", "Sentence", "English", "Nearer"]
            parts += [f"### {SIDES[side[6:]].capitalize()}", grid(headings, rows)]
        return parts

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw the curve of each language, of the first seed, with its average precision."""
        import matplotlib
        import numpy as np

        from tandem.reporting.plots import LINES, OKABE_ITO, STYLE, new_figure

        estimates = dict(zip(frame["language"], frame["average-precision_ap_x100"], strict=True))
        with matplotlib.rc_context(STYLE):
            canvas = new_figure(4.2, 3.6)
            axes = canvas.subplots()
            for number, (code, name) in enumerate(self._names(material.plan).items()):
                details = material.scores.details(name, self.task)
                if not details:
                    continue
                recall, precision, _ = np.array(details[0]["curve"]).T
                axes.plot(recall, precision, LINES[number % 4], color=OKABE_ITO[number % 7],
                          linewidth=1.3, label=f"{code}-en, AP {estimates[code]:.1f}")  # fmt: skip
            axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
            axes.grid(color="0.9", linewidth=0.6)
            canvas.legend(loc="outside upper center", ncols=2)
        return canvas


def _kinds() -> list[tuple[str, str]]:
    """Return the kinds of false positives, then those of false negatives."""
    positives = [("positives", kind) for kind in ("numbers", "partial", "other")]
    return positives + [("negatives", kind) for kind in ("threshold", "neighbour")]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
