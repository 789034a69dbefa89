"""Semantic textual similarity: Pearson's r of cosine similarity with human scores.

As in the SemEval 2012-2016 tasks and wieting2019 (section Experiments): r x 100 for each dataset,
the unweighted mean of its datasets for each year, the unweighted mean of the years for a model.
The cosine of every pair is kept beside the scores, so that two models can be compared on the same
pairs later without encoding anything again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tandem.errors import InputError, TandemError
from tandem.io import read_json, read_lines
from tandem.statistics.correlation import FloatArray, is_constant, percentile_interval
from tandem.tasks.pair_scores import (
    PairScores,
    bootstrap_means,
    correlation,
    mean_of_years,
    task_correlations,
)

METRIC = "pearson_x100"
HIGHEST_SCORE = 5.0
"""Human scores run from 0 (unrelated) to 5 (same meaning)."""

_DECIMALS = 4

Segmented = TypeVar("Segmented")


class Encoder(Protocol):
    """What is needed of a sentence encoder."""

    def encode(
        self, sentences: Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> NDArray[np.float32]:
        """Return one row per sentence, shape (n, dimension), not normalised."""
        ...


@dataclass(frozen=True)
class Task:
    """One dataset: n sentence pairs with their human scores."""

    name: str
    gold: FloatArray
    first: list[str]
    second: list[str]
    languages: tuple[str, str] = ("en", "en")


@dataclass(frozen=True)
class Index:
    """What an STS folder holds and lacks.

    `tasks` maps `<year>.<task>` to its entry (year, languages, pairs, and `of`, the pairs
    published); `missing` lists what is absent (year, task, of) and why.
    """

    tasks: dict[str, dict[str, Any]]
    missing: list[dict[str, Any]]


def read_task(path: str | Path, languages: Sequence[str] = ("en", "en")) -> Task:
    """Read one task: lines of score, sentence 1, sentence 2, separated by tabs.

    Args:
        path: `<year>.<task>.tsv`.
        languages: of the two sentences; the order of a task's name is not always theirs.

    Raises:
        InputError: when a line has other columns, or a score is not a number from 0 to 5, or the
            scores are all the same.
    """
    path = Path(path)
    gold, first, second = [], [], []
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 3:
            raise InputError(
                path, number, f"{len(columns)} columns, not 3", "Give score, sentence 1, sentence 2"
            )
        gold.append(_score(columns[0], path, number))
        first.append(columns[1])
        second.append(columns[2])
    if not gold or is_constant(np.asarray(gold)):
        raise InputError(path, None, "no two different scores", "Remake the task; r is undefined")
    name, (one, other) = path.name.removesuffix(".tsv"), languages
    return Task(name, np.asarray(gold), first, second, (one, other))


def read_index(folder: str | Path) -> Index:
    """Read which tasks an STS folder holds, from its index.json."""
    stored = read_json(Path(folder) / "index.json")
    tasks = {entry["file"].removesuffix(".tsv"): entry for entry in stored["tasks"]}
    return Index(tasks, stored["missing"])


def tasks_of(index: Index, years: Iterable[int]) -> list[str]:
    """Names of the tasks of the given years, by year, then name."""
    wanted = {int(year) for year in years}
    return sorted(task for task, entry in index.tasks.items() if int(entry["year"]) in wanted)


def covered(
    index: Index, tasks: Iterable[str], languages: Collection[str] | None = None
) -> list[str]:
    """Those of the tasks that are at hand and in an encoder's languages (None: it takes any)."""
    return [
        task
        for task in tasks
        if task in index.tasks
        and (languages is None or set(index.tasks[task]["languages"]) <= set(languages))
    ]


def cosine_similarity(first: NDArray[Any], second: NDArray[Any]) -> FloatArray:
    """Cosine of each row of `first` with the same row of `second`: two (n, d) to (n,).

    The cosine with a zero vector (a sentence that holds no known token) is 0: nothing is known of
    its similarity to anything.

    Raises:
        TandemError: when a vector holds NaN or infinite values.
    """
    first, second = first.astype(np.float64), second.astype(np.float64)
    product = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    if not np.isfinite(product).all():
        row = int(np.flatnonzero(~np.isfinite(product))[0])
        raise TandemError(
            f"the encoder gave a vector that is not finite for sentence pair {row + 1}: training "
            "diverged; lower the learning rate, or train without mixed precision"
        )
    dot = np.einsum("nd,nd->n", first, second)
    return np.divide(dot, product, out=np.zeros_like(dot), where=product > 0)


def select_score(
    embed: Callable[[Segmented], NDArray[Any]],
    first: Segmented,
    second: Segmented,
    gold: FloatArray,
) -> float:
    """Pearson's r x 100 of sentences segmented beforehand: the score that selects an epoch.

    Args:
        embed: from n segmented sentences, in whatever form the trainer keeps them, to (n, d).
        first: the n first sentences of the selection task (STS 2017 en-en in wieting2019).
        second: the n second sentences.
        gold: (n,) human scores.
    """
    return 100 * correlation(gold, cosine_similarity(embed(first), embed(second)))


def score_pairs(encoder: Encoder, tasks: Sequence[Task], years: Mapping[str, int]) -> PairScores:
    """Encode every sentence of the tasks and return the cosine of every pair."""
    cosines = []
    for task in tasks:
        sides = zip((task.first, task.second), task.languages, strict=True)
        vectors = [encoder.encode(sentences, language=language) for sentences, language in sides]
        cosines.append(cosine_similarity(*vectors))
    return PairScores(
        tasks=tuple(task.name for task in tasks),
        years=tuple(years[task.name] for task in tasks),
        gold=tuple(task.gold for task in tasks),
        cosine=tuple(cosines),
    )


def score_sts(
    encoder: Encoder,
    folder: str | Path,
    tasks: Sequence[str],
    resamples: int,
    seed: int,
) -> tuple[dict[str, Any], PairScores]:
    """Score an encoder on tasks of an STS folder.

    Args:
        encoder: gives the sentence vectors.
        folder: one TSV per task, and index.json.
        tasks: names of the tasks to score, in the order of the report.
        resamples: number of bootstrap draws behind the interval.
        seed: of those draws.

    Returns:
        The scores (metric, tasks, years, mean_of_years, mean_of_years_low and _high, x 100, to
        four decimals) and the cosines that they follow from.
    """
    index = read_index(folder)
    if missing := [task for task in tasks if task not in index.tasks]:
        raise TandemError(
            f"{folder}: no task {', '.join(missing)}; it holds {', '.join(sorted(index.tasks))}"
        )
    entries = {task: index.tasks[task] for task in tasks}
    data = [read_task(Path(folder) / f"{t}.tsv", e["languages"]) for t, e in entries.items()]
    years = {task: int(entry["year"]) for task, entry in entries.items()}
    pairs = score_pairs(encoder, data, years)
    return summarise(pairs, resamples, seed), pairs


def summarise(pairs: PairScores, resamples: int, seed: int) -> dict[str, Any]:
    """Return the scores of one system: see `score_sts`."""
    r = task_correlations(pairs)
    years = np.asarray(pairs.years)
    draws = bootstrap_means([pairs], resamples, seed)[:, 0]
    interval = percentile_interval(mean_of_years(pairs), draws)
    return {
        "metric": METRIC,
        "tasks": [
            {"task": task, "year": int(year), "pairs": len(gold), METRIC: _x100(value)}
            for task, year, gold, value in zip(pairs.tasks, years, pairs.gold, r, strict=True)
        ],
        "years": {str(year): _x100(r[years == year].mean()) for year in np.unique(years)},
        "mean_of_years": _x100(interval.estimate),
        "mean_of_years_low": _x100(interval.low),
        "mean_of_years_high": _x100(interval.high),
        "bootstrap": {"resamples": resamples, "seed": seed},
    }


def _score(text: str, path: Path, number: int) -> float:
    """Read a human score, or refuse it."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= HIGHEST_SCORE:
        raise InputError(path, number, f"the score {text!r} is not from 0 to 5", "Mend the score")
    return value


def _x100(value: float) -> float:
    """Correlation x 100, rounded so that the last bits of a sum do not reach the file."""
    return round(100 * float(value), _DECIMALS)
