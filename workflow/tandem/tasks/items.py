"""Scores on disk: figures as JSON, the items that they follow from as .npz, in stable bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tandem.io import atomic_path, write_json

if TYPE_CHECKING:
    from tandem.tasks.task import Items, Task

_DECIMALS = 4


def write_scores(
    stem: Path, task: Task, items: Items, origin: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Write `<stem>.json` and `<stem>.npz`; return the rows, unit and value x 100 of each figure.

    Args:
        stem: of the two files.
        task: what was scored.
        items: what it gave.
        origin: study, experiment, seed, task, and the digest of the code.
    """
    # rounded, so that the last bits of a sum do not reach the file
    rows = [
        {"unit": unit, "value": round(task.estimate(items, unit), _DECIMALS)}
        for unit in task.units(items)
    ]
    write_items(stem.with_name(f"{stem.name}.npz"), items)
    figures = {"metric": task.metric, "rows": rows, "details": task.details(items)}
    write_json(stem.with_name(f"{stem.name}.json"), {**origin, **figures})
    return rows


def write_items(path: str | Path, items: Mapping[str, np.ndarray]) -> None:
    """Write arrays by name, compressed."""
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in items.items():
            # an explicit entry has a fixed date: same bytes
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def read_items(path: str | Path) -> dict[str, np.ndarray]:
    """Read what `write_items` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
