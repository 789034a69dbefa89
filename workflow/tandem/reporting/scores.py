"""Cells of a study: figures over seeds with their bootstrap draws, read from score files.

There is one score file for each experiment, seed and task, `<task>.json`: study, experiment, seed,
task, metric, rows of unit and value x 100, details, and the code that made it. The items that the
figures follow from lie beside it, in `.npz`. Everything that is reported is read from these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tandem.errors import InputError, TandemError
from tandem.io import read_json
from tandem.statistics.bootstrap import Interval, over_seeds, percentile_interval
from tandem.statistics.correlation import FloatArray
from tandem.tasks.items import read_items
from tandem.tasks.task import Items, Task

METRICS = {
    "pearson_x100": "Pearson's r × 100",
    "p_at_1_x100": "P@1 × 100",
    "f1_x100": "F1 × 100",
}
"""Metrics as a reader knows them."""


@dataclass(frozen=True)
class Cell:
    """A figure x 100 with its draws (resamples,), the number of items behind it, and its seeds.

    `values` are the figures of each seed as the score files hold them. Cells measured on the same
    items are paired draw by draw, so the difference of their draws is a paired bootstrap.
    """

    estimate: float
    draws: FloatArray
    items: int
    seeds: tuple[int, ...]
    values: tuple[float, ...]
    metric: str

    @property
    def interval(self) -> Interval:
        """The 95% interval."""
        return percentile_interval(self.estimate, self.draws)


@dataclass
class _Scored:
    """What one task scored of an experiment, by seed."""

    files: dict[int, Path] = field(default_factory=dict)
    stored: dict[int, dict[str, Any]] = field(default_factory=dict)
    items: dict[int, Items] = field(default_factory=dict)


class Scores:
    """Cells of a study, read from score files."""

    def __init__(
        self, files: Iterable[str | Path], tasks: Mapping[str, Task], resamples: int, seed: int
    ) -> None:
        """Read score files, in any order.

        Args:
            files: as the module describes them.
            tasks: of the study, by name; files name theirs.
            resamples: bootstrap draws of each cell.
            seed: of the draws.

        Raises:
            TandemError: when two files hold one seed, or a file is of no task of the study.
        """
        self.resamples, self.seed = resamples, seed
        self._tasks = tasks
        self._scored: dict[tuple[str, str], _Scored] = defaultdict(_Scored)
        self._cells: dict[tuple[str, str, str], Cell] = {}
        for file in map(Path, files):
            self._read(file)

    def _read(self, file: Path) -> None:
        stored = read_json(file)
        experiment, task, seed = stored["experiment"], stored["task"], int(stored["seed"])
        if task not in self._tasks:
            known = ", ".join(self._tasks)
            raise InputError(file, None, f"a score of task {task}", f"The study has {known}")
        scored = self._scored[experiment, task]
        if seed in scored.files:
            raise TandemError(f"{file}: a second score of {experiment}, seed {seed}. Give one")
        scored.files[seed], scored.stored[seed] = file, stored

    def units(self, experiment: str, task: str) -> list[str]:
        """Name the figures of an experiment; none where it was not scored."""
        stored = self._seeds(experiment, task)
        return [row["unit"] for row in stored[0]["rows"]] if stored else []

    def metric(self, task: str) -> str:
        """Return what the figures of a task are."""
        return self._tasks[task].metric

    def details(self, experiment: str, task: str) -> list[dict[str, Any]]:
        """Return the details of each seed, in the order of the seeds."""
        return [stored["details"] for stored in self._seeds(experiment, task)]

    def values(self, experiment: str, task: str, unit: str) -> dict[int, float]:
        """Return a figure by seed, as the score files hold it."""
        return {
            stored["seed"]: float(row["value"])
            for stored in self._seeds(experiment, task)
            for row in stored["rows"]
            if row["unit"] == unit
        }

    def cell(self, experiment: str, task: str, unit: str) -> Cell | None:
        """Return a figure over all seeds, or None where it was not scored.

        In each draw the seeds are drawn with replacement, then the items, which all experiments
        share.
        """
        if unit not in self.units(experiment, task):
            return None
        key = experiment, task, unit
        if key not in self._cells:
            self._cells[key] = self._join(*key)
        return self._cells[key]

    def _seeds(self, experiment: str, task: str) -> list[dict[str, Any]]:
        scored = self._scored.get((experiment, task))
        return [scored.stored[seed] for seed in sorted(scored.stored)] if scored else []

    def _join(self, experiment: str, task: str, unit: str) -> Cell:
        """Join the seeds of a figure."""
        scored, kind = self._scored[experiment, task], self._tasks[task]
        seeds = tuple(sorted(scored.files))
        for seed in seeds:
            if seed not in scored.items:
                scored.items[seed] = read_items(scored.files[seed].with_suffix(".npz"))
        items = [scored.items[seed] for seed in seeds]
        draws = kind.draws(items, unit, self.resamples, self.seed)
        return Cell(
            estimate=float(np.mean([kind.estimate(one, unit) for one in items])),
            draws=over_seeds(experiment, draws, self.seed),
            items=kind.count(items[0], unit),
            seeds=seeds,
            values=tuple(self.values(experiment, task, unit).values()),
            metric=kind.metric,
        )


def card_lines(files: Iterable[str | Path]) -> list[tuple[str, str, float]]:
    """Return (what, metric, value) of every figure in score files, for a model's card."""
    lines = []
    for stored in map(read_json, files):
        metric = METRICS.get(stored["metric"], stored["metric"])
        lines += [(f"{stored['task']}, {r['unit']}", metric, r["value"]) for r in stored["rows"]]
    return lines

