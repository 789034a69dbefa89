"""What the tables about another table's experiment share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tandem.reporting.outline import Outline
from tandem.reporting.table import Table
from wieting2017.methods import results

if TYPE_CHECKING:
    from wieting2017.methods.settings import Experiment

EXCERPT = 160
"""Characters of an example that are shown."""


class ExperimentTable(Table):
    """A table of the filtering experiments that another table has."""

    of: str
    """The table that has the experiment."""

    def others(self) -> list[str]:
        """Name the table that has the experiment."""
        return [self.of]

    def experiment(self, plan: Outline) -> Experiment:
        """Return the experiment; ConfigurationError if `of` has none."""
        return results.experiment_of(plan, self.of)

    def filtered(self, plan: Outline) -> list[str]:
        """Name the texts that filters are tried on."""
        experiment = self.experiment(plan)
        return [name for name in experiment.compared if experiment.filtered(name)]

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all trainings, and the items behind them."""
        experiment = self.experiment(plan)
        return results.inputs(plan, experiment.compared, experiment)


def excerpt(text: str) -> str:
    """Return an example for a cell of a Markdown table: cut where it is long, marks escaped."""
    cut = text if len(text) <= EXCERPT else text[: EXCERPT - 1].rstrip() + "…"
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", cut)
