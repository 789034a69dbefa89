"""The difference of two cells: a paired bootstrap."""

from __future__ import annotations

from tandem.registry import Settings
from tandem.reporting.claim_tests.claim_test import ClaimTest, Evidence, Measured


class Side(Settings):
    """A cell of a table: the score of an experiment, with its interval."""

    experiment: str
    """Name of the experiment."""
    task: str
    """Name of the task that it was scored on."""
    unit: str
    """Which score of the task: a year, a direction, ..."""


class Difference(ClaimTest):
    """The first cell minus the second, measured on the same items."""

    better: Side
    """The cell that the claim says is higher."""
    worse: Side
    """The other."""

    def measure(self, evidence: Evidence) -> Measured | None:
        """Subtract draw by draw."""
        from tandem.statistics.bootstrap import percentile_interval

        sides = self.better, self.worse
        better, worse = (evidence.scores.cell(s.experiment, s.task, s.unit) for s in sides)
        if better is None or worse is None:
            return None
        found = percentile_interval(better.estimate - worse.estimate, better.draws - worse.draws)
        return Measured(
            test=f"{_said(*sides)}; paired bootstrap over {better.items:,} items, and seeds",
            statistic=found.estimate,
            low=found.low,
            high=found.high,
            unit=better.metric,
            n=better.items,
            seeds=f"{len(better.seeds)} and {len(worse.seeds)}",
        )


def _said(better: Side, worse: Side) -> str:
    """Say what is subtracted from what, naming what differs."""
    if (better.task, better.unit) == (worse.task, worse.unit):
        return f"{better.task} {better.unit} of {better.experiment} minus {worse.experiment}"
    if better.experiment == worse.experiment and better.task == worse.task:
        return f"{better.task} of {better.experiment}: {better.unit} minus {worse.unit}"
    names = (f"{side.experiment} {side.task} {side.unit}" for side in (better, worse))
    return " minus ".join(names)
