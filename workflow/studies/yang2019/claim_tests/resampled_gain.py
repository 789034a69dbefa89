"""A relative difference with its bootstrap interval, from a line of a table."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured


class ResampledGain(ClaimTest):
    """A difference in percent of the score it is compared with, and its interval, from one line.

    Their columns are `<of>_gain_percent`, and the same with `_low` and `_high` added. The p-value
    of "the difference is the margin" assumes a normal distribution with the interval's width.
    """

    frame: str
    """Which data frame of the table's report."""
    where: dict[str, str]
    """Selects the line: columns and their values."""
    of: str
    """What is compared, such as bleu."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Read the line."""
        import numpy as np
        from scipy import stats

        from tandem.statistics.inference import Estimate

        names = [f"{self.of}_gain_percent{part}" for part in ("", "_low", "_high")]
        lines = evidence.rows(self.frame, self.where, *names).dropna(subset=names)
        if len(lines) != 1:
            return None
        value, low, high = (float(lines[name].iloc[0]) for name in names)
        error = (high - low) / (2 * stats.norm.ppf(0.975))
        p = Estimate(value, error, np.inf).p(margin)
        test = f"{self.of}: {', '.join(self.where.values())} against original; paired bootstrap"
        test += f"; non-inferior within {-margin:g}%" if margin < 0 else ""
        return Measured(test, value, low, high, p, "percent", seeds="1 and 1")
