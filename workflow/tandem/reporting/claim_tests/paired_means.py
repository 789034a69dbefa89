"""The difference of two selections of a table's lines, paired: Student's t over the pairs."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured


class PairedMeans(ClaimTest):
    """Mean of a column over some lines, minus its mean over others with the same text or seed."""

    frame: str
    """Which data frame of the table's report."""
    column: str
    """Column that is averaged."""
    unit: str
    """What it is measured in."""
    by: str
    """Column whose values pair the lines; of several with one value, the mean counts."""
    better: dict[str, str]
    """Lines that the claim says are higher: columns and their values."""
    worse: dict[str, str] | None = None
    """The others; null: 0, where the column is a difference already."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract; a single pair does not show the spread, and decides nothing."""
        import numpy as np

        from tandem.statistics.inference import sample_mean

        selections = [where for where in (self.better, self.worse) if where is not None]
        sides = [
            evidence.rows(self.frame, where, self.column, self.by)
            .dropna(subset=[self.column])
            .groupby(self.by)[self.column]
            .mean()
            for where in selections
        ]
        gains = (sides[0] - sides[1] if len(sides) == 2 else sides[0]).dropna()
        if len(gains) < 2 or not np.ptp(gains):
            return None
        mean = sample_mean(gains.to_numpy(float))
        names = " minus ".join(", ".join(where.values()) or "all" for where in selections)
        test = f"{self.column} of {names}; paired t test over {self.by}"
        if margin < 0:
            test += f"; non-inferior within {-margin:g}"
        low, high, p = mean.interval.low, mean.interval.high, mean.p(margin)
        return Measured(test, mean.value, low, high, p, self.unit, len(gains))
