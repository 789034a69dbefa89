"""The findings of wieting2019 on the choice of language, as claims on our scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tandem.languages.distance import BLOCKS
from tandem.reporting.claims import Claim, Finding, interval_verdict, joint_claim
from tandem.reporting.published import published
from tandem.reporting.table5 import FEWEST, RESPONSES, Settings
from tandem.statistics.correlation import (
    FloatArray,
    Statistic,
    UndefinedCorrelationError,
    bootstrap,
    is_constant,
    spearman_rows,
)

PAPER = "wieting2019"
SECTION = 'section "Does Language Choice Matter?"'
STS = {"score": "STS score", "gain": "gain over the random start"}


@dataclass(frozen=True)
class Panel:
    """One panel's points by one response, as trained plainly and with the marker.

    Both frames hold the same languages in the same order; `marked` may be empty.
    """

    name: str
    response: str
    plain: pd.DataFrame
    marked: pd.DataFrame
    settings: Settings
    scale: str

    def claim(
        self,
        part: str,
        statement: str,
        test: str,
        points: pd.DataFrame,
        statistic: Statistic,
        columns: Sequence[str],
        quoted: float | None = None,
    ) -> list[Claim]:
        """Claim that a statistic of columns of the points is above zero.

        Returns one claim, or none where the points do not define the statistic.
        """
        if len(points) < FEWEST:
            return []
        samples = [points[column].to_numpy() for column in columns]
        try:
            interval = bootstrap(statistic, samples, self.settings.resamples, self.settings.seed)
        except UndefinedCorrelationError:
            return []
        slug = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
        counts = sorted({int(count) for count in points["seeds"]})
        return [
            Claim(
                claim=f"table5.{part}.{slug}.{self.response}",
                statement=f"{statement} ({self.name}, {STS[self.response]})",
                paper=PAPER,
                place=SECTION,
                test=f"{test}; bootstrap over languages",
                statistic=100 * interval.estimate,
                ci_low=100 * interval.low,
                ci_high=100 * interval.high,
                unit="spearman_x100",
                # the paper's figures are of scores; beside a gain they would mislead
                published=quoted if self.response == "score" else None,
                verdict=interval_verdict(interval.low, interval.high),
                n=len(points),
                seeds=" or ".join(map(str, counts)),
                scale=self.scale,
            )
        ]

    def clusters(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield the two clusters by the paper's threshold of overlap."""
        low = self.plain["overlap_types"] < self.settings.threshold
        yield "low", self.plain[low]
        yield "high", self.plain[~low]


def table5_claims(points: pd.DataFrame, settings: Settings, scale: str) -> list[Claim]:
    """Test the section's findings in every panel, on scores and on gains.

    A claim whose correlation is undefined (a cluster with under FEWEST languages, a constant side)
    is left out.

    Args:
        points: as `language_points` returns them.
        settings: of Table 5.
        scale: name of the scale.
    """
    claims: list[Claim] = []
    for name, group in points.groupby("panel", sort=False):
        plain = group[~group["marked"]]
        marked = group[group["marked"]]
        for response in RESPONSES:
            panel = Panel(str(name), response, plain, marked, settings, scale)
            claims += _overlap(panel) + _distance(panel) + _syntax(panel) + _nearness(panel)
            claims += _marker(panel)
    return claims


def _overlap(panel: Panel) -> list[Claim]:
    """SP overlap is correlated with the score over all languages."""
    return panel.claim(
        "overlap",
        "SP overlap with English is positively correlated with STS",
        "Spearman's rho of overlap (types)",
        panel.plain,
        spearman_rows,
        ["overlap_types", panel.response],
    )


def _distance(panel: Panel) -> list[Claim]:
    """In each cluster the score falls with distance."""
    return _in_both_clusters(
        panel,
        "distance",
        "language distance is negatively correlated with STS",
        "minus Spearman's rho of featural distance",
        _fall,
        ["featural", panel.response],
    )


def _syntax(panel: Panel) -> list[Claim]:
    """In each cluster, of URIEL's features syntactic distance is the one most correlated."""
    return _in_both_clusters(
        panel,
        "syntactic",
        "syntactic distance is the URIEL feature most (negatively) correlated with STS",
        "lowest Spearman's rho of the other URIEL features minus that of syntactic distance",
        _lead,
        [panel.response, "syntactic", *(block for block in BLOCKS if block != "syntactic")],
    )


def _nearness(panel: Panel) -> list[Claim]:
    """In each cluster, distance predicts more than overlap does."""
    return _in_both_clusters(
        panel,
        "distance-over-overlap",
        "language distance predicts STS better than SP overlap does",
        "minus rho of featural distance, minus rho of overlap (types)",
        lambda distance, overlap, y: -spearman_rows(distance, y) - spearman_rows(overlap, y),
        ["featural", "overlap_types", panel.response],
    )


def _marker(panel: Panel) -> list[Claim]:
    """Without shared parameters: overlap and distance still correlate, distance less so."""
    if panel.marked.empty:
        return []
    response, marked = panel.response, panel.marked
    both = panel.plain.merge(marked[["language", response]], on="language", suffixes=("", "_m"))
    said = "With every non-English token marked, "
    return [
        *panel.claim(
            "marker.overlap",
            f"{said}SP overlap is still positively correlated with STS",
            "Spearman's rho of overlap (types)",
            marked,
            spearman_rows,
            ["overlap_types", response],
            published()["wieting2019.marker.overlap"].values["rho"],
        ),
        *panel.claim(
            "marker.distance",
            f"{said}language distance is still negatively correlated with STS",
            "minus Spearman's rho of featural distance",
            marked,
            _fall,
            ["featural", response],
            -published()["wieting2019.marker.distance"].values["rho"],
        ),
        *panel.claim(
            "marker.distance-less",
            f"{said}language distance is less (negatively) correlated with STS than without",
            "rho of featural distance with the marker minus that without, same languages",
            both,
            lambda distance, plain, other: (
                spearman_rows(distance, other) - spearman_rows(distance, plain)
            ),
            ["featural", response, f"{response}_m"],
        ),
        *panel.claim(
            "marker.syntactic",
            f"{said}syntactic distance is the URIEL feature most (negatively) correlated with STS",
            "lowest Spearman's rho of the other URIEL features minus that of syntactic distance",
            marked,
            _lead,
            [response, "syntactic", *(block for block in BLOCKS if block != "syntactic")],
        ),
    ]


def _in_both_clusters(
    panel: Panel, part: str, said: str, test: str, statistic: Statistic, columns: Sequence[str]
) -> list[Claim]:
    """Claim the same of the low and the high cluster, and that both hold."""
    claims = []
    for cluster, members in panel.clusters():
        # a feature that is constant in the cluster (one family, say) correlates with nothing
        varied = [c for c in columns if len(members) and not is_constant(members[c].to_numpy())]
        needed = set(columns[:2]) | {panel.response}
        if needed <= set(varied):
            statement = f"In the {cluster}-overlap cluster {said}"
            claims += panel.claim(f"{part}.{cluster}", statement, test, members, statistic, varied)
    if len(claims) < 2:
        return claims
    statement = f"In both clusters {said} ({panel.name}, {STS[panel.response]})"
    finding = Finding(statement, PAPER, SECTION)
    name = claims[0].claim.replace(f"{part}.low", f"{part}.both", 1)
    return [*claims, joint_claim(name, finding, claims)]


def _fall(distance: FloatArray, outcome: FloatArray) -> FloatArray:
    """Minus Spearman's rho, shapes (..., n) to (...)."""
    return -spearman_rows(distance, outcome)


def _lead(outcome: FloatArray, first: FloatArray, *others: FloatArray) -> FloatArray:
    """How much lower rho of the first is than the lowest of the others: (..., n) to (...)."""
    lowest = np.fmin.reduce([spearman_rows(other, outcome) for other in others])
    return lowest - spearman_rows(first, outcome)
