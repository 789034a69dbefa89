"""What the trainings on every condition scored, as frames for tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandem.files.io import read_json
from tandem.registry import ConfigurationError
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.task import MEAN, Items, Task, read_items
from wieting2017.methods.items import items_at

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.outline import Outline
    from tandem.reporting.scores import Scores
    from tandem.reporting.table import Material
    from tandem.statistics.inference import Figures
    from wieting2017.methods.settings import Experiment

METRIC = "pearson_x100"
TEST = "test"
"""The column of the mean of the test years."""


def inputs(plan: Outline, texts: Iterable[str], experiment: Experiment) -> dict[str, list[str]]:
    """Name the files of the scores of texts with all encoders, and of the items behind them."""
    names = [f"{text}.{encoder}" for text in texts for encoder in experiment.encoders]
    start = plan.path("scores/conditions")
    return {
        "conditions": [f"{start}/{name}.json" for name in names],
        "condition_items": [f"{start}/{name}.npz" for name in names],
    }


def experiment_of(plan: Outline, table: str) -> Experiment:
    """Return the experiment that a table of the study has.

    Raises:
        ConfigurationError: it has none, or there is no such table.
    """
    from wieting2017.methods.settings import Experiment

    experiment = getattr(plan.study.tables.get(table), "experiment", None)
    if not isinstance(experiment, Experiment):
        raise ConfigurationError(f"of: no table {table!r} has an experiment")
    return experiment


def load(material: Material, experiment: Experiment, part: str) -> pd.DataFrame:
    """Return a line for each training of a part: bounds, chosen or growth.

    Columns: text, encoder, filter, bounds (as text), low and high (of a single filter), seed, size,
    learning_rate, passing, development, test and each further task (NaN where too few pairs pass,
    or its data is absent), and, but of development, <task>_draws: bootstrap draws over its items,
    (resamples,).
    """
    import pandas as pd

    lines: list[dict[str, Any]] = []
    every: dict[str, list[tuple[int, Items]]] = {name: [] for name in (TEST, *experiment.further)}
    files = material.files
    for file, beside in zip(files["conditions"], files["condition_items"], strict=True):
        trainings, items = read_json(file), read_items(beside)
        for result in trainings[part]:
            for task, scored in every.items():
                if result.get(task):
                    scored.append((len(lines), items_at(items, result["items"], task)))
            lines.append(_line(trainings, result, every))
    for task, scored in every.items():
        kind = material.scores.tasks[experiment.test if task == TEST else task]
        for (place, _), draws in zip(scored, _draws(kind, scored, material.scores), strict=True):
            lines[place][f"{task}_draws"] = draws
    return pd.DataFrame(lines)


def _line(trainings: dict, result: dict, tasks: Iterable[str]) -> dict[str, Any]:
    """Return the line of a training, without draws; see `load`."""
    line = {"text": trainings["text"], "encoder": trainings["encoder"]}
    same = ("filter", "seed", "size", "learning_rate", "passing")
    kept = result["kept"]
    line |= {key: result[key] for key in same} | {"bounds": spelt(kept)}
    line |= {end: kept[0][end] if len(kept) == 1 else None for end in ("low", "high")}
    for task in tasks:
        line |= {task: _score(result.get(task, {})), f"{task}_draws": None}
    return line | {"development": _score(result.get("development", {}))}


def by_task(file: Path) -> Iterator[dict[str, Any]]:
    """Yield what each training that is compared, or on more pairs, scored on the test task.

    A line for each year, their mean and each task of STS. `file` has the results of a text with an
    encoder, and one of the same name that ends in .npz the items behind them.
    """
    trainings, items = read_json(file), read_items(file.with_suffix(".npz"))
    for result in (*trainings["chosen"], *trainings.get("growth", ())):
        if TEST not in result:
            continue  # too few pairs pass
        line = {"experiment": file.stem, "filter": result["filter"], "kept": spelt(result["kept"])}
        line |= {"pair_count": result["size"], "task": TEST, "seed": result["seed"]}
        line |= {"metric": METRIC}
        at = items_at(items, result["items"], TEST)
        tasks = Sts(years=np.unique(at["year"]).tolist()).details(at)["tasks"]
        apart = {f"{task['year']}: {task['task']}": task["r_x100"] for task in tasks}
        for unit, value in (result[TEST] | apart).items():
            yield line | {"unit": unit, "value": value}


def _score(units: dict[str, float]) -> float:
    """Return the mean of a task's units, or the score of its only unit; NaN where there is none."""
    return units.get(MEAN, next(iter(units.values()), np.nan))


def _draws(
    kind: Task, scored: Sequence[tuple[int, Items]], scores: Scores
) -> Iterable[NDArray[np.float64]]:
    """Return the draws of what each result of a task scored, on the same resampled items."""
    systems = [items for _, items in scored]
    if not systems:
        return []
    units = kind.units(systems[0])
    unit = MEAN if MEAN in units else units[0]
    return kind.draws(systems, unit, scores.resamples, scores.seed)


def figures(lines: pd.DataFrame, task: str = TEST) -> Figures:
    """Return what a task says of some trainings, one for each seed, in the order of the seeds."""
    from tandem.statistics.inference import Figures

    ordered = lines.sort_values("seed")
    return Figures(ordered[task].to_numpy(float), np.stack(ordered[f"{task}_draws"].to_list()))


def gain(filtered: pd.DataFrame, plain: pd.DataFrame) -> Figures:
    """Return how far trainings are above those without a filter, with the same seeds."""
    return figures(filtered) - figures(same_seeds(plain, filtered))


def same_seeds(lines: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return the lines with a seed that others have, too."""
    return lines[lines["seed"].isin(others["seed"])]


def shared_percent(size: int, passing: int) -> float:
    """Return which share of a seed's pairs another seed draws too, on average, in percent.

    Each draws `size` of those that pass, at random.
    """
    return 100 * size / passing


def spelt(kept: Iterable[dict]) -> str:
    """Write bounds as text; empty for none."""
    return " and ".join(map(_spelt, kept))


def _spelt(kept: dict) -> str:
    if kept["shares"]:
        return f"{kept['score']}, {_spelt_shares(*kept['shares'])}"
    low, high = kept["low"], kept["high"]
    if low is None:
        return f"{kept['score']} to {high:.3g}"
    return f"{kept['score']} from {low:.3g}" + ("" if high is None else f" to {high:.3g}")


def _spelt_shares(low: float | None, high: float | None) -> str:
    if high is None:
        return "" if low is None else f"highest {100 * (1 - low):g}%"
    if low is None:
        return f"lowest {100 * high:g}%"
    return f"percentiles {100 * low:g} to {100 * high:g}"
