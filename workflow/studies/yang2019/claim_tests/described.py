"""The difference of two cells as a description, where nothing could contradict what is said."""

from __future__ import annotations

from dataclasses import replace

from tandem.reporting.claim_test import Evidence, Measured
from tandem.reporting.claim_tests.difference import Difference


class Described(Difference):
    """The first cell minus the second, untested."""

    why: str
    """Why no test could contradict it."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract; without an interval and a p-value the claims engine calls it a description."""
        measured = super().measure(evidence, margin)
        if measured is None:
            return None
        test = f"{measured.test.split(';')[0]}; not tested: {self.why}"
        return replace(measured, test=test, low=None, high=None, p=None)
