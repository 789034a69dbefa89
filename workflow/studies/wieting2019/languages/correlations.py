"""What predicts the STS score of a language, by Spearman's rho x 100: the figures of Table 5.

Wieting et al. (2019), "Does Language Choice Matter?". For each setting and response (the score, and
its gain over the model's own random start) every predictor is correlated over all languages and in
two clusters, those with low and those with high SentencePiece overlap; once with the paper's
threshold, once with the one that the overlaps themselves suggest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tandem.errors import TandemError
from tandem.statistics.bootstrap import Statistic, bootstrap
from tandem.statistics.correlation import (
    NOISE,
    FloatArray,
    UndefinedCorrelationError,
    is_constant,
    spearman_rows,
)
from wieting2019.languages.distance import DISTANCES
from wieting2019.languages.permutation import permutation_test
from wieting2019.languages.points import OVERLAPS, SETTING
from wieting2019.languages.settings import FEWEST, THRESHOLD

RESPONSES = ("score", "gain")
"""What is predicted: the STS score, and its gain over the same model's random start."""

PREDICTORS = (*OVERLAPS, *DISTANCES)
"""What predicts it."""

COLUMNS = (
    *SETTING, "response", "predictor", "cluster", "split", "threshold", "n",
    "rho_x100", "low", "high", "p", "p_corrected",
    "partial_rho_x100", "partial_low", "partial_high",
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
    """Some of the languages: `split` says which threshold cut them off ("" where none did)."""

    name: str
    split: str
    threshold: float
    members: NDArray[np.bool_]


def partial_spearman_rows(x: FloatArray, y: FloatArray, control: FloatArray) -> FloatArray:
    """Partial Spearman's rho along the last axis: shapes (..., n) to (...); NaN where undefined."""
    xy, xc, yc = spearman_rows(x, y), spearman_rows(x, control), spearman_rows(y, control)
    left = (1 - xc**2) * (1 - yc**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left > NOISE, np.clip((xy - xc * yc) / np.sqrt(left), -1, 1), np.nan)


def natural_threshold(overlap: NDArray[np.float64]) -> float:
    """Threshold that the overlaps suggest: halfway between the two clusters of 1-D 2-means.

    Of all ways to cut the sorted overlaps, shape (n,), in two, the one with the least sum of
    squared deviations from the two means (also known as Otsu's threshold), found exactly.

    Raises:
        TandemError: when all overlaps are equal.
    """
    values = np.unique(overlap)
    if len(values) < 2:
        raise TandemError("all languages have the same overlap, so nothing divides them")
    middles = (values[:-1] + values[1:]) / 2
    costs = []
    for middle in middles:
        sides = overlap[overlap < middle], overlap[overlap >= middle]
        costs.append(sum(float(np.sum((side - side.mean()) ** 2)) for side in sides))
    return float(middles[int(np.argmin(costs))])


def clusters(overlap: NDArray[np.float64]) -> list[Cluster]:
    """All languages, then low (under the threshold) and high overlap, by two thresholds."""
    found = [Cluster("all", "", np.nan, np.ones(len(overlap), dtype=bool))]
    thresholds = {"paper": THRESHOLD}
    if not is_constant(overlap):
        thresholds["data"] = natural_threshold(overlap)
    for split, value in thresholds.items():
        found.append(Cluster("low", split, value, overlap < value))
        found.append(Cluster("high", split, value, overlap >= value))
    return found


def correlations(
    points: pd.DataFrame,
    draws: Draws,
    responses: Sequence[str] = RESPONSES,
    predictors: Sequence[str] = PREDICTORS,
) -> pd.DataFrame:
    """Correlate every predictor with every response in every cluster of every setting.

    A p-value is corrected for the number of predictors in its cluster (max-T permutation). The
    partial correlation holds the overlap by types fixed. Where a correlation is undefined (fewer
    than FEWEST languages, or a constant side) its columns are NaN; n tells why.

    Args:
        points: as `language_points` returns them.
        draws: the random draws.
        responses: of RESPONSES.
        predictors: of PREDICTORS.

    Returns:
        COLUMNS, one row for each setting, cluster, response and predictor.
    """
    rows = []
    for (panel, marked), group in points.groupby(SETTING, sort=False):
        for cluster in clusters(group["overlap_types"].to_numpy()):
            members = group[cluster.members]
            where = {
                "panel": panel, "marked": bool(marked), "cluster": cluster.name,
                "split": cluster.split, "threshold": cluster.threshold, "n": len(members),
            }  # fmt: skip
            for response in responses:
                for row in _in_cluster(members, response, predictors, draws):
                    rows.append(where | {"response": response} | row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _in_cluster(
    members: pd.DataFrame, response: str, predictors: Sequence[str], draws: Draws
) -> Iterator[dict[str, object]]:
    """Yield, for each predictor, its correlation with the response over these languages."""
    y, control = (members[name].to_numpy() for name in (response, "overlap_types"))
    usable: list[str] = []
    if len(members) >= FEWEST and not is_constant(y):
        usable = [name for name in predictors if not is_constant(members[name].to_numpy())]
    if usable:
        features = members[usable].to_numpy().T
        test = permutation_test(features, y, draws.permutations, draws.seed)
    for name in predictors:
        row: dict[str, object] = {"predictor": name}
        if name in usable:
            x, place = members[name].to_numpy(), usable.index(name)
            row |= _estimate(("rho_x100", "low", "high"), spearman_rows, [x, y], draws)
            row |= {"p": float(test.p[place]), "p_corrected": float(test.p_corrected[place])}
            if name != "overlap_types" and not is_constant(control):
                columns = ("partial_rho_x100", "partial_low", "partial_high")
                row |= _estimate(columns, partial_spearman_rows, [x, y, control], draws)
        yield row


def _estimate(
    columns: Sequence[str], statistic: Statistic, samples: Sequence[np.ndarray], draws: Draws
) -> dict[str, float]:
    """Return a statistic x 100 and its interval, none where it is undefined."""
    try:
        found = bootstrap(statistic, samples, draws.resamples, draws.seed)
    except UndefinedCorrelationError:
        return {}
    if np.isnan(found.estimate):  # the control orders the languages as x or y does
        return {}
    values = (found.estimate, found.low, found.high)
    return {column: 100 * value for column, value in zip(columns, values, strict=True)}
