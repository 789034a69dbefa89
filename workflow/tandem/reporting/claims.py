"""Claims: each finding of a paper as a test on our own scores, with its verdict.

A study states them in its `claims.yaml`: for each table, what a paper says and where, the test and
its sides, and the margin. The verdict follows from the statistic's 95% interval: entirely above the
margin, supported; entirely below, contradicted; otherwise undecided. With a margin of 0 the same
rule also tests "at least as good": an interval that contains zero decides neither. Exact
quantities (a count of parameters) have no interval, and equality contradicts.

Text in braces is a placeholder for a value of `each`; every entry of `each` makes a claim. Claims
that share an id are parts of one finding, and its entry may say what holds if all of them do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tandem.errors import TandemError
from tandem.registry import ConfigurationError, Named, Settings
from tandem.reporting.claim_tests.claim_test import CLAIM_TESTS, ClaimTest, Evidence, Measured
from tandem.reporting.published import Published, read_entries
from tandem.reporting.writer import write_frame

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.table import Given, Report


class Lines(Settings):
    """Rows of a data frame of a table's report; the columns are the values of placeholders."""

    frame: str
    """Name of the data frame."""
    where: dict[str, list[str]] = {}
    """Keep rows whose columns have one of these values."""
    without: dict[str, list[str]] = {}
    """Leave these rows out, likewise."""


class Quoted(Settings):
    """A figure that a paper prints, or the difference of two."""

    of: str | None = None
    """Id of a published row; null: the figure is minus the other row's."""
    minus: str | None = None
    """Id of the row to subtract."""
    value: str
    """Which figure of the row."""


class ClaimEntry(Settings):
    """One finding in a claims file; it makes a claim for each entry of `each`."""

    id: str
    """What comes after the paper in the claim's id: `<table>.<finding>`."""
    part: str = ""
    """Comes after that, to distinguish the claims of one finding."""
    paper: str
    """The paper that states the finding."""
    place: str
    """Where the paper states it."""
    statement: str
    """What it says, worded so that the statistic should be above the margin."""
    all: str = ""
    """The claim that all parts hold together; empty: no such claim."""
    each: Lines | list[dict[str, str]] = [{}]
    """Values of the placeholders: the rows of a data frame, or a list."""
    test: Annotated[ClaimTest, Named(CLAIM_TESTS)]
    """What is measured."""
    margin: float = 0.0
    """What the statistic is claimed to be above; set before the scores are seen."""
    published: Quoted | None = None
    """The same statistic as printed in the paper."""


class Verdict(StrEnum):
    """What our scores say of a paper's finding."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


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


def judge(given: Given, report: Report) -> list[Claim]:
    """Test the findings on one table, as the study's `claims.yaml` states them.

    A claim whose sides have no scores is left out. `table` names the table's own frame among those
    of its report. What the file names must be there.
    """
    evidence = Evidence(given.scores, {"table": report.frame, **report.frames})
    path = given.paper("claims.yaml")
    entries = read_claims(path).get(given.name, []) if path else []
    groups: dict[str, list[Claim]] = {}
    joint: dict[str, str] = {}
    for made in chain.from_iterable(every(entry, evidence) for entry in entries):
        measured = made.test.measure(evidence)
        if measured is None:
            continue
        name = f"{made.paper}.{made.id}"
        groups.setdefault(name, []).append(_claim(name, made, measured, given))
        if made.all:
            joint.setdefault(name, made.all)
    claims = []
    for name, parts in groups.items():
        claims += parts
        if name in joint and len(parts) > 1:
            claims.append(_joint(name, joint[name], parts))
    return claims


def read_claims(path: str | Path) -> dict[str, list[ClaimEntry]]:
    """Read the findings of a study by table."""
    return read_entries(path, dict[str, list[ClaimEntry]])


def every(entry: ClaimEntry, evidence: Evidence) -> Iterator[ClaimEntry]:
    """Yield the entry with the values of each of `each` in place of the braces."""
    plain = entry.model_dump(exclude={"each"})
    each = _kept(entry.each, evidence) if isinstance(entry.each, Lines) else entry.each
    for values in each:
        try:
            yield ClaimEntry.model_validate(_filled(plain, values))
        except KeyError as error:
            problem = f"no {error} to put in braces; there are {', '.join(values)}"
            raise ConfigurationError(f"claim {entry.id}: {problem}") from error


def single_verdict(measured: Measured, margin: float) -> Verdict:
    """Judge a statistic said to be above a margin, by its interval if it has one."""
    if measured.low is None or measured.high is None:
        return Verdict.SUPPORTED if measured.statistic > margin else Verdict.CONTRADICTED
    if measured.low > margin:
        return Verdict.SUPPORTED
    return Verdict.CONTRADICTED if measured.high < margin else Verdict.UNDECIDED


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge a finding that is claimed to hold everywhere: one contradiction refutes it.

    Support needs every part at 95%, which makes a valid test of the whole without correction
    (intersection-union); a contradiction is not corrected for the number of parts.
    """
    verdicts = set(verdicts)
    if Verdict.CONTRADICTED in verdicts:
        return Verdict.CONTRADICTED
    return Verdict.SUPPORTED if verdicts == {Verdict.SUPPORTED} else Verdict.UNDECIDED


def write_claims(path: str | Path, claims: Iterable[Claim]) -> None:
    """Write the claims of one table as CSV, in the order given; of none, the header."""
    import pandas as pd

    names = [field.name for field in fields(Claim)]
    rows = pd.DataFrame([asdict(claim) for claim in claims], columns=names)
    write_frame(path, rows.astype({"n": "Int64"}))


def merge(files: Iterable[str | Path]) -> pd.DataFrame:
    """Join the claim files of several tables, in the order given; ids must differ."""
    import pandas as pd

    # As text: joining must not change a digit
    tables = [pd.read_csv(file, dtype=str, keep_default_na=False) for file in files]
    joined = pd.concat(tables, ignore_index=True)
    if len(repeated := joined["claim"][joined["claim"].duplicated()]):
        raise TandemError(f"two claims named {repeated.iloc[0]}: rename one in its claims.yaml")
    return joined


def _kept(lines: Lines, evidence: Evidence) -> Sequence[Mapping[Any, Any]]:
    found = evidence.frame(lines.frame)
    for conditions, keep in ((lines.where, True), (lines.without, False)):
        for column, values in conditions.items():
            found = found[found[column].astype(str).isin(values) == keep]
    return found.to_dict("records")


def _filled(value: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401  (plain values)
    if isinstance(value, str):
        return value.format_map(values)
    if isinstance(value, dict):
        return {key: _filled(inner, values) for key, inner in value.items()}
    return [_filled(inner, values) for inner in value] if isinstance(value, list) else value


def _quote(quoted: Quoted, register: Mapping[str, Published]) -> float | None:
    """Look a published figure up; None where a row does not hold it."""
    total = 0.0
    for name, sign in ((quoted.of, 1), (quoted.minus, -1)):
        if name is None:
            continue
        if name not in register:
            raise TandemError(f"a claim quotes {name}, which published.yaml does not hold. Add it")
        if quoted.value not in register[name].values:
            return None
        total += sign * register[name].values[quoted.value]
    return round(total, 2)


def _claim(name: str, made: ClaimEntry, measured: Measured, given: Given) -> Claim:
    return Claim(
        claim=f"{name}.{made.part}" if made.part else name,
        statement=made.statement,
        paper=made.paper,
        place=made.place,
        test=measured.test + (f"; said to be above {made.margin:g}" if made.margin else ""),
        statistic=measured.statistic,
        ci_low=measured.low,
        ci_high=measured.high,
        unit=measured.unit,
        published=_quote(made.published, given.published) if made.published else None,
        verdict=single_verdict(measured, made.margin),
        n=measured.n,
        seeds=measured.seeds,
        scale=given.scale,
    )


def _joint(name: str, statement: str, parts: Sequence[Claim]) -> Claim:
    """Claim that all parts hold; the statistic is the smallest of theirs."""
    return replace(
        parts[0],
        claim=f"{name}.all",
        statement=statement,
        test=f"all of {', '.join(part.claim for part in parts)}; the smallest",
        statistic=min(part.statistic for part in parts),
        ci_low=None,
        ci_high=None,
        published=None,
        n=None,
        seeds="",
        verdict=joint_verdict(part.verdict for part in parts),
    )
