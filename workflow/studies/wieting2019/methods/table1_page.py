"""Parts of Table 1's page, and what its rows say of a trained model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.objectives.contrastive import Contrastive
from tandem.objectives.objective import OBJECTIVES
from tandem.reporting.table import Material
from tandem.tasks.sts_data import Index
from tandem.tasks.task import MEAN

if TYPE_CHECKING:
    import pandas as pd


def fewer(experiment: str, material: Material) -> str:
    """Return the mark of an experiment that is trained for fewer epochs than in the paper."""
    epochs = material.plan.epochs(experiment)
    return f", fewer epochs ({epochs})" * material.plan.fewer_epochs(experiment)


def count_parameters(weights: Path) -> int:
    """Count the numbers held in a safetensors file, reading its header only."""
    from math import prod

    from safetensors import safe_open

    with safe_open(weights, framework="numpy") as tensors:
        names = tensors.keys()
        return sum(prod(tensors.get_slice(name).get_shape()) for name in names)


def years(frame: pd.DataFrame, material: Material) -> str:
    """Return a grid of every row of the table with its years."""
    from tandem.reporting.writer import grid

    names = [c.removesuffix("_pearson_x100") for c in frame.columns if c.startswith("sts")]
    shares = [name for name in frame.columns if name.endswith("_coverage_x100")][:1]
    rows = [
        [
            row["encoder"] + fewer(row["experiment"], material),
            material.plan.setting(row["experiment"]).label,
            f"{row['parameters']:,}",
            *(f"{row[name]:.1f}%" for name in shares),
        ]
        + [f"{row[f'{name}_pearson_x100']:.1f}" for name in [*names, MEAN]]
        + [str(row["seed_count"])]
        for _, row in frame.iterrows()
    ]
    headings = [name.removeprefix("sts") for name in names]
    about = ["Encoder", "Trained on", "Parameters", *["Words read"] * len(shares)]
    return grid([*about, *headings, "Mean", "Seeds"], rows)


def year_tasks(tasks: Sequence[Mapping[str, Any]], index: Index) -> str:
    """List for each year its tasks, how many of their published pairs it has, and missing tasks."""
    lines = []
    for year in dict.fromkeys(task["year"] for task in tasks):
        parts = []
        for name, pairs in ((t["task"], t["pairs"]) for t in tasks if t["year"] == year):
            of = index.tasks[name]["of"]
            count = f"{pairs:,} of {of:,}" if of else f"{pairs:,}"
            parts.append(f"{name.removeprefix(f'{year}.')} ({count} pairs)")
        absent = [
            f"{entry['task']} ({entry['of']:,} pairs: {entry['why']})"
            for entry in index.missing
            if int(entry["year"]) == year
        ]
        share = f"{len(parts)} of {len(parts) + len(absent)} tasks"
        lines.append(f"- {year}, {share}: {', '.join(parts)}.")
        lines[-1] += f" Not scored: {'; '.join(absent)}." if absent else ""
    return "\n".join(lines)


def megabatch(model: Path) -> int | None:
    """Return how many batches the largest mega-batch of a model's training has.

    None for a model that was not trained, or by an objective without mega-batches.
    """
    training = read_json(model / "encoder.json")["training"]
    if not training["pairs"]:
        return None
    objective, recipe = OBJECTIVES.parse(training["objective"]), training["recipe"]
    if not isinstance(objective, Contrastive):
        return None
    return objective.largest_pool(training["pairs"], recipe["batch"], recipe["epochs"])


def megabatches(frame: pd.DataFrame, material: Material) -> list[str]:
    """Say what mega-batches each setting reaches."""
    lines = []
    for setting, rows in frame.dropna(subset=["megabatch"]).groupby("setting", sort=False):
        sizes = sorted({int(size) for size in rows["megabatch"]})
        label = material.plan.setting(rows["experiment"].iloc[0]).label
        encoders = rows["encoder"].unique()
        which = "" if len(sizes) == 1 else f" ({', '.join(map(str, encoders))})"
        lines.append(f"- {label} ({setting}){which}: {' or '.join(map(str, sizes))}.")
    if not lines:
        return []
    note = (
        "The batches of the largest mega-batch that each training reaches. Where mega-batches grow "
        "with the updates, a training of few updates never has full ones; none has more than a "
        "pass over its text."
    )
    return ["## Mega-batches", note, "\n".join(lines)]
