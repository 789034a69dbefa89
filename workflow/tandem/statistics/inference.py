"""Intervals and tests of figures that vary over items and over seeds, and Holm's correction.

A figure is the mean over k seeds of an experiment, each scored on the same items. In the two-way
random model (Searle, Casella and McCulloch, 1992, "Variance Components") its variance has three
parts: that of the items, which other experiments share; that of the seeds, over k; and that of the
interaction of seeds and items, over k. The unbiased variance s^2 over seeds contains the last two,
so the sum of s^2 / k and the first is unbiased. The first is the covariance of different seeds'
bootstrap draws; the variance of their mean's draws would count the last part twice. That variance
is the least that the sum can be, which few seeds that agree by chance fall below: then it stands.

The statistic over its standard error has Student's t with the degrees of freedom of Satterthwaite
(1946, "An approximate distribution of estimates of variance components"), those of the items
taken as infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tandem.statistics.bootstrap import LEVEL, Interval
from tandem.statistics.correlation import FloatArray


@dataclass(frozen=True, eq=False)
class Figures:
    """A figure of each seed, (seeds,), and its bootstrap draws over items, (seeds, resamples).

    The same column of any two arrays of draws belongs to the same resampled items. Without items
    there are 0 resamples.
    """

    values: FloatArray
    draws: FloatArray

    def __sub__(self, other: Figures) -> Figures:
        """Subtract seed by seed: two figures of the same models."""
        return Figures(self.values - other.values, self.draws - other.draws)


@dataclass(frozen=True)
class Estimate:
    """A figure or a difference, with its standard error and degrees of freedom."""

    value: float
    error: float
    freedom: float

    @property
    def interval(self) -> Interval:
        """The 95% interval; it is symmetric, whatever values a figure can have."""
        half = _quantile(self.freedom) * self.error
        return Interval(self.value, self.value - half, self.value + half)

    def share_interval(self, items: int) -> Interval:
        """Return the 95% interval of a figure x 100 that lies between 0 and 100, as its bounds do.

        It is Wilson's (1927, "Probable inference, the law of succession, and statistical
        inference"), of as many items as would have this standard error (Korn and Graubard, 1998,
        "Confidence intervals for proportions with small expected number of positive counts"), with
        the quantile of Student's t. Where the error is 0, such as at 0 or 100, they are `items`.
        """
        share, z = self.value / 100, _quantile(self.freedom)
        spread = max(share * (1 - share), 0.0)
        count = spread / (self.error / 100) ** 2 if self.error and spread else items
        centre = share + z**2 / (2 * count)
        half = z * np.sqrt(spread / count + (z / (2 * count)) ** 2)
        low, high = ((centre + side * half) / (1 + z**2 / count) for side in (-1, 1))
        return Interval(self.value, 100 * max(float(low), 0.0), 100 * min(float(high), 1.0))

    def p(self, margin: float) -> float:
        """Return the two-sided p-value of "the true value is the margin"."""
        from scipy.special import stdtr

        distance = abs(self.value - margin)
        if self.error == 0:
            return float(distance == 0)
        return float(2 * stdtr(self.freedom, -distance / self.error))


def _quantile(freedom: float) -> float:
    """Return the quantile of Student's t that bounds a 95% interval."""
    # scipy.stats calls it, and takes half a second to import, which every table would wait for
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))


def sample_mean(values: FloatArray) -> Estimate:
    """Estimate a mean from independent values, (n,), by Student's t.

    With one value the error is NaN; with none the mean is, too.
    """
    if len(values) < 2:
        return Estimate(float(sum(values)) if len(values) else np.nan, np.nan, np.nan)
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return Estimate(float(np.mean(values)), float(error), len(values) - 1)


def over_seeds(figures: Figures) -> Estimate:
    """Estimate the mean over seeds; with one seed only the items vary."""
    return _estimate(figures.values.mean(), _shared(figures.draws), figures)


def difference(first: Figures, second: Figures) -> Estimate:
    """Estimate how far the mean of the first experiment is above that of the second.

    Items are paired, so what they do to both sides cancels. Seeds are not: experiments may have
    different numbers of them. Where equal seeds draw the same text, what that does to both sides
    alike stays in the error, which is then too large rather than too small. Figures of one training
    are subtracted first and given to `over_seeds`: a seed can do the opposite to the other.
    """
    return total(first, Figures(-second.values, -second.draws))


def total(*sides: Figures) -> Estimate:
    """Estimate the sum of the means of several experiments, any of them negative or weighted.

    Items are paired and seeds are not, as in `difference`.
    """
    means = np.stack([side.draws.mean(axis=0) for side in sides])
    covariance = np.atleast_2d(np.cov(means))
    items = sum(_shared(side.draws) for side in sides)
    items += 2 * sum(covariance[i, j] for i in range(len(sides)) for j in range(i))
    return _estimate(sum(side.values.mean() for side in sides), items, *sides)


def over_groups(groups: Sequence[Figures]) -> Estimate:
    """Estimate the mean over groups, such as training texts, of their means over their own seeds.

    The groups are scored on the same items, so the variance of the items is what their draws share.
    Added to it, over the n groups, is the larger of two: the variance s^2 between the groups'
    means, and the mean of the variances that these have from their seeds, a part of what s^2
    estimates. So an s^2 that is small by chance makes no interval narrower than the seeds allow.
    The degrees of freedom of that are n - 1, whichever it is: with those of the seeds, coverage
    falls below 95% where groups differ (89% with two of five seeds each). Half the interval is the
    root of the summed squares of what it would be for the groups and for the items alone (Zou and
    Donner, 2008, "Construction of confidence limits about effect measures: a general approach"),
    since Satterthwaite's degrees of freedom are too many for so few groups (89% with two). The
    variance is at least that of the draws of the mean over groups. With one group the error is NaN.

    Args:
        groups: figures of each group; those of one seed have no variance of their own.
    """
    values = np.array([group.values.mean() for group in groups])
    mean, n = float(values.mean()), len(groups)
    if n < 2:
        return Estimate(mean, np.nan, np.nan)
    within = [g.values.var(ddof=1) / len(g.values) for g in groups if len(g.values) > 1]
    part = max(values.var(ddof=1), float(np.mean(within)) if within else 0.0) / n
    items = max(_shared(np.stack([group.draws.mean(axis=0) for group in groups])), 0.0)
    items = max(items, _of_mean([group.draws / n for group in groups]) - part)
    return Estimate(mean, float(np.sqrt(part + items)), _freedom(part, n - 1, items))


def joined(groups: Sequence[Figures]) -> Figures:
    """Return the figures of all groups as those of one."""
    values, draws = ([getattr(g, name) for g in groups] for name in ("values", "draws"))
    return Figures(np.concatenate(values), np.concatenate(draws))


def holm(p: Sequence[float]) -> list[float]:
    """Correct p-values so that one claim in a family is wrong with their level at most.

    Holm (1979, "A simple sequentially rejective multiple test procedure"): the smallest of m times
    m, the next times m - 1, and so on, none below the one before it, and none above 1.
    """
    order = np.argsort(p, kind="stable")
    scaled = np.asarray(p, dtype=np.float64)[order] * np.arange(len(order), 0, -1)
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return corrected.tolist()


def _freedom(part: float, freedom: float, exact: float) -> float:
    """Return the degrees of freedom that give the interval of a sum; see `over_groups`.

    `part` is a variance with so many, `exact` one that is exactly known.
    """
    from scipy import optimize, stats

    if not part or not exact:
        return np.inf if exact else freedom
    quantiles = stats.t.ppf((1 + LEVEL) / 2, [freedom, np.inf])
    wanted = float(np.sqrt(quantiles**2 @ [part, exact] / (part + exact)))
    if wanted <= stats.t.ppf((1 + LEVEL) / 2, _MANY):
        return np.inf
    apart = optimize.brentq(
        lambda log: stats.t.ppf((1 + LEVEL) / 2, np.exp(log)) - wanted,
        np.log(freedom), np.log(_MANY),
    )  # fmt: skip
    return float(np.exp(apart))


_MANY = 1e6
"""Degrees of freedom beyond which Student's t is taken as the normal distribution."""


def _shared(draws: FloatArray) -> float:
    """Mean covariance of the draws of two different seeds; with one seed, their variance."""
    if not draws.shape[1]:
        return 0.0  # no items
    seeds, whole = len(draws), draws.mean(axis=0).var(ddof=1)
    if seeds == 1:
        return float(whole)
    return float((seeds * whole - draws.var(axis=1, ddof=1).mean()) / (seeds - 1))


def _estimate(value: float, items: float, *sides: Figures) -> Estimate:
    spreads = [side.values for side in sides if len(side.values) > 1]
    parts = [values.var(ddof=1) / len(values) for values in spreads]
    # Few seeds can agree by chance where each fails on items of its own: then what those items do
    # to the means is left, as with one seed.
    total = max(max(items, 0.0) + sum(parts), _of_mean([side.draws for side in sides]))
    lost = sum(part**2 / (len(v) - 1) for part, v in zip(parts, spreads, strict=True))
    return Estimate(float(value), float(np.sqrt(total)), total**2 / lost if lost else np.inf)


def _of_mean(draws: Sequence[FloatArray]) -> float:
    """Return the variance that the items give to a sum of means over seeds; 0 without items."""
    means = sum(side.mean(axis=0) for side in draws)
    return float(np.var(means, ddof=1)) if len(means) > 1 else 0.0
