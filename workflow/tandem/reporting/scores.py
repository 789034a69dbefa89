"""Cells of a study: figures over seeds with their bootstrap draws, read from score files.

There is one score file for each experiment, task and seed, `<experiment>/<task>/seed<k>.json`:
study, experiment, seed, task, metric, rows of unit and value x 100, details, and the digest of the
code. The items behind the scores are beside it, in `.npz`. All reports are computed from these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tandem.errors import InputError, TandemError
from tandem.files.io import read_json
from tandem.statistics.bootstrap import Interval
from tandem.statistics.inference import Figures, over_seeds
from tandem.tasks.task import Items, Task, read_items

METRICS = {
    "pearson_x100": "Pearson's r × 100", "p_at_1_x100": "P@1 × 100", "f1_x100": "F1 × 100",
    "accuracy_x100": "Accuracy × 100", "loss_x100": "Loss × 100, the lower the better",
}  # fmt: skip
"""Names of metrics for readers."""
SHARES = frozenset({"p_at_1_x100", "p_at_n_x100", "ap_x100", "f1_x100", "accuracy_x100"})
"""Metrics that lie between 0 and 100, as their intervals do."""
LOWER = frozenset({"loss_x100"})
"""Metrics whose lowest figure is the best."""


@dataclass(frozen=True, eq=False)
class Cell(Figures):
    """A figure x 100 of each seed with its draws, the number of items behind it, and its seeds.

    Cells measured on the same items are paired draw by draw.
    """

    items: int
    seeds: tuple[int, ...]
    metric: str

    @property
    def estimate(self) -> float:
        """The mean over seeds."""
        return float(self.values.mean())

    @property
    def interval(self) -> Interval:
        """The 95% interval of the mean; with one seed, over items alone."""
        estimate = over_seeds(self)
        shares = self.metric in SHARES
        return estimate.share_interval(self.items) if shares else estimate.interval


class Scores:
    """Cells of a study, read from score files; `tasks` are those of the study, by name."""

    def __init__(
        self, files: Iterable[str | Path], tasks: Mapping[str, Task], resamples: int, seed: int
    ) -> None:
        """Read score files, in any order, of the tasks of a study; `seed` is that of the draws."""
        self.resamples, self.seed, self.tasks = resamples, seed, tasks
        self._stored: dict[tuple[str, str], dict[int, dict[str, Any]]] = defaultdict(dict)
        # the figures of one experiment are asked for one after the other
        self._items = lru_cache(maxsize=8)(read_items)
        self._joined = cache(self._join)
        for file in map(Path, files):
            self._read(file)

    def _read(self, file: Path) -> None:
        stored = read_json(file)
        experiment, task, seed = stored["experiment"], stored["task"], int(stored["seed"])
        if task not in self.tasks:
            names = ", ".join(self.tasks)
            raise InputError(file, None, f"a score of task {task}", f"The study has {names}")
        seeds = self._stored[experiment, task]
        if seed in seeds:
            raise TandemError(f"{file}: a second score of {experiment}, seed {seed}. Give one")
        seeds[seed] = stored | {"items": file.with_suffix(".npz")}

    def units(self, experiment: str, task: str) -> list[str]:
        """Name the figures of an experiment; none where it was not scored."""
        first = self._seeds(experiment, task)[:1]
        return [row["unit"] for stored in first for row in stored["rows"]]

    def metric(self, task: str) -> str:
        """Return the metric of a task's figures."""
        return self.tasks[task].metric

    def details(self, experiment: str, task: str) -> list[dict[str, Any]]:
        """Return the details of each seed, in the order of the seeds."""
        return [stored["details"] for stored in self._seeds(experiment, task)]

    def seeds(self, experiment: str, task: str) -> list[int]:
        """Return the seeds with scores, in order."""
        return [stored["seed"] for stored in self._seeds(experiment, task)]

    def items(self, experiment: str, task: str) -> Iterator[Items]:
        """Yield the items of each seed, in the order of the seeds."""
        return (self._items(stored["items"]) for stored in self._seeds(experiment, task))

    def values(self, experiment: str, task: str, unit: str) -> dict[int, float]:
        """Return a figure by seed, as the score files hold it."""
        return {
            stored["seed"]: float(row["value"])
            for stored in self._seeds(experiment, task)
            for row in stored["rows"]
            if row["unit"] == unit
        }

    def cell(self, experiment: str, task: str, unit: str) -> Cell | None:
        """Return a figure of all seeds, or None where it was not scored."""
        scored = unit in self.units(experiment, task)
        return self._joined(experiment, task, unit) if scored else None

    def _seeds(self, experiment: str, task: str) -> list[dict[str, Any]]:
        seeds = self._stored.get((experiment, task), {})
        return [seeds[seed] for seed in sorted(seeds)]

    def _join(self, experiment: str, task: str, unit: str) -> Cell:
        kind, seeds = self.tasks[task], self._stored[experiment, task]
        items = [self._items(seeds[seed]["items"]) for seed in sorted(seeds)]
        return Cell(
            values=np.array([kind.estimate(seed_items, unit) for seed_items in items]),
            draws=kind.draws(items, unit, self.resamples, self.seed),
            items=kind.count(items[0], unit),
            seeds=tuple(sorted(seeds)),
            metric=kind.metric,
        )
