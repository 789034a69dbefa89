"""A number of a frame minus another: exact, so it describes and tests nothing."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured


class Exact(ClaimTest):
    """The number in one row of a data frame minus that in another."""

    of: dict[str, str]
    """Selects the row that the claim says is larger: columns and their values."""
    minus: dict[str, str]
    """Selects the other row."""
    column: str
    """Column of both numbers."""
    frame: str = "table"
    """Which data frame of the table's report; `table` is the table itself."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract."""
        sides = self.of, self.minus
        lines = [evidence.rows(self.frame, where, self.column) for where in sides]
        if not all(len(rows) == 1 for rows in lines):
            return None
        larger, smaller = (float(rows[self.column].iloc[0]) for rows in lines)
        names = [" ".join(where.values()) for where in sides]
        test = f"{self.column} of {' minus '.join(names)}; exact"
        return Measured(test, larger - smaller, None, None, None, self.column)
