"""Table 5: what predicts the STS score of a language, by Spearman's rho x 100.

Wieting et al. (2019), "Does Language Choice Matter?". For each setting and response (the score, and
its gain over the model's own random start) every predictor is correlated over all languages and in
two clusters, those with low and those with high SentencePiece overlap; once with the paper's
threshold, once with the one that the overlaps themselves suggest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tandem.errors import TandemError
from tandem.languages.distance import DISTANCES
from tandem.reporting.language_points import OVERLAPS, SETTING
from tandem.reporting.published import published
from tandem.statistics.correlation import UndefinedCorrelationError as Undefined
from tandem.statistics.correlation import (
    bootstrap,
    is_constant,
    partial_spearman,
    partial_spearman_rows,
    permutation_test,
    spearman,
    spearman_rows,
)

RESPONSES = ("score", "gain")
"""What is predicted: the STS score, and its gain over the same model's random start."""

PREDICTORS = (*OVERLAPS, *DISTANCES)
"""What predicts it."""

FEWEST = 5
"""Languages that a cluster needs for its correlations to be reported."""

COLUMNS = (
    *SETTING, "response", "predictor", "cluster", "split", "threshold", "n",
    "rho_x100", "low", "high", "p", "p_corrected",
    "partial_rho_x100", "partial_low", "partial_high", "published_x100", "published_place",
)  # fmt: skip
"""The columns of Table 5: intervals are 95%, p-values two-sided."""

PUBLISHED = {
    (False, "low", "syntactic"): "wieting2019.language.syntactic_low",
    (False, "high", "syntactic"): "wieting2019.language.syntactic_high",
    (True, "all", "overlap_types"): "wieting2019.marker.overlap",
    (True, "all", "featural"): "wieting2019.marker.distance",
    (True, "all", "syntactic"): "wieting2019.marker.syntactic",
}
"""The figures that the paper's text prints: (marked, cluster, predictor) to their entry."""


@dataclass(frozen=True)
class Settings:
    """How Table 5 is computed: the paper's threshold of overlap (0.3), and the random draws."""

    threshold: float
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
    costs = [
        sum(float(np.sum((part - part.mean()) ** 2)) for part in _divide(overlap, middle))
        for middle in middles
    ]
    return float(middles[int(np.argmin(costs))])


def clusters(overlap: NDArray[np.float64], threshold: float) -> list[Cluster]:
    """All languages, then low (under the threshold) and high overlap, by two thresholds."""
    found = [Cluster("all", "", np.nan, np.ones(len(overlap), dtype=bool))]
    thresholds = {"paper": threshold}
    if not is_constant(overlap):
        thresholds["data"] = natural_threshold(overlap)
    for split, value in thresholds.items():
        found.append(Cluster("low", split, value, overlap < value))
        found.append(Cluster("high", split, value, overlap >= value))
    return found


def table5(points: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Correlate every predictor with every response in every cluster of every setting.

    A p-value is corrected for the number of predictors in its cluster (max-T permutation). The
    partial correlation holds the overlap by types fixed. Where a correlation is undefined (fewer
    than FEWEST languages, or a constant side) its columns are NaN; n tells why.

    Args:
        points: as `language_points` returns them.
        settings: threshold and random draws.

    Returns:
        COLUMNS, one row for each setting, response, cluster and predictor.
    """
    rows = []
    for (panel, marked), group in points.groupby(SETTING, sort=False):
        for cluster in clusters(group["overlap_types"].to_numpy(), settings.threshold):
            members = group[cluster.members]
            for response in RESPONSES:
                for row in _correlations(members, response, settings):
                    row |= {"panel": panel, "marked": bool(marked), "response": response}
                    row |= {"cluster": cluster.name, "split": cluster.split}
                    row |= {"threshold": cluster.threshold, "n": len(members)}
                    rows.append(row | _quote(row))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read_table5(path: str | Path) -> pd.DataFrame:
    """Read Table 5 from CSV."""
    return pd.read_csv(path).fillna({"split": ""})


def _correlations(
    members: pd.DataFrame, response: str, settings: Settings
) -> Iterator[dict[str, object]]:
    """Yield, for each predictor, its correlation with the response over these languages."""
    outcome = members[response].to_numpy()
    usable = []
    if len(members) >= FEWEST and not is_constant(outcome):
        usable = [name for name in PREDICTORS if not is_constant(members[name].to_numpy())]
    p_values: dict[str, tuple[float, float]] = {}
    if usable:
        features = members[usable].to_numpy().T
        test = permutation_test(features, outcome, settings.permutations, settings.seed)
        pairs = zip(test.p.tolist(), test.p_corrected.tolist(), strict=True)
        p_values = dict(zip(usable, pairs, strict=True))
    for name in PREDICTORS:
        row: dict[str, object] = {"predictor": name}
        if name in p_values:
            row |= _one(members[name].to_numpy(), outcome, settings)
            row |= dict(zip(("p", "p_corrected"), p_values[name], strict=True))
            if name != "overlap_types" and "overlap_types" in usable:
                control = members["overlap_types"].to_numpy()
                row |= _partial(members[name].to_numpy(), outcome, control, settings)
        yield row


def _one(x: NDArray[np.float64], y: NDArray[np.float64], settings: Settings) -> dict[str, float]:
    """Spearman's rho x 100 with its interval."""
    interval = bootstrap(spearman_rows, [x, y], settings.resamples, settings.seed)
    return {
        "rho_x100": 100 * spearman(x, y),
        "low": 100 * interval.low,
        "high": 100 * interval.high,
    }


def _partial(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    control: NDArray[np.float64],
    settings: Settings,
) -> dict[str, float]:
    """Partial rho x 100 with its interval; nothing where the control orders as x or y does."""
    try:
        rho = partial_spearman(x, y, control)
    except Undefined:
        return {}
    samples = [x, y, control]
    interval = bootstrap(partial_spearman_rows, samples, settings.resamples, settings.seed)
    return {
        "partial_rho_x100": 100 * rho,
        "partial_low": 100 * interval.low,
        "partial_high": 100 * interval.high,
    }


def _quote(row: Mapping[str, object]) -> dict[str, object]:
    """Return the paper's figure that stands beside a row: of scores, and by its own threshold."""
    entry = PUBLISHED.get((row["marked"], row["cluster"], row["predictor"]))
    if entry is None or row["response"] != "score" or row["split"] == "data":
        return {}
    quoted = published()[entry]
    place = f"{quoted.paper}, {quoted.place}"
    return {"published_x100": quoted.values["rho"], "published_place": place}


def _divide(
    values: NDArray[np.float64], threshold: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values under a threshold, and the others."""
    return values[values < threshold], values[values >= threshold]
