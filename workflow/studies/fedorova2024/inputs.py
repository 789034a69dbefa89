"""What this study's rules read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pathlib import Path

    from fedorova2024.tables.pair_speed import PairSpeed
    from tandem.studies.plan import Plan
    from tandem.tasks.kinds.identification import Identification


class Inputs:
    """Inputs and parameters of the study's rules.

    Attributes:
        timed: the tables whose models are timed, by name.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.timed = {
            name: cast("PairSpeed", table)
            for name, table in plan.study.tables.items()
            if table.kind == "pair-speed"
        }

    def pairs(self, table: str) -> str:
        """Return the folder of the labelled pairs that a table times on."""
        task = cast("Identification", self.plan.study.tasks[self.timed[table].task])
        return self.plan.path("corpora", task.corpus)

    def trained(self, table: str) -> list[str]:
        """Return the experiments that a table times and that are trained here."""
        names = self.timed[table].models(self.plan)
        return [name for name in names if not self.plan.pretrained(name)]

    def models(self, table: str) -> list[str]:
        """Return a model of each of them."""
        return [self.plan.model(name, self.plan.seeds(name)[0]) for name in self.trained(table)]

    def baselines(self, table: str) -> dict[str, str]:
        """Return the pretrained models that a table times, by experiment."""
        models = {name: self.plan.pretrained(name) for name in self.timed[table].models(self.plan)}
        return {name: model for name, model in models.items() if model}

    def files(self, table: str) -> list[Path]:
        """Return the files of the kinds that a table times."""
        files = map(self.plan.training_files, self.trained(table))
        return sorted({path for paths in files for path in paths})
