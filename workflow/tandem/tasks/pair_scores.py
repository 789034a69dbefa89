"""Pair scores: one system's similarity of every sentence pair, and what follows from it.

The unit that comparisons between systems are made of. Pearson's r of each task, the mean of a
year's tasks and the mean of years (wieting2019, section Experiments) are functions of it, and so
are their bootstrap draws, which are shared by all systems scored on the same pairs.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tandem.errors import TandemError
from tandem.io import atomic_path
from tandem.statistics.correlation import FloatArray, bootstrap_pearson, is_constant, pearson


@dataclass(frozen=True)
class PairScores:
    """Human score and cosine of every pair of several tasks, in the order of `tasks`."""

    tasks: tuple[str, ...]
    years: tuple[int, ...]
    gold: tuple[FloatArray, ...]
    cosine: tuple[FloatArray, ...]


def correlation(gold: FloatArray, cosine: FloatArray) -> float:
    """Pearson's r, (n,) and (n,); 0 when every pair has the same cosine, which orders nothing."""
    return 0.0 if is_constant(cosine) else pearson(gold, cosine)


def task_weights(years: Sequence[int]) -> FloatArray:
    """Weight of each task in the mean of years: 1 / (number of years x tasks of its year)."""
    years = np.asarray(years)
    each, position, sizes = np.unique(years, return_inverse=True, return_counts=True)
    return 1.0 / (len(each) * sizes[position])


def task_correlations(pairs: PairScores) -> FloatArray:
    """Pearson's r of each task, shape (tasks,)."""
    return np.array(
        [correlation(gold, cosine) for gold, cosine in zip(pairs.gold, pairs.cosine, strict=True)]
    )


def mean_of_years(pairs: PairScores) -> float:
    """Mean over years of the mean over a year's tasks of Pearson's r (not x 100)."""
    return float(task_weights(pairs.years) @ task_correlations(pairs))


def bootstrap_means(systems: Sequence[PairScores], resamples: int, seed: int) -> FloatArray:
    """Mean of years of several systems under the same resampled pairs, not x 100.

    Pairs are drawn within each task, from a stream that depends on the seed and the task's name
    alone: systems compared now, later or in another order meet the same resamples.

    Returns:
        (resamples, systems).

    Raises:
        TandemError: when the systems were not scored on the same pairs.
    """
    same = systems[0]
    for other in systems[1:]:
        if other.tasks != same.tasks or any(map(_differ, other.gold, same.gold)):
            raise TandemError(
                "the systems to compare were scored on different pairs: score them again on the "
                "same STS folder"
            )
    means = np.zeros((resamples, len(systems)))
    for position, weight in enumerate(task_weights(same.years)):
        rng = np.random.default_rng([seed, zlib.crc32(same.tasks[position].encode())])
        scores = np.stack([system.cosine[position] for system in systems])
        means += weight * bootstrap_pearson(same.gold[position], scores, resamples, rng)
    return means


def write_pairs(path: str | Path, pairs: PairScores) -> None:
    """Write pair scores as `.npz`: task, year, offsets (tasks + 1), gold and cosine (all pairs)."""
    arrays = {
        "task": np.array(pairs.tasks),
        "year": np.array(pairs.years, dtype=np.int64),
        "offsets": np.cumsum([0, *map(len, pairs.gold)], dtype=np.int64),
        "gold": np.concatenate(pairs.gold),
        "cosine": np.concatenate(pairs.cosine),
    }
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            # An explicit entry has a fixed date, whatever the interpreter's default: same bytes
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def read_pairs(path: str | Path) -> PairScores:
    """Read what `write_pairs` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        cuts = stored["offsets"][1:-1]
        return PairScores(
            tasks=tuple(map(str, stored["task"])),
            years=tuple(map(int, stored["year"])),
            gold=tuple(np.split(stored["gold"], cuts)),
            cosine=tuple(np.split(stored["cosine"], cuts)),
        )


def _differ(one: FloatArray, other: FloatArray) -> bool:
    """Whether two arrays differ in shape or value."""
    return not np.array_equal(one, other)
