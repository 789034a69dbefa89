"""Whether training on a device gives what it gives on the CPU, and the same bytes again."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from gpu_timing import epoch, learner_of
from gpu_works import Work

from tandem.training.course import Course, Parameters
from tandem.training.run import course_of


def check(work: Work, device: str) -> str:
    """Return what is the same of a training, as a line of the page."""
    first, second = trained(work, device), trained(work, device)
    whole = same_bytes(first.best, second.best)
    twice = "the same bytes twice" if whole else "OTHER BYTES THE SECOND TIME"
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Path(folder) / "checkpoint"
        trained(work, device, checkpoint, stop=True)
        again = trained(work, device, checkpoint, resumes=True)
    whole = same_bytes(first.best, again.best)
    resumed = "and after a stop" if whole else "and OTHER BYTES AFTER A STOP"
    line = f"- {work.name}, {work.pairs:,} pairs: {twice}, {resumed}"
    if work.cpu_pairs:
        line += f"; {apart(work, device):.0e} from the CPU's table after {work.cpu_pairs:,}"
    return f"{line}."


def trained(
    work: Work, device: str, folder: Path | None = None, stop: bool = False, resumes: bool = False
) -> Course:
    """Train for two epochs, or `stop` in the first; RuntimeError where what `resumes` does not."""
    course = course_of(work.run(epochs=2), work.types, [work.text()], device)
    if resumes and not course.resume(folder):
        raise RuntimeError(f"{work.name}: the checkpoint is not taken up")
    course.run(None, folder, show=False, stopped=lambda: stop)
    return course


def same_bytes(first: Parameters, second: Parameters) -> bool:
    """Whether two trainings have equal parameters."""
    return first.keys() == second.keys() and all(torch.equal(first[n], second[n]) for n in first)


def apart(work: Work, device: str) -> float:
    """Return how far the table is from the CPU's after an epoch in float32 without dropout.

    It is the norm of the difference over that of the table.
    """
    exact, tables = replace(work, dropout=0.0, precision="float32"), []
    pairs = work.text().some(np.arange(work.cpu_pairs))
    for place in ("cpu", device):
        learner = learner_of(exact, pairs, place)
        epoch(learner)
        tables.append(learner.encoder()["embedding"].cpu())
    return float((tables[0] - tables[1]).norm() / tables[0].norm())
