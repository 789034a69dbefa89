"""Tasks: what an encoder is scored on, and the statistics of its scores.

A task stores its results item by item, so that encoders can later be compared on the same resampled
items without encoding anything again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from tandem.files.atomic import atomic_path
from tandem.files.io import write_json
from tandem.registry import Kind, Registry
from tandem.segmentation.segmentation import ANY

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray
    from tandem.training.setting import Setting

Items = dict[str, np.ndarray]
"""The results behind a score, item by item; stored as .npz."""


class Encodes(Protocol):
    """What a task needs of a sentence encoder."""

    def encode(
        self, sentences: Iterable[str], language: str | None = None, batch_size: int = 1024
    ) -> np.ndarray:
        """Return one row per sentence, shape (n, dimension), not normalised."""


def device_of(encoder: Encodes) -> str:
    """Return where an encoder computes, and so where its vectors are searched."""
    return getattr(encoder, "device", "cpu")


def knows(encoder: Encodes, language: str) -> bool:
    """Whether an encoder knows a language: one that does not list any knows all."""
    languages = getattr(encoder, "languages", None)
    return languages is None or language in languages or ANY in languages


class Places(Protocol):
    """What a task needs of a study's plan: where corpora are, and what is trained on which."""

    @property
    def fetched(self) -> Mapping[str, list[str]]:
        """The files of every registered corpus."""

    def path(self, *parts: str | int) -> str:
        """Return the path of a result."""

    def models(self, experiments: Iterable[str], seeds: Sequence[int] | None = None) -> list[str]:
        """Return the folders of the encoders that are trained, for all seeds or for some."""

    def setting(self, experiment: str) -> Setting:
        """Return the setting of an experiment."""

    def sides(self, corpus: str) -> list[str]:
        """Return the two sides of a corpus, as in its file names."""

    def mining_of(self, corpus: str) -> str | None:
        """Return the mining task that is hidden in a bitext, if there is one."""


class Task(Kind):
    """A task: from an encoder to items, and from items to figures x 100."""

    metric: ClassVar[str]
    """The metric of its figures: pearson_x100, p_at_1_x100, f1_x100."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the files and folders that an experiment is scored on."""
        raise NotImplementedError

    def optional(self) -> list[str]:
        """Name the registered corpora that it scores on where they can be fetched.

        The input is then the folder of the corpus, which holds its file, or unreachable.txt.
        """
        return []

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Score an encoder on the files that the task needs, by their names."""
        raise NotImplementedError

    def units(self, items: Items) -> list[str]:
        """Name the figures that follow from items: "2012", "mean"; "en-es"; "ratio.max"."""
        raise NotImplementedError

    def estimate(self, items: Items, unit: str) -> float:
        """Return a figure x 100."""
        raise NotImplementedError

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a figure of several systems on the same resampled items.

        Equal seeds give equal resamples, in this call and in any other. Returns
        (systems, resamples), x 100; systems scored on different items are refused.
        """
        raise NotImplementedError

    def count(self, items: Items, unit: str) -> int:
        """Count the items that a figure is measured on."""
        return len(items[unit])

    def details(self, items: Items) -> dict[str, Any]:
        """Return further results for tables, as plain values."""
        return {}


TASKS = Registry("tandem.tasks.kinds", Task)
MEAN = "mean"
"""The unit that averages others: years, directions."""
_DECIMALS = 4


def write_scores(
    path: str | Path, task: Task, items: Items, origin: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Write the figures of a task to `<path>.json`, and the items beside it to `<path>.npz`.

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
