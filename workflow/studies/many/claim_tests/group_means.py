"""The difference of the means of two groups of a table's lines: Welch's t test over the lines."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured

FEWEST = 3
"""Lines that each group needs."""


class GroupMeans(ClaimTest):
    """Mean of a column over some lines, minus its mean over all others."""

    frame: str
    """Which data frame of the table's report."""
    where: dict[str, str] = {}
    """Lines that are compared: columns and their values."""
    column: str
    """Column that is averaged."""
    unit: str
    """The unit of the column."""
    by: str
    """Column that tells the groups."""
    others: list[str]
    """Values of that column in the other group; all else is in the first."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract, unless a group has too few lines."""
        from scipy import stats

        rows = evidence.rows(self.frame, self.where, self.column, self.by)
        rows = rows.dropna(subset=[self.column])
        other = rows[self.by].isin(self.others)
        sides = [rows.loc[chosen, self.column].to_numpy(float) for chosen in (~other, other)]
        if min(map(len, sides)) < FEWEST:
            return None
        test = stats.ttest_ind(sides[0] - margin, sides[1], equal_var=False)
        bounds = test.confidence_interval()
        names = " and ".join(self.others)
        return Measured(
            test=f"{self.column} of {len(sides[0])} lines, minus that of {len(sides[1])} of "
            f"{self.by} {names}; Welch's t test over lines",
            statistic=float(sides[0].mean() - sides[1].mean()),
            low=float(bounds.low) + margin,
            high=float(bounds.high) + margin,
            p=float(test.pvalue),
            unit=self.unit,
            n=len(rows),
        )
