"""One figure of a table: its estimate over seeds, and the bootstrap draws behind its interval."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tandem.reporting.claims import Claim, Finding, interval_verdict
from tandem.statistics.correlation import FloatArray, Interval, percentile_interval


@dataclass(frozen=True)
class Cell:
    """A figure x 100 with its draws (resamples,), the items it was measured on, and its seeds.

    Cells measured on the same items, with the same number of draws and seed, are paired draw by
    draw, so the difference of their draws is a paired bootstrap.
    """

    estimate: float
    draws: FloatArray
    items: int
    seeds: int

    @property
    def interval(self) -> Interval:
        """The 95% interval."""
        return percentile_interval(self.estimate, self.draws)


def over_seeds(
    name: str, estimates: list[float], draws: FloatArray, items: int, seed: int
) -> Cell:
    """Join the seeds of an experiment: in each draw, seeds are drawn with replacement too.

    Args:
        name: of the experiment; experiments' seeds are drawn apart, since a seed means nothing
            across encoders.
        estimates: the figure x 100 of each seed.
        draws: (seeds, resamples), x 100.
        items: the number of items resampled.
        seed: of the choice of seeds.
    """
    count, resamples = draws.shape
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    chosen = rng.integers(count, size=(count, resamples))
    joined = np.take_along_axis(draws, chosen, axis=0).mean(axis=0)
    return Cell(float(np.mean(estimates)), joined, items, count)


def cell_claim(
    claim: str,
    finding: Finding,
    cells: tuple[Cell, Cell],
    test: str,
    unit: str,
    scale: str,
    published: float | None = None,
) -> Claim:
    """Claim that the first cell is above the second, both measured on the same items.

    Args:
        claim: its id, `<table>.<finding>.<part>`.
        finding: what the paper says.
        cells: the one said to be higher, the other.
        test: what is subtracted from what.
        unit: of the difference.
        scale: name of the scale.
        published: the same difference as the paper prints it.
    """
    better, worse = cells
    interval = percentile_interval(better.estimate - worse.estimate, better.draws - worse.draws)
    return Claim(
        claim=claim,
        statement=finding.statement,
        paper=finding.paper,
        place=finding.place,
        test=f"{test}; paired bootstrap over {better.items:,} items, and seeds",
        statistic=interval.estimate,
        ci_low=interval.low,
        ci_high=interval.high,
        unit=unit,
        published=published,
        verdict=interval_verdict(interval.low, interval.high),
        n=better.items,
        seeds=f"{better.seeds} and {worse.seeds}",
        scale=scale,
    )


def bold_best(cells: Sequence[Cell | None]) -> list[str]:
    """A column of figures with their intervals in Markdown, the best in bold; "" for none."""
    best = max((cell.estimate for cell in cells if cell), default=None)
    several = len({cell.estimate for cell in cells if cell}) > 1
    return ["" if cell is None else _figure(cell, several and cell.estimate == best)
            for cell in cells]  # fmt: skip


def _figure(cell: Cell, best: bool) -> str:
    bounds, mark = cell.interval, "**" * best
    return f"{mark}{bounds.estimate:.1f}{mark} [{bounds.low:.1f}, {bounds.high:.1f}]"
