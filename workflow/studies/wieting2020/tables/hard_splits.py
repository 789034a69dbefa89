"""Table 6: hard and easy splits of the STS pairs, with their sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.compared import Compared, experiment, pretrained
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import standing
from wieting2020.methods.hard_pairs import ALL, NEGATION, SPLITS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

    from tandem.reporting.published import Published

LABELS = {ALL: "All", NEGATION: "Negation"} | {name: split.label for name, split in SPLITS.items()}
_METRIC = "pearson_x100"


class HardSplits(Table):
    """A row for each split: its pairs, the error rate that bounds it, each model's correlation."""

    title: str
    """Heading of the table."""
    models: list[Compared]
    """The columns."""
    baselines: list[str] = []
    """Pretrained baselines, further columns."""
    task: str
    """The task that scores the splits."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id: columns, with a figure for each split."""
    notes: str = ""
    """Shown under the table."""

    def _names(self, plan: Outline) -> dict[str, str]:
        models = [*self.models, *pretrained(plan, self.baselines)]
        return {model.label: experiment(plan, model) for model in models}

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores, and what the models learned."""
        names = self._names(plan).values()
        return {"scores": plan.scores(names, self.task), **standing.inputs(plan, names)}

    def build(self, material: Material) -> Report:
        """Make a line for each split.

        Columns: split, label, pairs, swer_bound (empty where the error rate does not matter), and
        for each model Pearson's r x 100 with its 95% interval over pairs and seeds.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, page, quantity

        names = self._names(material.plan)
        stands = standing.standings(material, names.values())
        details = material.scores.details(next(iter(names.values())), self.task)[0]
        splits = {entry["split"]: entry for entry in details["splits"]}
        cells = [[material.scores.cell(name, self.task, split) for name in names.values()]
                 for split in LABELS]  # fmt: skip
        lines, heads = [], []
        for split, scored in zip(LABELS, cells, strict=True):
            entry = splits[split]
            line: dict[str, Any] = {"split": split, "label": LABELS[split]}
            line |= {"pairs": entry["pairs"], "swer_bound": entry.get("bound")}
            for label, cell in zip(names, scored, strict=True):
                line |= columns(label, _METRIC, cell)
            lines.append(line)
            bound = quantity(entry.get("bound"), ".3f")
            heads.append([LABELS[split], quantity(entry["pairs"]), bound])
        rows = [beside([head], [row])[0] for head, row in zip(heads, cells, strict=True)]
        printed = [material.published[key] for key in self.quoted]
        rows = [[*row, *_printed(split, printed)] for split, row in zip(LABELS, rows, strict=True)]
        marked = (label + (stands[n].mark if n in stands else "") for label, n in names.items())
        headings = ["Split", "Pairs", "SWER bound", *marked, *(f"*{e.about}*" for e in printed)]
        text = page(
            f"# {self.title}",
            grid(headings, rows),
            "Pearson's r × 100 with human scores; in brackets, the 95% interval over pairs and "
            f"seeds. The pairs are those of {len(details['tasks'])} of the 25 English tasks of STS "
            "2012-2016, each once for every human score that it has. SWER is the symmetric word "
            "error rate; a split holds the pairs at or beyond its bound, a quantile over all "
            "pairs. In italics, what the paper prints.",
            standing.BEGUN_NOTE if stands else "", self.notes,
        )  # fmt: skip
        return Report(pd.DataFrame(lines), text, {}, **standing.withheld(stands))

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Drawing:
        """Draw a row for each split, a series for each model."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        names = self._names(material.plan)
        series = {label: bounds(frame, label, _METRIC) for label in names}
        rows = [f"{line.label} ({line.pairs:,})" for line in frame.itertuples()]
        return dot_plot([Dots("Pearson's r × 100, with 95% interval", rows, series)])


def _printed(split: str, entries: list[Published]) -> list[str]:
    """Return the published figures of a split, in italics."""
    shown = []
    for entry in entries:
        form = ",.0f" if entry.unit == "pairs" else ".1f"
        shown.append(f"*{entry.values[split]:{form}}*" if split in entry.values else "")
    return shown
