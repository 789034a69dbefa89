"""The difference of two cells: Student's t over paired items and over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tandem.registry import Settings
from tandem.reporting.claim_test import ClaimTest, Evidence, Measured

if TYPE_CHECKING:
    from tandem.reporting.outline import Outline


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

    def experiments(self) -> list[str]:
        """Name the sides."""
        return list(dict.fromkeys([self.better.experiment, self.worse.experiment]))

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract; two figures of the same trainings are subtracted seed by seed.

        A single seed does not show the spread over seeds, nor does a single translator show that of
        translators where only one side reads its text: such claims have no p-value.
        """
        from tandem.statistics.inference import difference, over_seeds

        sides = self.better, self.worse
        better, worse = (evidence.cell(s.experiment, s.task, s.unit) for s in sides)
        if better is None or worse is None:
            return None
        same = len({*map(evidence.plan.whole, self.experiments())}) == 1
        estimate = over_seeds(better - worse) if same else difference(better, worse)
        alone = [
            side.experiment
            for side, cell in zip(sides, (better, worse), strict=True)
            if len(cell.seeds) == 1 and not evidence.plan.pretrained(side.experiment)
        ]
        test = f"{_subtraction(*sides)}; t test over {better.items:,} paired items, and seeds"
        if margin < 0:
            test += f"; non-inferior within {-margin:g}"
        if alone:
            test += f"; {' and '.join(dict.fromkeys(alone))} has one seed: its spread is not known"
        if translated := _translated_once(self.experiments(), evidence.plan):
            test += f"; {' and '.join(translated)} has one translator: its spread is not known"
        p = None if alone or translated else estimate.p(margin)
        bounds = estimate.interval
        seeds = f"{len(better.seeds)} and {len(worse.seeds)}"
        return Measured(
            test, estimate.value, bounds.low, bounds.high, p, better.metric, better.items, seeds
        )


def _translated_once(experiments: Sequence[str], plan: Outline) -> list[str]:
    """Name the experiments on the text of a single translator, unless all are on the same text."""
    texts = {name: plan.single_translator(name) for name in experiments}
    return [name for name, text in texts.items() if text] if len({*texts.values()}) > 1 else []


def _subtraction(better: Side, worse: Side) -> str:
    """Name the two sides by what differs between them."""
    if (better.task, better.unit) == (worse.task, worse.unit):
        return f"{better.task} {better.unit} of {better.experiment} minus {worse.experiment}"
    if better.experiment == worse.experiment and better.task == worse.task:
        return f"{better.task} of {better.experiment}: {better.unit} minus {worse.unit}"
    names = (f"{side.experiment} {side.task} {side.unit}" for side in (better, worse))
    return " minus ".join(names)
