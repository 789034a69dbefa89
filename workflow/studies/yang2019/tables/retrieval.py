"""Tables 1 and 2: P@N of sentences that look for their translation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting import learned
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from yang2019.methods.experiments import Compared, experiment, printed
from yang2019.methods.texts import SearchedText

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.reporting.scores import Cell


class Retrieval(Table):
    """P@N in each language, a row for each encoder and objective and each direction."""

    title: str
    """Heading of the table."""
    texts: dict[str, SearchedText] = {}
    """The text that is searched in each language; only one table of the study sets them."""
    rows: list[Compared]
    """What is compared."""
    languages: list[str]
    """Beside English."""
    task: str
    """The task that searches."""
    units: list[str]
    """Its figures, such as forward.1."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""
    claimed: list[str] = []
    """Further tasks whose scores its claims read."""
    notes: str = ""
    """Shown under the table."""

    def sources(self) -> list[str]:
        """Name the corpora that are searched."""
        return [text.dataset for text in self.texts.values()]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all experiments, and the models that say whether they have learned."""
        names = self._names(plan)
        scores = {f"scores.{task}": plan.scores(names, task) for task in (self.task, *self.claimed)}
        return {**scores, **learned.inputs(plan, names)}

    def _names(self, plan: Outline) -> list[str]:
        """Return the experiments of all rows and languages."""
        return [experiment(plan, row, code) for row in self.rows for code in self.languages]

    def build(self, material: Material) -> Report:
        """Make a line for each row and language.

        Columns: row, language, experiment, encoder, english and other (the different sentences of
        either side that are searched), seed_count, and each figure with its 95% interval.
        The frame `cells` is the same with a part for the names of claims.
        """
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, page

        lines, cells = [], []
        for row in self.rows:
            scored: list[Cell | None] = []
            for language in self.languages:
                name = experiment(material.plan, row, language)
                figures = [material.scores.cell(name, self.task, unit) for unit in self.units]
                lines.append(self._line(material, row, language, name, figures, columns))
                scored += figures
            cells.append(scored)
        frame = pd.DataFrame(lines)
        headings = [f"{language}, {unit}" for language in self.languages for unit in self.units]
        shown = beside([[row.label] for row in self.rows], cells)
        names = [f"{code}.{unit}" for code in self.languages for unit in self.units]
        barred = learned.barred(material, self._names(material.plan))
        text = page(
            f"# {self.title}",
            "P@N x 100: of the different sentences of one side, those with a translation among "
            "the N nearest of all different sentences of the other side. forward: from English. "
            "Means over seeds; in brackets, the 95% interval over sentences and seeds. Best of "
            "each column in bold.",
            grid(["", *headings], shown),
            self.notes,
            learned.note(barred),
            printed(material, self.quoted, headings, names),
        )
        return Report(frame, text, {"cells": frame}, barred)

    def _line(
        self,
        material: Material,
        row: Compared,
        language: str,
        name: str,
        cells: list[Cell | None],
        columns: Any,  # noqa: ANN401  (of the writer, which is slow to import)
    ) -> dict[str, Any]:
        details = material.scores.details(name, self.task)
        sizes = details[0] if details else {}
        line: dict[str, Any] = {"row": row.label, "language": language, "experiment": name}
        line["encoder"] = name.split(".")[0]
        line |= {"english": sizes.get("english"), "other": sizes.get("other")}
        line["seed_count"] = max((len(cell.seeds) for cell in cells if cell), default=0)
        for unit, cell in zip(self.units, cells, strict=True):
            line |= columns(unit, material.scores.metric(self.task), cell)
        return line

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each figure: a row for each language, a series for each row."""
        from tandem.reporting.plots import Dots, bounds, dot_plot

        metric = material.scores.metric(self.task)
        panels = []
        for unit in self.units:
            series = {
                str(label): bounds(lines.set_index("language").loc[self.languages], unit, metric)
                for label, lines in frame.groupby("row", sort=False)
            }
            panels.append(Dots(f"{unit}, P@N × 100", self.languages, series))
        return dot_plot(panels)
