"""STS data: sentence pairs with human scores, and the correlation of a cosine with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tandem.corpora.sts_archives import TASK_FILE, gold_score
from tandem.errors import InputError
from tandem.files.io import MAX_DOCUMENT_BYTES, read_json, read_lines
from tandem.files.untrusted import refusing
from tandem.statistics.correlation import FloatArray, is_constant, pearson


@dataclass(frozen=True)
class StsPairs:
    """One STS task: n sentence pairs with their human scores."""

    gold: FloatArray
    first: list[str]
    second: list[str]
    languages: Sequence[str]


@dataclass(frozen=True)
class Index:
    """What an STS folder holds and lacks."""

    tasks: dict[str, dict[str, Any]]
    """By `<year>.<task>`: year, languages, pairs, and `of`, the pairs published."""
    missing: list[dict[str, Any]]
    """What is absent (year, task, of) and why."""


def read_task(path: str | Path, languages: Sequence[str] = ("en", "en")) -> StsPairs:
    """Read one task: lines of score, sentence 1, sentence 2, separated by tabs.

    Other columns, scores that are not from 0 to 5, and scores that are all the same are refused.
    """
    gold, first, second = [], [], []
    for number, line in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        columns = line.split("\t")
        if len(columns) != 3:
            problem = f"{len(columns)} columns, not 3"
            raise InputError(path, number, problem, "Give score, sentence 1, sentence 2")
        gold.append(gold_score(path, number, columns[0]))
        first.append(columns[1])
        second.append(columns[2])
    if not gold:
        raise InputError(path, None, "the file is empty", "Give score, sentence 1, sentence 2")
    if is_constant(np.asarray(gold)):
        raise InputError(path, None, "no two different scores", "Remake the task; r is undefined")
    return StsPairs(np.asarray(gold), first, second, languages)


def read_index(folder: str | Path) -> Index:
    """Read which tasks an STS folder holds, from its index.json."""
    path = Path(folder) / "index.json"
    stored, tasks = read_json(path), {}
    with refusing(path, "no index of STS tasks", "Build the folder again"):
        for entry in stored["tasks"]:
            [name] = re.findall(TASK_FILE, entry["file"])
            first, second = entry.get("languages", ("en", "en"))
            tasks[name] = entry | {"year": name[:4], "languages": [str(first), str(second)]}
        keys = ("year", "task", "of", "why")
        return Index(tasks, [{key: entry[key] for key in keys} for entry in stored["missing"]])


def sentences(folder: str | Path) -> Iterator[str]:
    """Yield every sentence of an STS folder."""
    for name, entry in read_index(folder).tasks.items():
        task = read_task(Path(folder) / f"{name}.tsv", entry["languages"])
        yield from (*task.first, *task.second)


def correlation(gold: FloatArray, cosine: FloatArray) -> float:
    """Pearson's r, (n,) and (n,); 0 when every pair has the same cosine, which orders nothing."""
    return 0.0 if is_constant(cosine) else pearson(gold, cosine)
