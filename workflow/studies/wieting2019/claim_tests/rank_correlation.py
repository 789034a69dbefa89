"""Rank correlation over languages: how strong it is, or by how much it leads others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.reporting.claim_tests.claim_test import ClaimTest, Evidence, Measured
from wieting2019.languages.settings import FEWEST

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray


class RankCorrelation(ClaimTest):
    """Spearman's rho x 100 of a feature with a response, minus the largest of others if given."""

    named: str
    """Description of the statistic, for readers."""
    where: dict[str, str]
    """Selects the languages: columns of the points and their values."""
    of: str
    """Column of the feature; a minus before it flips the sign of its rho."""
    over: list[str] = []
    """Columns whose rho it must exceed, signed likewise; constant ones are left out."""
    response: str
    """Column of what is predicted."""
    than: dict[str, str] = {}
    """Selects other rows of the same languages, whose rho is subtracted instead."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Measure, unless there are too few languages or nothing to correlate."""
        import numpy as np

        from tandem.statistics.bootstrap import bootstrap
        from tandem.statistics.correlation import (
            UndefinedCorrelationError,
            is_constant,
            spearman_rows,
        )
        from tandem.statistics.inference import Estimate

        points, response = evidence.rows("points", self.where), self.response
        if self.than:
            others = evidence.rows("points", self.than)[["language", response]]
            points = points.merge(others, on="language", suffixes=("", "_than"))
        if len(points) < FEWEST:
            return None
        columns = {name: points[name.removeprefix("-")].to_numpy() for name in self.over}
        over = {name: values for name, values in columns.items() if not is_constant(values)}
        if self.over and not over:
            return None
        signs = [-1 if name.startswith("-") else 1 for name in (self.of, *over)]
        samples = [points[response], points[self.of.removeprefix("-")], *over.values()]

        def lead(y: FloatArray, *features: FloatArray) -> FloatArray:
            first, *rest = (s * spearman_rows(x, y) for s, x in zip(signs, features, strict=True))
            return first - np.fmax.reduce(rest) if rest else first

        def change(y: FloatArray, x: FloatArray, other: FloatArray) -> FloatArray:
            return signs[0] * (spearman_rows(x, y) - spearman_rows(x, other))

        if self.than:
            samples.append(points[f"{response}_than"])
        draws = evidence.scores.resamples, evidence.scores.seed
        try:
            found = bootstrap(change if self.than else lead, samples, *draws)
        except UndefinedCorrelationError:
            return None
        error = 100 * (found.high - found.low) / (2 * 1.96)
        return Measured(
            test=f"{self.named}; bootstrap over languages",
            statistic=100 * found.estimate,
            low=100 * found.low,
            high=100 * found.high,
            p=Estimate(100 * found.estimate, error, np.inf).p(margin),
            unit="spearman_x100",
            n=len(points),
            seeds=" or ".join(map(str, sorted(set(points["seeds"])))),
        )
