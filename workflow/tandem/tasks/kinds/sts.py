"""Semantic textual similarity: Pearson's r of cosine similarity with human scores.

As in the SemEval 2012-2016 tasks and wieting2019 (section Experiments): r x 100 for each dataset,
the unweighted mean of its datasets for each year, the unweighted mean of the years for a model.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from tandem.corpora.sts_archives import APART
from tandem.errors import TandemError
from tandem.statistics.bootstrap import bootstrap_pearson
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.sts_data import Index, correlation, read_index, read_task
from tandem.tasks.task import MEAN, Encodes, Items, Places, Task, knows

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray


class Sts(Task):
    """Correlation with human judgements of similarity.

    Items: task and year, (tasks,); offsets, (tasks + 1,), where each task's pairs begin; gold and
    cosine, (pairs,).
    """

    metric: ClassVar[str] = "pearson_x100"

    years: list[int] = []
    """Years whose tasks are scored; their mean is reported too."""
    tasks: list[str] = []
    """Tasks that are reported one by one, as <year>.<task>; give either tasks or years."""
    subsets: dict[str, list[str]] = {}
    """Further means of years, by name: of these tasks alone, as <year>.<task>. Where one of them
    was not scored, there is no such mean: so a subset is the same tasks on every machine."""

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        if bool(self.years) == bool(self.tasks):
            raise ValueError("give years or tasks, one of the two")
        if wrong := [name for name in self.subsets if name == MEAN or name.isdigit()]:
            raise ValueError(f"subsets: {wrong[0]} is another figure's name; give another")
        return self

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the STS folder."""
        return {"sts": plan.path("corpora", "sts")}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Encode the sentences of every task present that is in the encoder's languages.

        An encoder without `languages` takes any. `data` has `sts`, a folder with a TSV for each
        task, and index.json. A year without any task is an error.
        """
        index = read_index(data["sts"])
        names = self.covered(index, encoder)
        if absent := set(self.years) - {int(index.tasks[name]["year"]) for name in names}:
            years = ", ".join(map(str, sorted(absent)))
            raise TandemError(f"{data['sts']}: no task of {years}. Leave the year out, or add some")
        gold, cosine = [], []
        for name in names:
            pairs = read_task(Path(data["sts"]) / f"{name}.tsv", index.tasks[name]["languages"])
            sides = zip((pairs.first, pairs.second), pairs.languages, strict=True)
            vectors = [encoder.encode(lines, language=language) for lines, language in sides]
            gold.append(pairs.gold)
            cosine.append(cosine_similarity(*vectors))
        return {
            "task": np.array(names, dtype=str),
            "year": np.array([index.tasks[name]["year"] for name in names], dtype=np.int64),
            "offsets": np.cumsum([0, *map(len, gold)], dtype=np.int64),
            "gold": np.concatenate([*gold, []]),
            "cosine": np.concatenate([*cosine, []]),
        }

    def covered(self, index: Index, encoder: Encodes) -> list[str]:
        """Name the tasks to score, of those in the encoder's languages; years sorted."""
        present = {
            name: int(entry["year"])
            for name, entry in index.tasks.items()
            if all(knows(encoder, language) for language in entry["languages"])
        }
        if self.tasks:
            return [name for name in self.tasks if name in present]
        return sorted(n for n, year in present.items() if year in self.years and n not in APART)

    def units(self, items: Items) -> list[str]:
        """Return the years, "mean" and subsets, or the tasks that were scored."""
        if self.years:
            scored = set(items["task"].tolist())
            subsets = [name for name, tasks in self.subsets.items() if scored.issuperset(tasks)]
            return [*map(str, np.unique(items["year"])), MEAN, *subsets]
        return [str(name) for name in items["task"]]

    def estimate(self, items: Items, unit: str) -> float:
        """Return Pearson's r x 100, the mean of the tasks that a unit averages."""
        r = [correlation(*_pairs(items, place)) for place in range(len(items["task"]))]
        return 100 * float(self._weights(items, unit) @ np.array(r))

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a unit of several systems: (systems, resamples), x 100.

        Pairs are drawn within each task, from a stream that depends on the seed and the task's name
        alone: systems compared now, later or in another order meet the same resamples.
        """
        same = systems[0]
        shared = ("task", "year", "offsets", "gold")
        if any(not np.array_equal(other[k], same[k]) for other in systems for k in shared):
            problem = "the systems to compare were scored on different pairs"
            raise TandemError(f"{problem}: score them again on the same STS folder")
        means = np.zeros((resamples, len(systems)))
        weights = self._weights(same, unit)
        for place in np.flatnonzero(weights).tolist():
            rng = np.random.default_rng([seed, zlib.crc32(str(same["task"][place]).encode())])
            scores = np.stack([_pairs(system, place)[1] for system in systems])
            gold, _ = _pairs(same, place)
            means += weights[place] * bootstrap_pearson(gold, scores, resamples, rng)
        return 100 * means.T

    def count(self, items: Items, unit: str) -> int:
        """Count the sentence pairs behind a unit."""
        return int(np.diff(items["offsets"])[self._weights(items, unit) > 0].sum())

    def details(self, items: Items) -> dict[str, Any]:
        """Return `tasks`: name, year, number of pairs and r x 100 of each task."""
        tasks = []
        for place, (name, year) in enumerate(zip(items["task"], items["year"], strict=True)):
            gold, cosine = _pairs(items, place)
            r = round(100 * correlation(gold, cosine), 4)
            tasks.append({"task": str(name), "year": int(year), "pairs": len(gold), "r_x100": r})
        return {"tasks": tasks}

    def _weights(self, items: Items, unit: str) -> FloatArray:
        """Weigh the tasks of a unit: years count the same, and so do the tasks of a year."""
        if self.tasks:
            return (items["task"] == unit).astype(np.float64)
        if unit == MEAN:
            chosen = np.ones(len(items["task"]), bool)
        elif unit in self.subsets:
            chosen = np.isin(items["task"], self.subsets[unit])
        else:
            chosen = items["year"] == int(unit)
        weights = np.zeros(len(chosen))
        distinct, position, sizes = np.unique(
            items["year"][chosen], return_inverse=True, return_counts=True
        )
        weights[chosen] = 1.0 / (len(distinct) * sizes[position])
        return weights


def _pairs(items: Items, place: int) -> tuple[FloatArray, FloatArray]:
    """Return the human scores and the cosines of one task, (n,) and (n,)."""
    part = slice(*items["offsets"][place : place + 2])
    return items["gold"][part], items["cosine"][part]
