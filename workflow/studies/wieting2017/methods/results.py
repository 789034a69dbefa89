"""What the trainings on every condition scored, as frames for tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tandem.files.io import read_json
from tandem.registry import ConfigurationError
from tandem.tasks.task import MEAN

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.outline import Outline
    from wieting2017.methods.settings import Experiment

METRIC = "pearson_x100"


def inputs(plan: Outline, experiment: Experiment) -> list[str]:
    """Name the files of all texts and encoders."""
    return [
        plan.path("scores/conditions", f"{text}.{encoder}.json")
        for text in experiment.compared
        for encoder in experiment.encoders
    ]


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


def load(files: Iterable[Path], part: str) -> pd.DataFrame:
    """Return a line for each training of a part: bounds, chosen or growth.

    Columns: text, encoder, filter, bounds (as text), seed, size, learning_rate, passing,
    development, test and each further task (NaN where too few pairs pass, or its data is absent).
    """
    import pandas as pd

    rows = []
    for file in files:
        trainings = read_json(file)
        for result in trainings[part]:
            row = {"text": trainings["text"], "encoder": trainings["encoder"]}
            same = ("filter", "seed", "size", "learning_rate", "passing")
            row |= {key: result[key] for key in same}
            row["bounds"] = spelt(result["kept"])
            row |= {"development": np.nan, "test": np.nan}
            row |= {key: _score(value) for key, value in result.items() if isinstance(value, dict)}
            rows.append(row)
    return pd.DataFrame(rows)


def _score(units: dict[str, float]) -> float:
    """Return the mean of a task's units, or the score of its only unit; NaN where there is none."""
    return units.get(MEAN, next(iter(units.values()), np.nan))


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
