"""STS on the pairs all of whose words a vocabulary has: what training is worth where all is read.

These are few, in many tasks: so r is not averaged over tasks, but computed over the pairs of all,
with the human scores and the cosines less their means in the task.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tandem.errors import TandemError
from tandem.registry import ConfigurationError
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.sts_data import StsPairs, read_index, read_task
from tandem.tasks.task import MEAN, Encodes, Items, Places
from wieting2019.methods.coverage import token_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.segmentation.segmenter import Segmenter
    from tandem.statistics.correlation import FloatArray


class CoveredPairs(Sts):
    """Correlation within tasks, over the pairs without a word that is unknown to an encoder.

    Every encoder of a setting is scored on the same pairs: those of the vocabulary with its seed,
    which is learned from the same sample. Items: those of `Sts`, with covered, (pairs,), whether a
    pair counts; the cosines of the others are 0.
    """

    encoder: str = "word"
    """The encoder whose vocabulary must have all words; trained in every setting that is scored,
    with as many seeds at least."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the STS folder, and by seed the models whose vocabularies count.

        Raises:
            ConfigurationError: the setting does not train the encoder.
        """
        setting = experiment.partition(".")[2]
        if self.encoder not in plan.setting(experiment).encoders:
            problem = f"settings.{setting} does not train {self.encoder}, whose vocabulary says"
            remedy = "which pairs count: train it there, or set `covered` of the table to null"
            raise ConfigurationError(f"{problem} {remedy}")
        models = map(Path, plan.models([f"{self.encoder}.{setting}"]))
        return super().inputs(plan, experiment) | {folder.name: str(folder) for folder in models}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Encode the sentences of covered pairs of every task present.

        Raises:
            TandemError: no vocabulary has the encoder's seed.
        """
        from tandem.segmentation.segmenter import Segmenter

        name = f"seed{getattr(encoder, 'metadata', {}).get('seed')}"
        if name not in data:
            problem = f"{self.encoder} has no {name}, whose vocabulary says which pairs count"
            raise TandemError(f"{problem}: give it as many seeds as the encoders it is beside")
        segmenter = Segmenter.load(data[name] / "segmenter")
        index = read_index(data["sts"])
        names = self.covered(index, encoder)
        parts = []
        for task in names:
            path, languages = data["sts"] / f"{task}.tsv", index.tasks[task]["languages"]
            pairs = read_task(path, languages)
            parts.append((pairs.gold, *_scored(encoder, segmenter, pairs)))
        golds, cosines, covered = zip(*parts, strict=True)
        return {
            "task": np.array(names, dtype=str),
            "year": np.array([index.tasks[task]["year"] for task in names], dtype=np.int64),
            "offsets": np.cumsum([0, *map(len, golds)], dtype=np.int64),
            "gold": np.concatenate(golds),
            "cosine": np.concatenate(cosines),
            "covered": np.concatenate(covered),
        }

    def units(self, items: Items) -> list[str]:
        """Return "mean", of all tasks that were scored, and the subsets."""
        years = set(map(str, items["year"]))
        return [unit for unit in super().units(items) if unit not in years]

    def estimate(self, items: Items, unit: str) -> float:
        """Return r x 100 within the tasks of a unit; 0 where nothing varies."""
        sums = np.zeros((1, 3))
        for place in self._places(items, unit):
            pairs = _part(items, place)
            sums += _products(np.ones((1, len(pairs[0]))), *pairs)
        return float(_correlation(sums)[0])

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a unit of several systems: (systems, resamples), x 100.

        All pairs of a task are drawn, from a stream of the seed and its name, whichever count: so
        systems with other vocabularies are compared on the same resamples too.
        """
        same, shared = systems[0], ("task", "offsets", "gold")
        if any(not np.array_equal(other[k], same[k]) for other in systems for k in shared):
            raise TandemError("the systems to compare were scored on other tasks: score them again")
        sums = np.zeros((len(systems), resamples, 3))
        for place in self._places(same, unit):
            rng = np.random.default_rng([seed, zlib.crc32(str(same["task"][place]).encode())])
            count = int(np.diff(same["offsets"])[place])
            times = rng.multinomial(count, np.full(count, 1 / count), size=resamples)
            for total, system in zip(sums, systems, strict=True):
                total += _products(times.astype(np.float64), *_part(system, place))
        return np.stack([_correlation(total) for total in sums])

    def count(self, items: Items, unit: str) -> int:
        """Count the covered pairs behind a unit."""
        return int(sum(_part(items, place)[2].sum() for place in self._places(items, unit)))

    def details(self, items: Items) -> dict[str, Any]:
        """Return `tasks`: name, year and number of covered pairs of each task."""
        return {
            "tasks": [
                {"task": str(name), "year": int(year), "pairs": int(_part(items, place)[2].sum())}
                for place, (name, year) in enumerate(zip(items["task"], items["year"], strict=True))
            ]
        }

    def _places(self, items: Items, unit: str) -> list[int]:
        tasks = items["task"] if unit == MEAN else self.subsets[unit]
        return np.flatnonzero(np.isin(items["task"], tasks)).tolist()


def _scored(
    encoder: Encodes, segmenter: Segmenter, pairs: StsPairs
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the cosines of the pairs of a task, 0 where they are not covered, and which are."""
    sides = list(zip((pairs.first, pairs.second), pairs.languages, strict=True))
    counts = [token_counts(segmenter, language, lines) for lines, language in sides]
    covered = np.all([total == read for total, read in counts], axis=0)
    cosines = np.zeros(len(covered))
    rows = np.flatnonzero(covered).tolist()
    vectors = [encoder.encode([lines[n] for n in rows], language) for lines, language in sides]
    cosines[rows] = cosine_similarity(*vectors)
    return cosines, covered


def _part(items: Items, place: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the human scores and cosines of one task, and 1.0 where a pair counts, (n,) each."""
    part = slice(*items["offsets"][place : place + 2])
    return items["gold"][part], items["cosine"][part], items["covered"][part].astype(np.float64)


def _products(
    times: FloatArray, gold: FloatArray, cosine: FloatArray, covered: FloatArray
) -> FloatArray:
    """Return the sums of products of what deviates from the means of a task, (resamples, 3).

    Gold times cosine, gold squared and cosine squared; `times`, (resamples, n), says how often each
    pair is drawn.
    """
    weights = times * covered
    count = np.maximum(weights.sum(axis=1), 1.0)
    sides = [(gold, cosine), (gold, gold), (cosine, cosine)]
    return np.stack(
        [weights @ (x * y) - (weights @ x) * (weights @ y) / count for x, y in sides], axis=1
    )


def _correlation(sums: FloatArray) -> FloatArray:
    """Return r x 100 of sums of products, (n, 3); 0 where nothing varies."""
    both, *squares = sums.T
    scale = np.sqrt(np.maximum(squares[0] * squares[1], 0.0))
    return 100 * np.divide(both, scale, out=np.zeros_like(both), where=scale > 1e-12)
