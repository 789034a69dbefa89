import os
import subprocess
import sys
from pathlib import Path

import pytest

import tandem
from tandem import machine
from tandem.errors import TandemError

LIBRARY = Path(tandem.__file__).parents[1]
JOB = f"""
import os, sys, types
sys.path.insert(0, {str(LIBRARY / "scripts")!r})
snakemake = types.SimpleNamespace(threads=1)
import _adapter
import numba, torch, faiss
print(numba.get_num_threads(), torch.get_num_threads(), faiss.omp_get_max_threads())
"""
SEARCH = """
import sys
import numpy as np
from tandem import machine
from tandem.search.neighbours import search

machine._may_have_gpu = lambda: False
search(np.eye(3), np.eye(3), 1)
print("torch" in sys.modules)
"""


def output_of(code, home):
    (home / ".snakemake").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
        | {"PYTHONPATH": str(LIBRARY)},
        cwd=home, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


def test_a_job_computes_with_the_threads_of_its_rule(tmp_path):
    assert output_of(JOB, tmp_path) == ["1", "1", "1"]


def test_a_search_without_a_gpu_does_not_wait_for_pytorch(tmp_path):
    assert output_of(SEARCH, tmp_path) == ["False"]


def test_where_there_may_be_a_gpu_pytorch_is_asked(monkeypatch):
    import torch

    monkeypatch.setattr(machine, "_may_have_gpu", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert machine.place("auto") == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch, "zeros", lambda *_, device: torch.ones(1))
    assert machine.place("auto") == "cuda"


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(TandemError, match="cannot compute on 'cuda:99'"):
        machine.place("cuda:99")
