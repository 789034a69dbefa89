"""Correlations of overlap and distance with the gain, Spearman's rho x 100: Table 5.

Wieting et al. (2019), "Does Language Choice Matter?". For each setting every predictor is
correlated with the gain over the untrained encoder, over all languages, over those in Latin script,
and within two clusters, of low and of high SentencePiece overlap, divided by the paper's threshold
and by the one that the overlaps themselves suggest. It is also correlated with script, family or
both held fixed: if the correlation vanishes, the predictor only stood for them. The same is done
for what a language gains from sharing pieces with English, which overlap should predict if it
matters by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tandem.errors import TandemError
from tandem.statistics.correlation import FloatArray, is_constant
from tandem.statistics.inference import holm
from wieting2019.methods.distance import DISTANCES
from wieting2019.methods.kinship import Sample, in_company, permuted_within
from wieting2019.methods.points import OVERLAPS, SETTING
from wieting2019.methods.settings import FEWEST, THRESHOLD

RESPONSES = ("gain", "sharing")
"""What is predicted: the gain over the untrained encoder, and that from sharing pieces."""

PREDICTORS = (*OVERLAPS, *DISTANCES)
"""What predicts the responses."""

HELD = {"script": ["script_group"], "family": ["branch"], "both": ["script_group", "branch"]}
"""What is held fixed: name to the columns in which the languages of a stratum agree."""

ENGLISH_SCRIPT = "Latin"
"""The group of scripts that English belongs to."""

COLUMNS = (
    *SETTING, "response", "predictor", "cluster", "split", "threshold", "held", "n", "families",
    "rho_x100", "low", "high", "p", "p_holm",
)  # fmt: skip
"""Columns of the correlations: intervals are 95%, p-values two-sided."""


@dataclass(frozen=True)
class Draws:
    """Numbers of bootstrap resamples and of permutations, and the seed of both."""

    resamples: int
    permutations: int
    seed: int


@dataclass(frozen=True)
class Cluster:
    """Some of the languages: `split` says what divides them from the others ("": nothing)."""

    name: str
    split: str
    threshold: float
    members: NDArray[np.bool_]


def natural_thresholds(overlap: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the threshold that the overlaps suggest: halfway between the clusters of 1-D 2-means.

    Of all ways to cut the sorted overlaps in two, the one with the least sum of squared deviations
    from the two means (also known as Otsu's threshold), found exactly.

    Args:
        overlap: (n,).
        weights: (rows, n), how often each row has each overlap.

    Returns:
        (rows,); NaN where all overlaps are equal.
    """
    values, place = np.unique(overlap, return_inverse=True)
    counts = weights @ np.eye(len(values))[place]
    left, sums = (np.cumsum(terms, axis=1) for terms in (counts, counts * values))
    right = left[:, -1:] - left
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = sums / left - (sums[:, -1:] - sums) / right
    # the least sum within the clusters has the largest between them; a resample may lack values
    between = np.where((counts > 0) & (right > 0), left * right * apart**2, -1)
    best = np.argmax(between, axis=1)[:, None]
    beyond = (counts > 0) & (np.arange(len(values)) > best)
    middle = (values[best[:, 0]] + np.where(beyond, values, np.inf).min(axis=1)) / 2
    return np.where(between.max(axis=1) > 0, middle, np.nan)


def natural_threshold(overlap: FloatArray) -> float:
    """Return `natural_thresholds` of the overlaps themselves, (n,).

    Raises:
        TandemError: when all overlaps are equal.
    """
    if is_constant(overlap):
        raise TandemError("all languages have the same overlap, so nothing divides them")
    return float(natural_thresholds(overlap, np.ones((1, len(overlap))))[0])


def clusters(points: pd.DataFrame) -> list[Cluster]:
    """Return all languages, those in Latin script, and those of low and of high overlap.

    The paper's threshold makes clusters only where each has at least FEWEST languages.
    """
    overlap = points["overlap_types"].to_numpy()
    latin = (points["script_group"] == ENGLISH_SCRIPT).to_numpy()
    divisions = [
        Cluster("all", "", np.nan, np.ones(len(points), dtype=bool)),
        Cluster("Latin", "script", np.nan, latin),
    ]
    thresholds = {"paper": THRESHOLD}
    if not is_constant(overlap):
        thresholds["data"] = natural_threshold(overlap)
    for split, value in thresholds.items():
        low = overlap < value
        if split == "data" or min(low.sum(), (~low).sum()) >= FEWEST:
            divisions += [Cluster("low", split, value, low), Cluster("high", split, value, ~low)]
    return divisions


def correlations(
    points: pd.DataFrame,
    draws: Draws,
    responses: Sequence[str] = RESPONSES,
    predictors: Sequence[str] = PREDICTORS,
) -> pd.DataFrame:
    """Correlate every predictor with every response in every cluster of every setting.

    Intervals and p-values come from resampled families. With something held fixed, languages that
    are alone in their stratum are left out, p comes from permuting the response within strata, and
    there is no interval, which would be of another test.
    p_holm is corrected (Holm) for the number of predictors. Where a correlation is undefined (fewer
    than FEWEST languages, or a constant side) its columns are NaN; n tells which.

    Args:
        points: as `language_points` returns them.
        draws: the random draws.
        responses: of RESPONSES.
        predictors: of PREDICTORS.

    Returns:
        COLUMNS, one row for each setting, response, cluster, what is held, and predictor.
        `sharing`, which both settings of a panel have in common, is in the plain one's rows.
    """
    rows = []
    for (panel, marked), group in points.groupby(SETTING, sort=False):
        where = {"panel": panel, "marked": bool(marked)}
        for response in responses:
            if response == "sharing" and (marked or group["sharing"].isna().any()):
                continue
            for cluster in clusters(group):
                row = where | {"response": response, "held": "", "cluster": cluster.name,
                               "split": cluster.split, "threshold": cluster.threshold}  # fmt: skip
                members = group[cluster.members]
                rows += [row | r for r in _correlate(members, response, predictors, draws)]
                if cluster.name == "all":
                    for held in HELD:
                        same = _correlate(members, response, predictors, draws, held)
                        rows += [row | {"held": held} | r for r in same]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def strata(points: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Return each language's stratum, as text: languages that agree in the columns share it."""
    return [" ".join(map(str, row)) for row in points[list(columns)].itertuples(index=False)]


def _correlate(
    members: pd.DataFrame,
    response: str,
    predictors: Sequence[str],
    draws: Draws,
    held: str = "",
) -> Iterator[dict[str, object]]:
    """Yield, for each predictor, its correlation with the response over these languages."""
    common = strata(members, HELD[held]) if held else None
    if common is not None:
        members = members[in_company(common)]
        common = strata(members, HELD[held])
    counts = {"n": len(members), "families": members["branch"].nunique()}
    y = members[response].to_numpy()
    tested: dict[str, dict[str, float]] = {}
    if len(members) >= FEWEST and not is_constant(y):
        sample = Sample(members["branch"].tolist(), draws.resamples, draws.seed)
        for name in predictors:
            x = members[name].to_numpy()
            values = sample.rho(x, y, common)
            if np.isnan(values[0]):
                continue
            estimate = sample.estimate(values)
            rho = {"rho_x100": estimate.value}
            if common is None:
                p = estimate.p(0)
                bounds = np.clip([estimate.interval.low, estimate.interval.high], -1, 1)
                rho |= dict(zip(("low", "high"), bounds, strict=True))
            else:
                p = permuted_within(x, y, common, draws.permutations, draws.seed)
            tested[name] = {key: 100 * float(value) for key, value in rho.items()} | {"p": p}
    for row, p in zip(tested.values(), holm([row["p"] for row in tested.values()]), strict=True):
        row["p_holm"] = p
    for name in predictors:
        yield {"predictor": name, **counts, **tested.get(name, {})}
