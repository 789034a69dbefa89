"""Score files: scores as JSON, and the items behind them as .npz."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tandem.io import atomic_path, write_json
from tandem.tasks.task import Items, Task

_DECIMALS = 4


def write_scores(
    path: str | Path, task: Task, items: Items, origin: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Write what a task makes of items: `<path>.json`, and the items beside it in `<path>.npz`.

    `origin` is the study, experiment, seed, name of the task, and the code behind them. Returns the
    figures, unit and value x 100, rounded so that the last bits of a sum do not reach the file.
    """
    rows = [
        {"unit": unit, "value": round(task.estimate(items, unit), _DECIMALS)}
        for unit in task.units(items)
    ]
    stored = {"metric": task.metric, "rows": rows, "details": task.details(items), **origin}
    write_items(f"{path}.npz", items)
    write_json(f"{path}.json", stored)
    return rows


def write_items(path: str | Path, items: Items) -> None:
    """Write arrays by name, compressed and without a date: equal ones give equal bytes."""
    with atomic_path(path) as temporary, open(temporary, "wb") as out:
        np.savez_compressed(out, **items)  # type: ignore[arg-type]  # none is called allow_pickle


def read_items(path: str | Path) -> Items:
    """Read what `write_items` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
