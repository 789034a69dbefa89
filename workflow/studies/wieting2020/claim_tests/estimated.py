"""An estimate with its standard error, from a line of a table: Student's t over items and seeds."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured

COLUMNS = ("value", "error", "freedom", "unit", "items", "seeds", "single")


class Estimated(ClaimTest):
    """A difference that a table has measured on paired items, in the line that these values select.

    Its columns: value, error, freedom (of Student's t), unit, items, seeds, and single, the
    experiments of one seed, whose spread over seeds is not known: then there is no p-value.
    """

    frame: str = "gains"
    """Which data frame of the table's report."""
    better: str
    """The side that the claim says is higher: an experiment, or what models are compared with."""
    worse: str
    """The other."""
    figure: str
    """Which figure of both."""

    def experiments(self) -> list[str]:
        """Name the sides that are experiments."""
        return [side for side in (self.better, self.worse) if "." in side]

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Read the line; None where there is none."""
        from wieting2020.methods.gains import estimate_of

        where = {"better": self.better, "worse": self.worse, "figure": self.figure}
        lines = evidence.rows(self.frame, where, *COLUMNS)
        if len(lines) != 1:
            return None
        line = lines.iloc[0]
        estimate = estimate_of({str(key): value for key, value in line.items()})
        single = line["single"].split()
        test = f"{self.figure} of {self.better} minus {self.worse}; t test over "
        test += f"{line['items']:,} paired items, and seeds"
        if margin < 0:
            test += f"; non-inferior within {-margin:g}"
        if single:
            test += f"; one seed, whose spread is not known: {' and '.join(single)}"
        bounds, p = estimate.interval, None if single else estimate.p(margin)
        low, high = bounds.low, bounds.high
        unit, items = str(line["unit"]), int(line["items"])
        return Measured(test, estimate.value, low, high, p, unit, items, str(line["seeds"]))
