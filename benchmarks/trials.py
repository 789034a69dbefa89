"""Trainings that are tried to choose values: done side by side, kept in a log, resumed from it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from tandem.files.jsonl import append_entry, read_log

Job = TypeVar("Job")


def results(
    jobs: Sequence[Job],
    key_of: Callable[[Job], str],
    work: Callable[[Job], dict[str, Any]],
    log: Path,
    processes: int,
) -> dict[Job, dict[str, Any]]:
    """Return what each job found, from the log or by doing it now.

    `key_of` is a digest of all that a job depends on: its values, text and code. Jobs with one
    digest are done once.
    """
    keys = {job: key_of(job) for job in jobs}
    known = {entry.get("key"): entry for entry in read_log(log)}
    left = {key: job for job, key in keys.items() if key not in known}
    log.parent.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    # a process for each job, so that what it measures of its process is its own
    with ProcessPoolExecutor(processes, context, max_tasks_per_child=1) as pool:
        entries = tqdm(pool.map(work, left.values()), total=len(left))
        for key, entry in zip(left, entries, strict=True):
            known[key] = {"key": key} | entry
            append_entry(log, known[key])
    return {job: known[key] for job, key in keys.items()}
