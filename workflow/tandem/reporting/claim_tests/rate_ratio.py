"""The ratio of rates measured in turns: the t interval of its logarithm."""

from __future__ import annotations

from tandem.reporting.claim_tests.claim_test import ClaimTest, Evidence, Measured


class RateRatio(ClaimTest):
    """The geometric mean of one side's rates over the other's, pass by pass."""

    frame: str
    """Which data frame of the table's report; it has a row for each pass."""
    column: str
    """Column of the rates."""
    of: dict[str, str]
    """Selects the rows that the claim says are higher: columns and their values."""
    over: dict[str, str]
    """Selects the others, as many and in the same order."""

    def measure(self, evidence: Evidence) -> Measured | None:
        """Divide pass by pass; at least two are needed."""
        import numpy as np
        from scipy import stats

        from tandem.statistics.bootstrap import LEVEL

        sides = [evidence.rows(self.frame, where) for where in (self.of, self.over)]
        rates = [found[self.column].to_numpy(float) for found in sides]
        if len(rates[0]) < 2 or len(rates[0]) != len(rates[1]):
            return None
        logs = np.log(rates[0] / rates[1])
        half = stats.t.ppf((1 + LEVEL) / 2, len(logs) - 1) * stats.sem(logs)
        mean, low, high = np.exp([logs.mean(), logs.mean() - half, logs.mean() + half]).tolist()
        names = " over ".join(", ".join(where.values()) for where in (self.of, self.over))
        test = f"{self.column}: {names}; t interval of the logarithm over paired passes"
        return Measured(test, mean, low, high, "ratio", len(logs))
