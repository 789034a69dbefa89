"""Tests that claims name: from the sides of a claim to a statistic with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tandem.errors import TandemError
from tandem.registry import Kind, Registry

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.scores import Scores


@dataclass(frozen=True)
class Evidence:
    """What claims are tested on: the scores of a study, and a table's frames by name."""

    scores: Scores
    frames: Mapping[str, pd.DataFrame]

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame, which must be there."""
        if name not in self.frames:
            raise TandemError(f"a claim reads frame {name}; there are {', '.join(self.frames)}")
        return self.frames[name]

    def rows(self, frame: str, where: Mapping[str, str]) -> pd.DataFrame:
        """Return the lines of a frame whose columns hold these values."""
        found = self.frame(frame)
        for column, value in where.items():
            found = found[found[column].astype(str) == value]
        return found


@dataclass(frozen=True)
class Measured:
    """A statistic with its 95% interval (None: it is exact), and how it came about.

    `n` counts the items (None: there are none to count), `seeds` tells the seeds of each side.
    """

    test: str
    statistic: float
    low: float | None
    high: float | None
    unit: str
    n: int | None = None
    seeds: str = ""


class ClaimTest(Kind):
    """A kind of test; its fields are the sides that it compares."""

    def measure(self, evidence: Evidence) -> Measured | None:
        """Measure, or return None where a side has no scores."""
        raise NotImplementedError


CLAIM_TESTS = Registry("tandem.reporting.claim_tests", ClaimTest)
