"""A study's claims file: findings as data, and what text in braces stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from tandem.registry import ConfigurationError, Named, Settings
from tandem.reporting.claim_tests.claim_test import CLAIM_TESTS, ClaimTest, Evidence
from tandem.reporting.published import read_entries


class Lines(Settings):
    """The lines of a table's frame, each with its columns as values."""

    frame: str
    """A frame of the table's report."""
    where: dict[str, list[str]] = {}
    """Keep lines whose columns hold one of these values."""
    without: dict[str, list[str]] = {}
    """Leave these out."""


class Quoted(Settings):
    """A figure that a paper prints, or the difference of two."""

    of: str | None = None
    """Id of a published row; none to turn the sign of the other."""
    minus: str | None = None
    """Id of the row to subtract."""
    value: str
    """Which of the row's figures."""


class ClaimEntry(Settings):
    """One finding in a claims file; a claim for each of `each`."""

    id: str
    """What comes after the paper in the claim's id: `<table>.<finding>`."""
    part: str = ""
    """Comes after that: tells the claims of one finding apart."""
    paper: str
    """The paper that says so."""
    place: str
    """Where it does."""
    statement: str
    """What it says, put so that the statistic should be above the margin."""
    all: str = ""
    """What holds if all parts do; empty: no such claim."""
    each: Lines | list[dict[str, str]] = [{}]
    """Values for the text in braces: the lines of a frame, or a list."""
    test: Annotated[ClaimTest, Named(CLAIM_TESTS)]
    """What is measured."""
    margin: float = 0.0
    """What the statistic is said to be above, stated before looking."""
    published: Quoted | None = None
    """The same statistic as the paper prints it."""


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


def _kept(lines: Lines, evidence: Evidence) -> Sequence[Mapping[Any, Any]]:
    """Return the lines of a frame that are wanted."""
    found = evidence.frame(lines.frame)
    for conditions, keep in ((lines.where, True), (lines.without, False)):
        for column, values in conditions.items():
            found = found[found[column].astype(str).isin(values) == keep]
    return found.to_dict("records")


def _filled(value: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401  (plain values)
    """Put values into every text of a plain structure."""
    if isinstance(value, str):
        return value.format_map(values)
    if isinstance(value, dict):
        return {key: _filled(inner, values) for key, inner in value.items()}
    return [_filled(inner, values) for inner in value] if isinstance(value, list) else value
