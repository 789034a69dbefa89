"""Rank correlation over languages: how strong it is, or by how much it leads others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import PositiveInt

from tandem.registry import ConfigurationError
from tandem.reporting.claim_test import ClaimTest, Evidence, Measured
from wieting2019.methods.settings import FEWEST, PERMUTATIONS

if TYPE_CHECKING:
    import pandas as pd

    from tandem.statistics.correlation import FloatArray
    from tandem.statistics.inference import Estimate
    from wieting2019.methods.kinship import Sample


class RankCorrelation(ClaimTest):
    """Spearman's rho x 100 of a feature with a response, its lead over others, or a change of it.

    Families of languages are resampled. With something held fixed, p permutes the response among
    the languages that have that in common.
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
    """Columns whose |rho| that of the feature must exceed, each of them; constant ones are left
    out."""
    than: dict[str, str] = {}
    """Selects other rows of the same languages, whose rho is subtracted."""
    held: list[str] = []
    """Columns that are held fixed; a language that shares them with no other is left out."""
    permutations: PositiveInt = PERMUTATIONS
    """Number of random permutations behind p, with something held."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Measure, unless there are too few languages or nothing to correlate.

        Raises:
            ConfigurationError: a margin beside `held`: what is permuted has a rho of 0.
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
        found = self._tested(sample, points, common, margin)
        if found is None:
            return None
        estimate, p, how = found
        if common is not None:
            feature = points[self.of.removeprefix("-")].to_numpy()
            outcome = points[self.response].to_numpy()
            p = permuted_within(feature, outcome, common, self.permutations, seed)
            how = f"p by permuting within {' and '.join(self.held)}, interval by {how}"
        most = 200 if self.than or self.over else 100  # of a difference of two, or of one
        return Measured(
            test=f"{self.named}; {how}",
            statistic=estimate.value,
            low=max(-most, estimate.interval.low),
            high=min(most, estimate.interval.high),
            p=p,
            unit="spearman_x100",
            n=len(points),
            seeds=" or ".join(map(str, sorted(set(points["seeds"])))),
        )

    def _tested(
        self, sample: Sample, points: pd.DataFrame, common: Sequence[str] | None, margin: float
    ) -> tuple[Estimate, float, str] | None:
        """Return the statistic x 100, its p-value, and how they were found."""
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
    """Turn |rho|: the sign is the sample's, since |rho| of each resample would be too large."""
    return rho if rho[0] >= 0 else -rho


def _least_lead(leads: dict[str, Estimate], margin: float, how: str) -> tuple[Estimate, float, str]:
    """Test the lead over every one by that which is least certain (intersection-union).

    Where there is none over some, the most certain lack of it, corrected for their number.
    """
    behind = {name: lead for name, lead in leads.items() if lead.value <= margin}
    p = {name: lead.p(margin) for name, lead in (behind or leads).items()}
    name = min(p, key=lambda name: p[name]) if behind else max(p, key=lambda name: p[name])
    corrected = min(1.0, p[name] * len(leads)) if behind else p[name]
    return leads[name], corrected, f"here over {name.removeprefix('-')}; {how}"
