"""Scripts that time models on the device of their job name its card."""

import contextlib
import logging
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from tandem.files.io import read_json

STUDIES = Path(__file__).parents[3] / "workflow/studies"


@pytest.fixture
def job(monkeypatch, tmp_path):
    """Return a function that runs a script of a study as a job on a card that is not there."""
    shared = SimpleNamespace(
        add_kinds=lambda config: None, job_device=lambda config: "cuda:0",
        logged=lambda path: contextlib.nullcontext(logging.getLogger("tandem")),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "_adapter", shared)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"Card of {device}")

    def run(script, params, **inputs):
        times = tmp_path / "times.json"
        snakemake = SimpleNamespace(
            log=["log"], config={}, params=SimpleNamespace(turns=1, pairs=2, code="", **params),
            input=SimpleNamespace(**inputs), output=SimpleNamespace(times=times),
        )  # fmt: skip
        runpy.run_path(str(STUDIES / script), {"snakemake": snakemake})
        return read_json(times)

    return run


def test_times_of_epochs(job):
    script = "wieting2020/scripts/time_epochs.py"
    times = job(script, {"runs": {}, "sides": {}}, segmented=[])
    assert times["device"] == "cuda (Card of cuda:0)"


def test_times_of_comparisons(job, monkeypatch):
    from fedorova2024.methods import comparing
    from tandem.corpora import labelled
    from tandem.encoders import baselines

    row = SimpleNamespace(first="a", second="b")
    monkeypatch.setattr(labelled, "read_scored", lambda *_: {"en": {0: row}})
    monkeypatch.setattr(
        baselines, "load_baseline", lambda name, device: SimpleNamespace(device=device)
    )
    monkeypatch.setattr(comparing, "pairs_per_second", lambda *_: 2.0)
    monkeypatch.setattr(comparing, "seconds_of_all", lambda *_: 3.0)
    params = {"trained": [], "baselines": {"muse": "muse"}}
    times = job("fedorova2024/scripts/time_comparisons.py", params, pairs="", models=[])
    assert times["models"]["muse"]["device"] == "cuda (Card of cuda:0)"
