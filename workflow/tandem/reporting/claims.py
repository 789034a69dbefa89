"""Claims: each finding of a paper as a test on our own scores, with its verdict.

A claim is put as a difference that the paper says is above zero. The verdict follows from its 95%
interval: entirely above zero, supported; entirely below, contradicted; otherwise undecided. The
same rule serves "at least as good": an interval that holds zero shows neither. Exact quantities
(a count of parameters) have no interval, and their sign decides. Each table's module makes its own
claims; `merge` joins the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path

import pandas as pd

from tandem.errors import TandemError
from tandem.reporting.results import Result, write_frame
from tandem.statistics.correlation import FloatArray, percentile_interval


class Verdict(StrEnum):
    """What our scores say of a paper's finding."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Finding:
    """What a paper says, and where."""

    statement: str
    paper: str
    place: str


@dataclass(frozen=True)
class Claim:
    """One row of claims.csv; `n` counts sentence pairs (or items), None is an empty cell."""

    claim: str
    statement: str
    paper: str
    place: str
    test: str
    statistic: float
    ci_low: float | None
    ci_high: float | None
    unit: str
    published: float | None
    verdict: Verdict
    n: int | None
    seeds: str
    scale: str


def interval_verdict(low: float, high: float) -> Verdict:
    """Judge a difference said to be above zero by its interval."""
    if low > 0:
        return Verdict.SUPPORTED
    return Verdict.CONTRADICTED if high < 0 else Verdict.UNDECIDED


def exact_verdict(difference: float) -> Verdict:
    """Judge an exact difference said to be above zero: equality contradicts."""
    return Verdict.SUPPORTED if difference > 0 else Verdict.CONTRADICTED


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge a finding said to hold everywhere: one contradiction suffices against it.

    Support needs every part at 95%, which makes a valid test of the whole without correction
    (intersection-union); a contradiction is not corrected for the number of parts.
    """
    verdicts = set(verdicts)
    if Verdict.CONTRADICTED in verdicts:
        return Verdict.CONTRADICTED
    return Verdict.SUPPORTED if verdicts == {Verdict.SUPPORTED} else Verdict.UNDECIDED


def difference_claim(
    claim: str,
    finding: Finding,
    better: Result,
    worse: Result,
    draws: dict[str, FloatArray],
    scale: str,
) -> Claim:
    """Claim that one experiment correlates better than another: difference of their means of years.

    Args:
        claim: its id, `<table>.<finding>.<part>`.
        finding: what the paper says.
        better: the experiment said to correlate better.
        worse: the other one.
        draws: paired bootstrap draws of both, r x 100, from `results.draw_means`.
        scale: name of the scale that the scores come from.
    """
    one, other = better.experiment.name, worse.experiment.name
    interval = percentile_interval(better.mean - worse.mean, draws[one] - draws[other])
    pairs = better.seeds[0].pairs
    return Claim(
        claim=claim,
        statement=finding.statement,
        paper=finding.paper,
        place=finding.place,
        test=f"mean STS of {one} minus {other}; paired bootstrap over sentence pairs and seeds",
        statistic=interval.estimate,
        ci_low=interval.low,
        ci_high=interval.high,
        unit="pearson_x100",
        published=None,
        verdict=interval_verdict(interval.low, interval.high),
        n=sum(map(len, pairs.gold)),
        seeds=f"{len(better.seeds)} and {len(worse.seeds)}",
        scale=scale,
    )


def joint_claim(claim: str, finding: Finding, parts: Sequence[Claim]) -> Claim:
    """Claim that all parts hold; the statistic is the smallest of theirs."""
    return Claim(
        claim=claim,
        statement=finding.statement,
        paper=finding.paper,
        place=finding.place,
        test=f"all of {', '.join(part.claim for part in parts)}; the smallest difference",
        statistic=min(part.statistic for part in parts),
        ci_low=None,
        ci_high=None,
        unit=parts[0].unit,
        published=None,
        verdict=joint_verdict(part.verdict for part in parts),
        n=parts[0].n,
        seeds=parts[0].seeds,
        scale=parts[0].scale,
    )


def frame(claims: Iterable[Claim]) -> pd.DataFrame:
    """Claims as a table, in the order given; no row is also a table, with its header."""
    names = [field.name for field in fields(Claim)]
    rows = pd.DataFrame([asdict(claim) for claim in claims], columns=names)
    return rows.astype({"n": "Int64"})


def merge(files: Iterable[str | Path]) -> pd.DataFrame:
    """Join the claim files of several tables, in the order given.

    Raises:
        TandemError: when two rows have one id.
    """
    # As text: joining must not change a digit
    tables = [pd.read_csv(file, dtype=str, keep_default_na=False) for file in files]
    joined = pd.concat(tables, ignore_index=True)
    if len(repeated := joined["claim"][joined["claim"].duplicated()]):
        raise TandemError(f"two claims named {repeated.iloc[0]}: rename one in its table's module")
    return joined


def write_claims(path: str | Path, claims: Iterable[Claim]) -> None:
    """Write the claims of one table as CSV."""
    write_frame(path, frame(claims))
