"""Trainings that are tried to choose values: done side by side, kept in a log, resumed from it."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from tandem.io import read_lines

Job = TypeVar("Job")


def results(
    jobs: Sequence[Job],
    key_of: Callable[[Job], str],
    work: Callable[[Job], dict[str, Any]],
    log: Path,
    processes: int,
) -> dict[Job, dict[str, Any]]:
    """Return what each job found, from the log or by doing it now.

    `key_of` is a digest of all that a job depends on: its values, text and code.
    """
    keys = {key_of(job): job for job in jobs}
    found = {}
    for line in read_lines(log) if log.exists() else ():
        entry = json.loads(line)
        if entry.get("key") in keys:
            found[keys[entry["key"]]] = entry
    left = [job for job in jobs if job not in found]
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool,
        open(log, "a", encoding="utf-8") as stream,
    ):
        for job, entry in zip(left, tqdm(pool.map(work, left), total=len(left)), strict=True):
            stream.write(json.dumps({"key": key_of(job)} | entry) + "\n")
            stream.flush()
            found[job] = entry
    return found
