"""A difference with its bootstrap interval, as the lines of a table have it."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured


class ResampledGain(ClaimTest):
    """A difference in percent of what it is compared with: a column of one line, and its interval.

    They are `<of>_gain_percent`, and the same with `_low` and `_high` added.

    The p-value of "it is the margin" takes the bootstrap's distribution for a normal one with the
    width of the interval.
    """

    frame: str
    """Which data frame of the table's report."""
    where: dict[str, str]
    """Selects the line: columns and their values."""
    of: str
    """What is compared, such as bleu."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Read the line."""
        from scipy import stats

        names = [f"{self.of}_gain_percent{part}" for part in ("", "_low", "_high")]
        found = evidence.rows(self.frame, self.where, *names).dropna(subset=names)
        if len(found) != 1:
            return None
        value, low, high = (float(found[name].iloc[0]) for name in names)
        error = (high - low) / (2 * stats.norm.ppf(0.975))
        distance = abs(value - margin)
        p = 2 * stats.norm.sf(distance / error) if error > 0 else float(distance == 0)
        said = f"{self.of}: {', '.join(self.where.values())} against original; paired bootstrap"
        said += f"; non-inferior within {-margin:g}%" if margin < 0 else ""
        return Measured(said, value, low, high, float(p), "percent", seeds="1 and 1")
