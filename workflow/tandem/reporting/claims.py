"""Claims: each finding of a paper as a test on our own scores, with its verdict.

A study states them in its `claims.yaml`: for each table, what a paper says and where, the test and
its sides, and the margin (tandem.reporting.claim_entries). Each test has a two-sided p-value of
"the statistic is the margin". Holm's correction over all tested claims of a table, or of a family
that it names among these, keeps the chance that any of its verdicts "supported" and "contradicted"
is wrong at 5%; claims of different tables and families are not corrected for each other. The
interval beside a statistic is the 95% interval of that one test, uncorrected.

A claim is supported if its corrected p is below 0.05 and the statistic above the margin,
contradicted if it is below, and else undecided. "At least as good" is non-inferiority: its margin
is below zero. "As good" is equivalence: the statistic is no further from zero than the margin. A
claim about an experiment that is trained for fewer epochs than the paper's, or that the table's
report bars, is not comparable. An exact quantity, which no test could contradict by chance, and
what a claim says could hardly fail, is a description. Neither is tested or counted in the
correction.

Claims that share an id are parts of one finding, and its entry may say what holds if all of them
do. tandem.reporting.replications counts the corpora that a finding replicates in.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.errors import InputError, TandemError
from tandem.registry import ConfigurationError
from tandem.reporting.claim_entries import ClaimEntry, Quoted, claims_of
from tandem.reporting.claim_test import CLAIM_TESTS, Evidence, Measured
from tandem.reporting.published import Published
from tandem.reporting.writer import write_frame
from tandem.statistics.inference import holm

if TYPE_CHECKING:
    from tandem.reporting.outline import Outline
    from tandem.reporting.table import Material, Report

ALPHA = 0.05
"""Chance that a table has a false verdict."""
JOINT = ".all"
"""What the name of a claim that joins others ends in."""

logger = logging.getLogger(__name__)


class Verdict(StrEnum):
    """What our scores say of a paper's finding."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not comparable"
    DESCRIPTION = "description"


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
    margin: float | None
    p: float | None
    p_holm: float | None
    unit: str
    published: float | None
    verdict: Verdict
    n: int | None
    seeds: str
    scale: str


def judge(material: Material, report: Report) -> list[Claim]:
    """Test the findings on one table, as the study's `claims.yaml` states them.

    A claim whose sides have no scores is left out, and the log names it. `table` names the table's
    own frame among those of its report.

    Raises:
        InputError: claims.yaml names what is not there, or one test twice.
    """
    if (path := material.paper("claims.yaml")) is None:
        return []
    evidence = Evidence(material.scores, {"table": report.frame, **report.frames}, material.plan)
    lacking = set[str]()
    try:
        tested = list(_measured(path, material.name, evidence, report, lacking))
    except ConfigurationError as error:
        raise InputError(path, None, str(error), "Mend the claim") from error
    groups: dict[str, list[Claim]] = {}
    joint: dict[str, str] = {}
    for (entry, measured, reason), p in zip(tested, _corrected(tested), strict=True):
        name = f"{entry.paper}.{entry.id}"
        groups.setdefault(name, []).append(_claim(entry, measured, reason, p, material))
        if entry.all:
            joint.setdefault(name, entry.all)
    claims = []
    for name, parts in groups.items():
        claims += parts
        if name in joint and len(parts) > 1:
            claims.append(_joint(name, joint[name], parts, name in lacking))
    return claims


def _measured(
    path: Path, table: str, evidence: Evidence, report: Report, lacking: set[str]
) -> Iterator[tuple[ClaimEntry, Measured, str]]:
    """Yield the claims that have scores, with why one is not comparable ("": it is).

    `lacking` takes the findings of those that have none.
    """
    seen: dict[str, str] = {}
    for entry in claims_of(path, table, evidence):
        test = repr(CLAIM_TESTS.dump(entry.test))
        if test in seen:
            raise ConfigurationError(f"{seen[test]} and {entry.name} are the same test; keep one")
        seen[test] = entry.name
        try:
            measured = entry.test.measure(evidence, entry.margin)
        except ConfigurationError as error:
            raise ConfigurationError(f"claim {entry.name}: {error}") from error
        if measured is None:
            logger.info("claim %s is left out: a side of it has no scores", entry.name)
            lacking.add(f"{entry.paper}.{entry.id}")
        else:
            yield entry, measured, _incomparable(entry.test.experiments(), report, evidence.plan)


def _corrected(tested: Sequence[tuple[ClaimEntry, Measured, str]]) -> list[float | None]:
    """Correct the p-values of each family; None for what is not tested."""
    corrected: list[float | None] = [None] * len(tested)
    families: dict[str, list[int]] = {}
    p = {}
    for number, (entry, measured, reason) in enumerate(tested):
        if measured.p is not None and not reason and not entry.description:
            families.setdefault(entry.family, []).append(number)
            p[number] = measured.p
    for numbers in families.values():
        for number, value in zip(numbers, holm([p[n] for n in numbers]), strict=True):
            corrected[number] = value
    return corrected


def _incomparable(experiments: Sequence[str], report: Report, plan: Outline) -> str:
    """Say which experiments have fewer epochs than the paper's, or are barred by a report."""
    fewer = [f"{n} ({plan.epochs(n)})" for n in experiments if plan.fewer_epochs(n)]
    reasons = []
    if fewer:
        reasons.append(f"fewer epochs than the paper's {plan.study.epochs}: {', '.join(fewer)}")
    reasons += [f"{name}: {report.barred[name]}" for name in experiments if name in report.barred]
    if experiments and all(name in report.doubtful for name in experiments):
        reasons += [f"{name}: {report.doubtful[name]}" for name in experiments]
    return "; ".join(reasons)


def single_verdict(measured: Measured, holds: bool, p_holm: float | None) -> Verdict:
    """Judge by the corrected p-value (None: untested) whether what seems so is, or is not."""
    if measured.p is None and measured.low is None:
        return Verdict.DESCRIPTION
    if p_holm is None or p_holm >= ALPHA:
        return Verdict.UNDECIDED
    return Verdict.SUPPORTED if holds else Verdict.CONTRADICTED


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge a finding that is claimed to hold everywhere: one contradiction refutes it.

    The parts' p-values are corrected, so both verdicts hold at 5% in a table.
    """
    distinct = set(verdicts)
    for decisive in (Verdict.CONTRADICTED, Verdict.NOT_COMPARABLE):
        if decisive in distinct:
            return decisive
    return distinct.pop() if len(distinct) == 1 else Verdict.UNDECIDED


def write_claims(path: str | Path, claims: Iterable[Claim]) -> None:
    """Write the claims of one table as CSV, in the order given; without any, only the header."""
    import pandas as pd

    names = [field.name for field in fields(Claim)]
    rows = pd.DataFrame([asdict(claim) for claim in claims], columns=names)
    write_frame(path, rows.astype({"n": "Int64"}))


def _quote(quoted: Quoted, register: Mapping[str, Published]) -> float | None:
    """Look a published figure up; None where a row does not hold it."""
    total = 0.0
    subtracted = quoted.minus_value or quoted.value
    for name, value_of, sign in ((quoted.of, quoted.value, 1), (quoted.minus, subtracted, -1)):
        if name is not None and name not in register:
            raise TandemError(f"a claim quotes {name}, which published.yaml does not hold. Add it")
        if name is not None:
            if (value := register[name].values.get(value_of)) is None:
                return None
            total += sign * value
    return round(total, 2)


def _claim(
    entry: ClaimEntry, measured: Measured, reason: str, p_holm: float | None, material: Material
) -> Claim:
    holds = entry.test.holds(measured.statistic, entry.margin)
    verdict = single_verdict(measured, holds, p_holm)
    if entry.description:
        verdict = Verdict.DESCRIPTION
    return Claim(
        claim=entry.name,
        **entry.model_dump(include={"statement", "paper", "place"}),
        test="; ".join(filter(None, (measured.test, reason))),
        statistic=measured.statistic,
        ci_low=measured.low,
        ci_high=measured.high,
        margin=None if verdict == Verdict.DESCRIPTION else entry.margin,
        p=None if p_holm is None else measured.p,
        p_holm=p_holm,
        unit=measured.unit,
        published=_quote(entry.published, material.published) if entry.published else None,
        verdict=Verdict.NOT_COMPARABLE if reason else verdict,
        n=measured.n,
        seeds=measured.seeds,
        scale=material.scale,
    )


def _joint(name: str, statement: str, parts: Sequence[Claim], lacking: bool) -> Claim:
    """Claim that all parts hold; the statistic is the smallest of theirs, in its own unit.

    Where parts are `lacking` that have no scores, it is not supported: that it holds there, too,
    nobody has seen.
    """
    smallest = min(parts, key=lambda part: part.statistic)
    verdict = joint_verdict(part.verdict for part in parts)
    if lacking and verdict == Verdict.SUPPORTED:
        verdict = Verdict.UNDECIDED
    return replace(
        parts[0],
        claim=name + JOINT,
        statement=statement,
        test=f"all of {', '.join(part.claim for part in parts)}; the smallest"
        + ("; other parts have no scores" if lacking else ""),
        statistic=smallest.statistic,
        unit=smallest.unit,
        margin=smallest.margin,
        seeds="",
        verdict=verdict,
        ci_low=None,
        ci_high=None,
        p=None,
        p_holm=None,
        published=None,
        n=None,
    )
