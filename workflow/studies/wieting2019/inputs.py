"""What this study's rules read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tandem.tasks.task import TASKS

if TYPE_CHECKING:
    from tandem.corpora.register import Dataset
    from tandem.studies.plan import Plan
    from wieting2019.tables.figure1 import Figure1


class Inputs:
    """Inputs and parameters of the study's rules, by panel.

    Attributes:
        panels: the sets of languages, by name.
        codes: the languages that each panel chooses among.
        figures: paths of the panels' figures, without ending.
        task: what encoders are scored on, as plain values.
        unit: which of its figures counts.
    """

    def __init__(self, plan: Plan, datasets: Mapping[str, Dataset]) -> None:
        figure1 = cast("Figure1", plan.study.tables["figure1"])
        self.plan = plan
        self.panels = figure1.panels
        self.codes = figure1.codes({name: data.languages for name, data in datasets.items()})
        self.figures = figure1.figures("figure1")
        self.task = TASKS.dump(plan.study.tasks[figure1.task])
        self.unit = figure1.unit

    def run(self, panel: str) -> dict[str, Any]:
        """Return what is trained for a panel, and how, except the seeds."""
        return self.panels[panel].encoders.run(self.plan.study)

    def threads(self, panel: str) -> int:
        """Return how many processor threads these trainings take."""
        return self.plan.study.recipes[self.panels[panel].encoders.recipe].threads

    def kinds(self, panel: str) -> list[Path]:
        """Return the files of the kinds that a panel's scores depend on."""
        return [*self.panels[panel].encoders.files(self.plan.study), TASKS.path(self.task["kind"])]
