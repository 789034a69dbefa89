"""Figure 1: the gain of each language against its overlap with English and distance from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2019.methods.settings import Panel

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


REGISTER = Path(__file__).parents[1] / "languages.yaml"
"""The register of languages."""


class Figure1(Table):
    """The points of Figure 1: a row for each language of each panel, plain and marked.

    English is segmented once for a panel, every other language by itself.
    """

    panels: Annotated[dict[str, Panel], Field(min_length=1)]
    """Sets of languages to compare; the first is drawn as figure1, the others in figures/."""
    task: str = "sts"
    """What encoders are scored on: STS by years."""
    unit: str = "common"
    """Which mean of the task: of the tasks that every machine has."""
    uriel: str = "lang2vec"
    """The corpus with URIEL's vectors."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores and texts of the panels, URIEL and the register of languages."""
        scores = [
            plan.path("scores", "languages", name, f"batch{number}.json")
            for name, panel in self.panels.items()
            for number in range(panel.batches)
        ]
        return {
            "runs": scores,
            "texts": [plan.path("languages", name, "text") for name in self.panels],
            "uriel": plan.fetched[self.uriel],
            "languages": [str(plan.home / REGISTER.name)],
        }

    def sources(self) -> list[str]:
        """Return the corpora of the panels, and URIEL's."""
        return [self.uriel, *(name for panel in self.panels.values() for name in panel.sources)]

    def codes(self, held: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
        """Return the languages that each panel chooses among; `held` has those of each corpus."""
        from wieting2019.methods.register import read_register

        registered = [language.code for language in read_register(REGISTER)]
        return {name: panel.codes(registered, held) for name, panel in self.panels.items()}

    def build(self, material: Material) -> Report:
        """Make the points; their columns are `wieting2019.methods.points.COLUMNS`."""
        from tandem.reporting.writer import page
        from wieting2019.methods.points import measured_points

        points, notes = measured_points(material.files)
        return Report(points, page("# Figure 1: the points", *notes.values()))

    def figures(self, name: str) -> list[str]:
        """Return a figure for each panel, and one for its marked encoders."""
        return list(self._settings(name))

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw one setting; the correlations in its titles are those of Table 5."""
        from wieting2019.methods import drawing
        from wieting2019.methods.correlations import Draws, correlations
        from wieting2019.methods.points import measured_points
        from wieting2019.methods.register import read_register

        panel, marked = self._settings(material.name)[figure]
        # as in Table 5, from the points before they are rounded for the CSV
        points, _ = measured_points(material.files)
        shown, exact = (p[(p["panel"] == panel) & (p["marked"] == marked)] for p in (frame, points))
        draws = Draws(material.scores.resamples, 1, material.scores.seed)
        rows = correlations(exact, draws, ["gain"], list(drawing.AXES))
        return drawing.figure1(shown, rows, read_register(REGISTER).script_groups)

    def _settings(self, name: str) -> dict[str, tuple[str, bool]]:
        """Return panel and marker of each figure."""
        drawn = {}
        for panel, entry in self.panels.items():
            main = panel == next(iter(self.panels))
            for marked in (False, True) if entry.encoders.marked else (False,):
                file = "-".join([name, *[panel] * (not main), *["marked"] * marked])
                drawn[file if file == name else f"figures/{file}"] = (panel, marked)
        return drawn
