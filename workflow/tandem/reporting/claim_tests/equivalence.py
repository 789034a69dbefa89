"""Whether two cells are equal but for a margin: two one-sided t tests."""

from __future__ import annotations

from dataclasses import replace

from tandem.registry import ConfigurationError
from tandem.reporting.claim_test import Evidence, Measured
from tandem.reporting.claim_tests.difference import Difference


class Equivalence(Difference):
    """The first cell minus the second, claimed to be within the margin of 0, above and below.

    Two one-sided tests (Schuirmann, 1987, "A comparison of the two one-sided tests procedure and
    the power approach for assessing the equivalence of average bioavailability"), each at half of
    the level: with p uncorrected it is supported where the 95% interval is inside the margins.
    """

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract; p is that of the nearer margin.

        Raises:
            ConfigurationError: the margin is not above 0.
        """
        if margin <= 0:
            raise ConfigurationError(f"margin {margin:g}: that of an equivalence is above 0")
        measured = super().measure(evidence, margin)
        if measured is None:
            return None
        if measured.statistic < 0 and measured.p is not None:
            below = super().measure(evidence, -margin)
            assert below is not None
            measured = replace(measured, p=below.p)
        return replace(measured, test=f"{measured.test}; equivalent within {margin:g}, either way")

    def holds(self, statistic: float, margin: float) -> bool:
        """Whether a difference is inside the margins."""
        return abs(statistic) < margin
