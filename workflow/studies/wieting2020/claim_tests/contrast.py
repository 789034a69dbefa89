"""A weighted sum of figures: Student's t over paired items and over seeds."""

from __future__ import annotations

from pydantic import Field

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured
from tandem.reporting.claim_tests.difference import Side


class Weighted(Side):
    """A figure with its weight in the sum."""

    weight: float
    """What it is multiplied by."""


class Contrast(ClaimTest):
    """The sum of figures, each times its weight: such as a gain minus another gain."""

    what: str
    """What the sum is, in a few words."""
    sides: list[Weighted] = Field(min_length=2)
    """The figures; those of one training are summed seed by seed."""

    def experiments(self) -> list[str]:
        """Name the experiments."""
        return list(dict.fromkeys(side.experiment for side in self.sides))

    def _training(self, evidence: Evidence, experiment: str) -> str:
        """Name the training of an experiment: of an untrained encoder, that which begins with it.

        Both have the same seeds' parameters at first, so they are summed seed by seed.
        """
        plan, name = evidence.plan, evidence.plan.whole(experiment)
        if plan.pretrained(experiment) or plan.setting(name).trained:
            return name
        seeds = plan.seeds(name)
        begun = (plan.whole(other) for other in self.experiments() if not plan.pretrained(other))
        return next(
            (other for other in begun if other.partition(".")[0] == name.partition(".")[0]
             and plan.setting(other).trained and plan.seeds(other) == seeds), name,
        )  # fmt: skip

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Sum; with one seed of an experiment that is trained, there is no p-value."""
        from tandem.statistics.inference import Figures, total

        by_training: dict[str, Figures] = {}
        cells, single = [], []
        for side in self.sides:
            cell = evidence.cell(side.experiment, side.task, side.unit)
            if cell is None:
                return None
            cells.append(cell)
            weighted = Figures(-side.weight * cell.values, -side.weight * cell.draws)
            name = self._training(evidence, side.experiment)
            before = by_training.get(name, Figures(0 * cell.values, 0 * cell.draws))
            by_training[name] = before - weighted
            if len(cell.seeds) == 1 and not evidence.plan.pretrained(side.experiment):
                single.append(side.experiment)
        estimate = total(*by_training.values())
        items = max(cell.items for cell in cells)
        test = f"{self.what}; t test over paired items, and seeds"
        if single:
            names = " and ".join(dict.fromkeys(single))
            test += f"; {names}: one seed, whose spread is not known"
        bounds, p = estimate.interval, None if single else estimate.p(margin)
        seeds = " and ".join(str(len(figures.values)) for figures in by_training.values())
        metric = cells[0].metric
        return Measured(test, estimate.value, bounds.low, bounds.high, p, metric, items, seeds)
