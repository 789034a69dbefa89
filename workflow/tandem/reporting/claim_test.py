"""Tests that claims name: from the sides of a claim to a statistic, its interval and p-value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tandem.registry import ConfigurationError, Kind, Registry, not_among

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.outline import Outline
    from tandem.reporting.scores import Cell, Scores


@dataclass(frozen=True)
class Evidence:
    """What claims are tested on: the scores of a study, its plan, and a table's frames by name."""

    scores: Scores
    frames: Mapping[str, pd.DataFrame]
    plan: Outline

    def cell(self, experiment: str, task: str, unit: str) -> Cell | None:
        """Return a figure of all seeds, or None where it was not scored.

        Raises:
            ConfigurationError: the study has no such experiment or task.
        """
        encoder, _, setting = experiment.partition(".")
        self.plan.experiments([encoder], [setting])
        self.plan.scores([], task)
        return self.scores.cell(experiment, task, unit)

    def rows(self, frame: str, where: Mapping[str, str], *columns: str) -> pd.DataFrame:
        """Return the lines of a frame whose columns hold these values.

        Raises:
            ConfigurationError: there is no such frame, or it lacks one of these columns or of those
                that are named besides.
        """
        if frame not in self.frames:
            raise ConfigurationError(f"no frame {not_among(frame, self.frames)}")
        rows = self.frames[frame]
        names = [str(column) for column in rows.columns]
        for column in (*where, *columns):
            if names and column not in names:
                raise ConfigurationError(f"frame {frame}: no column {not_among(column, names)}")
        for column, value in where.items() if names else ():  # nothing was measured: no columns
            rows = rows[rows[column].astype(str) == value]
        return rows


@dataclass(frozen=True)
class Measured:
    """A statistic with its 95% interval (None: it has none), and how it came about.

    `p` is the two-sided p-value of "the statistic is the margin". If it is None and there is an
    interval, the test decides nothing, and `test` says why; without an interval the quantity is
    exact, a description. `n` counts the items, where there are any, `seeds` the seeds of each side.
    """

    test: str
    statistic: float
    low: float | None
    high: float | None
    p: float | None
    unit: str
    n: int | None = None
    seeds: str = ""


class ClaimTest(Kind):
    """A kind of test; its fields are the sides that it compares."""

    def experiments(self) -> list[str]:
        """Name the experiments whose training the claim is about; none unless a test says so.

        A claim about one that is trained for fewer epochs than the paper's is not comparable.
        """
        return []

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Measure, or return None where a side has no scores."""
        raise NotImplementedError

    def holds(self, statistic: float, margin: float) -> bool:
        """Whether a statistic is on the side of the margin that the claim says."""
        return statistic > margin


CLAIM_TESTS = Registry("tandem.reporting.claim_tests", ClaimTest)
