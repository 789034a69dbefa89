"""The entries of a study's claims.yaml, and the claims that each makes.

Text in braces is a placeholder for a value of `each`; every entry of `each` makes a claim.
`{corpus}` is a value of every claim. A table that replicates `table1` on another corpus is called
`table1-<corpus>`: unless the file has a list of that name, the claims of `table1` are tested on it
too. There `{corpus}` is "-<corpus>"; in `table1` itself it is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from tandem.registry import ConfigurationError, Named, Settings
from tandem.reporting.claim_test import CLAIM_TESTS, ClaimTest, Evidence
from tandem.reporting.published import read_entries
from tandem.templates import filled


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
    minus_value: str | None = None
    """Which figure of the row to subtract; null: the same."""


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
    """What the statistic is claimed to be above, set before the scores are seen; below 0 for "at
    least as good": how much worse still counts as equal (non-inferiority). Of an equivalence, how
    far from 0 still counts as equal, either way."""
    family: str = ""
    """Claims of a table with the same family are corrected together; so those on data that not
    every machine has leave the verdicts of the others as they are."""
    description: bool = False
    """It could hardly fail, so it is not tested: its statistic is a description."""
    published: Quoted | None = None
    """The same statistic as printed in the paper."""
    revised: str = ""
    """Where its margin, test or sides were changed after results of it had been kept: when, why,
    and the verdicts before and after. docs/results/registered.json has what they were."""

    @property
    def name(self) -> str:
        """The id of its claim, which the joint claim of all parts shares up to the part."""
        return ".".join(filter(None, (self.paper, self.id, self.part)))


def read_claims(path: str | Path) -> dict[str, list[ClaimEntry]]:
    """Read the findings of a study by table."""
    return read_entries(path, dict[str, list[ClaimEntry]])


def claims_of(path: str | Path, table: str, evidence: Evidence) -> Iterator[ClaimEntry]:
    """Yield the claims about one table, every placeholder filled.

    Raises:
        ConfigurationError: naming the claim, and what the table's report does not have.
    """
    entries = read_claims(path)
    named = [key for key in entries if table == key or table.startswith(f"{key}-")]
    key = max(named, key=len, default=table)
    for entry in entries.get(key, []):
        try:
            yield from _every(entry, evidence, {"corpus": table.removeprefix(key)})
        except ConfigurationError as error:
            raise ConfigurationError(f"claim {entry.id}: {error}") from error


def _every(
    entry: ClaimEntry, evidence: Evidence, shared: Mapping[str, str]
) -> Iterator[ClaimEntry]:
    plain = entry.model_dump(exclude={"each"})
    for values in _kept(entry.each, evidence) if isinstance(entry.each, Lines) else entry.each:
        yield ClaimEntry.model_validate(filled(plain, {**shared, **values}))


def _kept(lines: Lines, evidence: Evidence) -> Sequence[Mapping[Any, str]]:
    rows = evidence.rows(lines.frame, {}, *lines.where, *lines.without)
    for conditions, keep in ((lines.where, True), (lines.without, False)):
        for column, values in conditions.items() if len(rows) else ():
            rows = rows[rows[column].astype(str).isin(values) == keep]
    return rows.astype(str).to_dict("records")
