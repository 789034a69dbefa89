"""The ratio of rates measured in turns: the t interval of its logarithm."""

from __future__ import annotations

from tandem.registry import ConfigurationError
from tandem.reporting.claim_test import ClaimTest, Evidence, Measured


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

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Divide pass by pass; at least two are needed.

        Raises:
            ConfigurationError: the margin is not above 0.
        """
        import numpy as np

        from tandem.statistics.inference import sample_mean

        if margin <= 0:
            raise ConfigurationError(f"margin {margin:g}: that of a ratio is above 0, such as 1")
        sides = self.of, self.over
        rates = [evidence.rows(self.frame, where, self.column) for where in sides]
        if len(rates[0]) < 2 or len(rates[0]) != len(rates[1]):
            return None
        of, over = (side[self.column].to_numpy(float) for side in rates)
        ratio = sample_mean(np.log(of / over))
        bounds = ratio.interval
        mean, low, high = np.exp([bounds.estimate, bounds.low, bounds.high]).tolist()
        names = " over ".join(", ".join(where.values()) for where in sides)
        test = f"{self.column}: {names}; t test of the logarithm over paired passes"
        return Measured(test, mean, low, high, ratio.p(float(np.log(margin))), "ratio", len(of))
