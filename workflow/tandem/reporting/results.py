"""What a table is made of: experiments, their settings, and the scores of every seed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd
from safetensors import safe_open

from tandem.errors import TandemError
from tandem.io import atomic_path, read_json
from tandem.statistics.correlation import FloatArray
from tandem.tasks.pair_scores import PairScores, bootstrap_means, mean_of_years, read_pairs


class Role(StrEnum):
    """What a setting stands for in wieting2019's comparison."""

    UNTRAINED = "untrained"
    BACK_TRANSLATED = "back-translated"
    BITEXT = "bitext"
    BITEXT_EQUAL_ENGLISH = "bitext-equal-english"


@dataclass(frozen=True)
class Setting:
    """One column of Table 1: its name in the configuration, its heading, its part in the claims."""

    name: str
    label: str
    role: Role


@dataclass(frozen=True)
class Experiment:
    """One encoder in one setting, trained with one or more seeds.

    `encoder` is the heading of its row (SP, LSTM-SP ...), `setting` the name of a `Setting`,
    `pairs` the number of training pairs, `english_sentences` that of the English sentences in them
    (both sides count in back-translated text), `parameters` the number of trained weights.
    """

    name: str
    encoder: str
    setting: str
    pairs: int
    english_sentences: int
    parameters: int


@dataclass(frozen=True)
class SeedScores:
    """Scores of one seed: r x 100 for each year, their mean, and the cosine of every pair."""

    seed: int
    years: dict[int, float]
    mean: float
    tasks: tuple[dict[str, object], ...]
    pairs: PairScores


@dataclass(frozen=True)
class Result:
    """An experiment with the scores of its seeds."""

    experiment: Experiment
    seeds: tuple[SeedScores, ...]

    @property
    def mean(self) -> float:
        """Mean of years, r x 100, averaged over seeds; at the precision of the cosines."""
        return 100 * float(np.mean([mean_of_years(seed.pairs) for seed in self.seeds]))


def read_results(experiments: Iterable[Experiment], files: Iterable[str | Path]) -> list[Result]:
    """Read the score files of the experiments, any order, into one result for each.

    Args:
        experiments: in the order of the table.
        files: score files (`<task-set>.json`); the pair scores lie beside each, ending in `.npz`.

    Raises:
        TandemError: when an experiment has no file, a file belongs to none of them, or two files
            hold one seed.
    """
    found: dict[str, dict[int, SeedScores]] = {}
    for file in map(Path, files):
        name, scores = _read_seed(file)
        if scores.seed in found.setdefault(name, {}):
            raise TandemError(f"{file}: a second score of {name}, seed {scores.seed}; give one")
        found[name][scores.seed] = scores
    results = []
    for experiment in experiments:
        if experiment.name not in found:
            raise TandemError(f"no scores of experiment {experiment.name}: run its evaluation")
        seeds = found.pop(experiment.name)
        results.append(Result(experiment, tuple(seeds[seed] for seed in sorted(seeds))))
    if found:
        raise TandemError(f"scores of unknown experiments: {', '.join(sorted(found))}")
    return results


def draw_means(results: Sequence[Result], resamples: int, seed: int) -> dict[str, FloatArray]:
    """Bootstrap the mean of years of every experiment over seeds and sentence pairs.

    Two levels: in each draw an experiment's seeds are drawn with replacement, then the pairs of
    every task. All experiments meet the same pairs, so the difference of two experiments' draws is
    a paired bootstrap; their seeds are drawn apart, since a seed means nothing across encoders.
    With one seed only the pairs vary. With k seeds the spread between them is understated by
    (k - 1) / k, as in every bootstrap of a small sample.

    Returns:
        Experiment name to draws, shape (resamples,), r x 100.
    """
    columns = [seed_scores.pairs for result in results for seed_scores in result.seeds]
    means = 100 * bootstrap_means(columns, resamples, seed)
    draws, start = {}, 0
    for result in results:
        name, count = result.experiment.name, len(result.seeds)
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        chosen = rng.integers(count, size=(resamples, count))
        block = means[:, start : start + count]
        draws[name] = np.take_along_axis(block, chosen, axis=1).mean(axis=1)
        start += count
    return draws


def count_parameters(weights: str | Path) -> int:
    """Count the numbers held in a safetensors file, reading its header only."""
    with safe_open(weights, framework="numpy") as tensors:
        shapes = [tensors.get_slice(name).get_shape() for name in tensors.keys()]  # noqa: SIM118
    return sum(int(np.prod(shape, dtype=np.int64)) for shape in shapes)


def write_frame(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table as CSV: figures to four decimals, empty where there is none."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.4f", lineterminator="\n")


def write_text(path: str | Path, text: str) -> None:
    """Write text, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _read_seed(file: Path) -> tuple[str, SeedScores]:
    """Read one score file and the pair scores beside it."""
    stored: Mapping = read_json(file)
    scores = SeedScores(
        seed=int(stored["seed"]),
        years={int(year): float(value) for year, value in stored["years"].items()},
        mean=float(stored["mean_of_years"]),
        tasks=tuple(stored["tasks"]),
        pairs=read_pairs(file.with_suffix(".npz")),
    )
    return stored["experiment"], scores
