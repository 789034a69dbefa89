"""Rank correlation over languages: its strength, its lead over others, or its change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import PositiveInt

from tandem.registry import ConfigurationError
from tandem.reporting.claim_test import ClaimTest, Evidence, Measured
from wieting2019.methods.settings import FEWEST, FEWEST_FAMILIES, PERMUTATIONS

if TYPE_CHECKING:
    import pandas as pd

    from tandem.statistics.correlation import FloatArray
    from tandem.statistics.inference import Estimate
    from wieting2019.methods.kinship import Sample


class RankCorrelation(ClaimTest):
    """Spearman's rho x 100 of a feature with a response, its lead over others, or its change.

    Families of languages are resampled. With columns held fixed, p comes from permuting the
    response among languages that agree in these, and there is no interval: that of resampling would
    be another test's.
    """

    named: str
    """Description of the statistic, for readers."""
    where: dict[str, str]
    """Selects the languages: columns of the points and their values."""
    of: str
    """Column of the feature; a minus before it flips the sign of its rho."""
    response: str = "gain"
    """Column of what is predicted."""
    over: list[str] = []
    """Columns, each with a |rho| that the feature's must exceed; constant ones are left out."""
    than: dict[str, str] = {}
    """Selects other rows of the same languages, whose rho is subtracted."""
    held: list[str] = []
    """Columns that are held fixed; a language that agrees in them with no other is left out."""
    permutations: PositiveInt = PERMUTATIONS
    """Number of random permutations behind p, with columns held fixed."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Measure, unless there are too few languages or families, or nothing to correlate.

        Raises:
            ConfigurationError: a margin beside `held`: permutation only tests for a rho of 0.
        """
        from wieting2019.methods.correlations import strata
        from wieting2019.methods.kinship import Sample, in_company, permuted_within

        if self.held and margin:
            raise ConfigurationError("a permutation test has no margin: leave it out")
        points = evidence.rows("points", self.where, self.response).dropna(subset=[self.response])
        if self.than:
            others = evidence.rows("points", self.than)[["language", self.response]]
            points = points.merge(others, on="language", suffixes=("", "_than"))
        common = None
        if self.held:
            points = points[in_company(strata(points, self.held))]
            common = strata(points, self.held)
        if len(points) < FEWEST:
            return None
        seed = evidence.scores.seed
        sample = Sample(points["branch"].tolist(), evidence.scores.resamples, seed)
        if common is None and sample.families < FEWEST_FAMILIES:
            return None
        tested = self._tested(sample, points, common, margin)
        if tested is None:
            return None
        estimate, p, how = tested
        if common is not None:
            feature = points[self.of.removeprefix("-")].to_numpy()
            outcome = points[self.response].to_numpy()
            p = permuted_within(feature, outcome, common, self.permutations, seed)
            how = f"p by permuting within {' and '.join(self.held)}"
        most = 200 if self.than or self.over else 100  # for a difference of two rhos, or for one
        low, high = max(-most, estimate.interval.low), min(most, estimate.interval.high)
        return Measured(
            test=f"{self.named}; {how}",
            statistic=estimate.value,
            low=None if self.held else low,
            high=None if self.held else high,
            p=p,
            unit="spearman_x100",
            n=len(points),
            seeds=" or ".join(map(str, sorted(set(points["seeds"])))),
        )

    def _tested(
        self, sample: Sample, points: pd.DataFrame, common: Sequence[str] | None, margin: float
    ) -> tuple[Estimate, float, str] | None:
        """Return the statistic x 100, its p-value, and how they came about; None: undefined."""
        how = f"resampling {sample.families} families"

        def rho(name: str, response: str = self.response) -> FloatArray:
            feature, outcome = points[name.removeprefix("-")], points[response]
            sign = -100 if name.startswith("-") else 100
            return sign * sample.rho(feature.to_numpy(), outcome.to_numpy(), common)

        values = rho(self.of)
        if self.than:
            values = values - rho(self.of, f"{self.response}_than")
        if values[0] != values[0]:  # NaN: a constant side
            return None
        if not self.over:
            estimate = sample.estimate(values)
            return estimate, estimate.p(margin), how
        leads = {}
        for name in self.over:
            other = rho(name)
            if other[0] == other[0]:
                leads[name] = sample.estimate(_size(values) - _size(other))
        return _least_lead(leads, margin, how) if leads else None


def _size(rho: FloatArray) -> FloatArray:
    """Return |rho|, by the sample's sign, since |rho| of each resample would be too large."""
    return rho if rho[0] >= 0 else -rho


def _least_lead(leads: dict[str, Estimate], margin: float, how: str) -> tuple[Estimate, float, str]:
    """Test the lead over all of the others by the least certain one (intersection-union).

    Where the lead over some is no more than the margin, test by the most certain of these, with p
    corrected for the number of leads.
    """
    behind = {name: lead for name, lead in leads.items() if lead.value <= margin}
    p = {name: lead.p(margin) for name, lead in (behind or leads).items()}
    name = min(p, key=lambda name: p[name]) if behind else max(p, key=lambda name: p[name])
    corrected = min(1.0, p[name] * len(leads)) if behind else p[name]
    return leads[name], corrected, f"here over {name.removeprefix('-')}; {how}"
