"""A relative difference over sentences and over seeds of the translator, from a line of a table."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured


class ResampledGain(ClaimTest):
    """A difference in percent of the score it is compared with, and its interval, from one line.

    Their columns are `<of>_gain_percent`, and the same with `_low` and `_high` added. The test is
    of the logarithm of the ratio, whose `<of>_gain_log`, `_error` and `_freedom` the line has too:
    Student's t over sentences, which are paired, and over seeds of the translator, `seed_count` on
    either side. One training a side does not show how far another would be from it, so it leaves
    the claim undecided.
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

        from tandem.statistics.inference import Estimate

        shown = [f"{self.of}_gain_percent{part}" for part in ("", "_low", "_high")]
        tested = [f"{self.of}_gain_log{part}" for part in ("", "_error", "_freedom")]
        lines = evidence.rows(self.frame, self.where, "seed_count", *shown, *tested).dropna(
            subset=[*shown, *tested]
        )
        if len(lines) != 1:
            return None
        line = lines.iloc[0]
        value, low, high = (float(line[name]) for name in shown)
        seeds = int(line["seed_count"])
        estimate = Estimate(*(float(line[name]) for name in tested))
        p = estimate.p(float(np.log1p(margin / 100))) if seeds > 1 else None
        test = f"{self.of}: {', '.join(self.where.values())} against original; t test over "
        test += "sentences, and seeds of the translator"
        test += f"; non-inferior within {-margin:g}%" if margin < 0 else ""
        test += "" if seeds > 1 else "; one training a side: its spread is not known"
        return Measured(test, value, low, high, p, "percent", seeds=f"{seeds} and {seeds}")
