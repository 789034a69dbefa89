import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core import caching

import tandem
from tandem import machine
from tandem.errors import TandemError, explained
from tandem.machine import compiling

LIBRARY = Path(tandem.__file__).parents[1]
JOB = f"""
import os, sys, types
sys.path.insert(0, {str(LIBRARY / "scripts")!r})
snakemake = types.SimpleNamespace(threads=1)
import _adapter
import numba, torch, faiss
print(numba.get_num_threads(), torch.get_num_threads(), faiss.omp_get_max_threads())
"""
WAITING = """
import os
from tandem.cli import main

try:
    main(["--version"])
except SystemExit:
    pass
print(os.environ["OMP_WAIT_POLICY"], os.environ["KMP_BLOCKTIME"])
"""
LOADED = """
import faiss, torch
from tandem import limit_threads

for count in (3, 1):
    limit_threads(count)
    print(torch.get_num_threads(), faiss.omp_get_max_threads())
"""
CARDS = f"""
import sys
sys.path.insert(0, {str(LIBRARY / "scripts")!r})
import _adapter, torch
torch.cuda.device_count, torch.cuda.set_device = lambda: 2, lambda number: None
print(*(_adapter._free_card() for _ in range(3)))
"""
SEARCH = """
import sys
import numpy as np
from tandem import machine
from tandem.search.neighbours import search

machine._may_have_gpu = lambda: False
search(np.eye(3), np.eye(3), 1, device="auto")
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


def test_where_nothing_may_be_written_loops_are_compiled_anew(monkeypatch):
    for kind in (caching.CompileResultCacheImpl, caching.CodeLibraryCacheImpl):
        monkeypatch.setattr(kind, "_locator_classes", [])

    def doubled(number):
        return 2 * number

    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(doubled)
    loop = compiling(nogil=True)(doubled)
    assert loop(4) == 8 and loop.signatures


def test_threads_that_wait_leave_the_cores_to_others(tmp_path):
    assert output_of(WAITING, tmp_path)[-2:] == ["PASSIVE", "0"]


@pytest.mark.parametrize("call", [machine.wait_passively, lambda: machine.limit_threads(1)])
def test_how_threads_wait_is_the_choice_of_the_environment(call, monkeypatch):
    monkeypatch.setattr(os, "environ", {"OMP_WAIT_POLICY": "ACTIVE"})
    monkeypatch.setattr(machine, "_SETTERS", {})
    call()
    assert (os.environ["OMP_WAIT_POLICY"], os.environ["KMP_BLOCKTIME"]) == ("ACTIVE", "0")


def test_libraries_that_are_loaded_already_get_their_threads(tmp_path):
    assert output_of(LOADED, tmp_path) == ["3", "3", "1", "1"]
    with pytest.raises(TandemError, match="0 threads compute nothing"):
        machine.limit_threads(0)


def test_every_job_takes_a_card_of_its_own_and_the_first_if_there_is_none(tmp_path):
    assert output_of(CARDS, tmp_path) == ["cuda:0", "cuda:1", "cuda"]


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


def test_a_device_has_the_name_of_its_card(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"Card of {device}")
    assert machine.device_name("cpu") == "cpu"
    assert machine.device_name("cuda:1") == "cuda (Card of cuda:1)"


FULL = (
    "CUDA out of memory. Tried to allocate 9 GiB. GPU 1 has a total capacity of 79.10 GiB of which "
    "5 MiB is free. Including non-PyTorch memory, this process has 78 GiB memory in use."
)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (FULL, r"^cuda:1 is full \(CUDA out of memory\. .* 5 MiB is free\)\. Lower it, end "),
        ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`", "cuda:1 is full"),
        ("CUDA failed with error out of memory", "cuda:1 is full"),  # CTranslate2's words
        ("CUDA error: unspecified launch failure\nCUDA kernel errors", r"failure\)\. Give "),
        ("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "cuda:1 is lost .* another card"),
        ("cuDNN failed with status CUDNN_STATUS_EXECUTION_FAILED", "cuda:1 is lost"),
        ("cuBLAS failed with status CUBLAS_STATUS_ALLOC_FAILED", "cuda:1 is full"),
        ("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate`", "1 is full"),
    ],
)
def test_a_gpu_that_is_full_or_lost_is_named_with_a_remedy(problem, said):
    import torch

    kind = torch.OutOfMemoryError if problem is FULL else RuntimeError
    with pytest.raises(TandemError, match=said), machine.gpu_errors("Lower it", "cuda:1"):
        raise kind(problem)
    with pytest.raises(kind), machine.gpu_errors("Lower it", "cpu"):
        raise kind(problem)


def test_what_nothing_turned_is_told_as_of_a_gpu_and_not_of_the_host():
    said = explained(RuntimeError(FULL), "--threads")
    assert said.startswith("the GPU is full (CUDA out of memory. Tried")
    assert "Compute on the CPU (--device cpu, or `device: cpu` of the configuration)" in said
    assert "--threads" not in said and "ulimit" not in said
    assert "ulimit" in explained(RuntimeError("std::bad_alloc"), "--threads")


@pytest.mark.parametrize(
    "problem",
    [
        "CUDA error: device-side assert triggered",
        "CUDA error: an illegal memory access was encountered",
        "CUDA error: operation not permitted when stream is capturing",
        "CUDA error: no kernel image is available for execution on the device",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR",
        "shape mismatch: no CUDA error",
    ],
)
def test_a_fault_of_the_program_stays_one(problem):
    with pytest.raises(RuntimeError, match=problem), machine.gpu_errors("Lower it", "cuda"):
        raise RuntimeError(problem)
