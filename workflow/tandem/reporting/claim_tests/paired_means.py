"""The difference of two selections of a table's lines, paired: Student's t over the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray
    from tandem.statistics.inference import Figures


class PairedMeans(ClaimTest):
    """Mean of a column over some lines, minus its mean over others with the same text or seed.

    Where the lines have `draws`, what other items would change is in the error, too.
    """

    frame: str
    """Which data frame of the table's report."""
    column: str
    """Column that is averaged."""
    unit: str
    """What it is measured in."""
    by: str
    """Column whose values pair the lines; of several with one value, the mean counts."""
    within: str | None = None
    """Column that pairs the lines of one value of `by` once more, such as the seeds of a text: the
    error is at least what their spread says. Null: the lines of one value are averaged."""
    draws: str | None = None
    """Column of bootstrap draws over items that go with the averaged one, an array for each line;
    null: no items are resampled."""
    better: dict[str, str]
    """Lines that the claim says are higher: columns and their values."""
    worse: dict[str, str] | None = None
    """The others; null: 0, where the column is a difference already."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Subtract; a single pair does not show the spread, and decides nothing."""
        from tandem.statistics.inference import joined, over_groups, over_seeds

        wheres = [where for where in (self.better, self.worse) if where is not None]
        groups = self._groups([self._side(evidence, where) for where in wheres])
        if len(groups) < 2:
            return None
        mean = over_groups(groups) if self.within else over_seeds(joined(groups))
        if not mean.error:
            return None
        names = " minus ".join(", ".join(where.values()) or "all" for where in wheres)
        over = [self.by, *filter(None, [self.within]), *["items"] * (self.draws is not None)]
        test = f"{self.column} of {names}; paired t test over {' and '.join(over)}"
        if margin < 0:
            test += f"; non-inferior within {-margin:g}"
        low, high, p = mean.interval.low, mean.interval.high, mean.p(margin)
        return Measured(test, mean.value, low, high, p, self.unit, len(groups))

    def _side(self, evidence: Evidence, where: dict[str, str]) -> dict[tuple, FloatArray]:
        """Return for each value of `by` (and `within`) the figure, then its draws, as an array."""
        import numpy as np

        keys = [key for key in (self.by, self.within) if key]
        columns = [column for column in (self.column, self.draws) if column]
        rows = evidence.rows(self.frame, where, *keys, *columns)
        if rows.empty:
            return {}
        return {
            cast("tuple", key): np.mean([np.hstack(line) for line in lines], axis=0)
            for key, some in rows.dropna(subset=[self.column]).groupby(keys)
            if (lines := some[columns].to_numpy().tolist())
        }

    def _groups(self, sides: list[dict[tuple, FloatArray]]) -> list[Figures]:
        """Return the first side minus the second, the figures of each value of `by` together."""
        import numpy as np

        from tandem.statistics.inference import Figures

        groups: dict[Any, list[FloatArray]] = {}
        for key, first in sides[0].items():
            if all(key in side for side in sides):
                gain = first - sides[1][key] if len(sides) == 2 else first
                groups.setdefault(key[0], []).append(gain)
        every = map(np.stack, groups.values())
        return [Figures(lines[:, 0], lines[:, 1:]) for lines in every]
