"""What a process may compute with: threads of the processor, and a GPU.

Nothing large is imported here: PyTorch, which takes seconds to load, is asked only where there may
be a GPU.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from tandem.errors import TandemError, whole
from tandem.gpu import ELSEWHERE, of_gpu

if TYPE_CHECKING:
    from typing import Any

    import torch
    from numpy.typing import NDArray
    from torch import Tensor

_as_gpu: list[bool] = []
"""Not empty within `cpu_as_gpu`, in all threads."""
_EXACT_LOCK, _exact = Lock(), list[bool]()
"""Within `exact_products`: what was set before, and an entry for each context."""
_SETTERS = {"torch": "set_num_threads", "faiss": "omp_set_num_threads"}
"""Libraries that may be loaded already, with the function that sets their threads."""


def limit_threads(threads: int) -> None:
    """Let libraries use so many processor threads; best called before they are loaded.

    On the same cores two processes with a thread for every core are slower than with one each.
    TandemError where it is no number of threads.
    """
    if whole(threads, "threads") < 1:
        raise TandemError(f"{threads} threads compute nothing. Give 1 or more")
    wait_passively()
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(threads)
    for name, setter in _SETTERS.items():
        if (library := sys.modules.get(name)) is not None:
            getattr(library, setter)(threads)


def wait_passively() -> None:
    """Let threads of libraries that are not loaded yet sleep while they wait for one another.

    Otherwise they wait in loops, which take the cores from threads that have work. What the
    environment says already stays.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("KMP_BLOCKTIME", "0")  # Intel's OpenMP


def compiling(**options: Any) -> Callable[[Callable[..., Any]], Any]:  # noqa: ANN401
    """Return a decorator that lets numba compile a loop, with these options of its own.

    What is compiled is kept on disk; where nothing may be written each process compiles anew.
    """
    import numba

    def compiled(loop: Callable[..., Any]) -> Any:  # noqa: ANN401
        try:
            return numba.njit(cache=True, **options)(loop)
        except RuntimeError:  # neither beside the code nor in the user's folder
            return numba.njit(**options)(loop)

    return compiled


def place(device: str) -> str:
    """Return the device that a name stands for: for auto, CUDA if there is one, else the CPU.

    Raises:
        TandemError: nothing can be computed there.
    """
    if device == "auto" and not _may_have_gpu():
        device = "cpu"
    if device == "cpu":  # which needs no PyTorch
        return device
    import torch

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError) as error:
        problem = str(error).split("\n")[0]
        raise TandemError(
            f"cannot compute on {device!r} ({problem}). Give another device: --device, or `device` "
            "of the configuration"
        ) from error
    return device


def device_name(device: str) -> str:
    """Return a device with the name of its card, such as "cuda (NVIDIA H100 80GB HBM3)"."""
    kind = device.partition(":")[0]
    if kind != "cuda":
        return kind
    import torch

    return f"{kind} ({torch.cuda.get_device_name(device)})"


@contextmanager
def gpu_errors(remedy: str = ELSEWHERE, device: str = "cuda") -> Iterator[None]:
    """Turn the errors of a GPU that is full or lost into a TandemError; others pass.

    Args:
        remedy: what needs less of its memory, as a sentence without its full stop.
        device: where the body computes; on a CPU nothing is turned.
    """
    try:
        yield
    except RuntimeError as error:
        message = of_gpu(error, device, remedy)
        if device == "cpu" or message is None:
            raise
        raise TandemError(message) from error


def on_host(tensor: Tensor) -> bool:
    """Whether a tensor can be read without waiting for a GPU."""
    return tensor.is_cpu and not _as_gpu


def has_compiled_loops(tensor: Tensor) -> bool:
    """Whether `tandem.kernels` can work on a tensor: of single precision, on a CPU."""
    import torch

    return on_host(tensor) and tensor.dtype == torch.float32


def learns_on_host(device: str) -> bool:
    """Whether training on a device takes the way of a CPU."""
    return device.partition(":")[0] == "cpu" and not _as_gpu


@contextmanager
def cpu_as_gpu() -> Iterator[None]:
    """Let the code for a GPU run on the CPU, so that it can be tested where there is no GPU."""
    _as_gpu.append(True)
    try:
        yield
    finally:
        _as_gpu.pop()


def has_bfloat16(device: torch.device) -> bool:
    """Whether a device has instructions for products of bfloat16.

    Without them a CPU emulates such products, many times slower than those of float32. Of other
    processors than x86-64 it is not known, nor by an old PyTorch.
    """
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return False
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


@contextmanager
def exact_products() -> Iterator[None]:
    """Let cuDNN too multiply float32 as such, not as TF32, until the last such context ends."""
    import torch

    with _EXACT_LOCK:
        if not _exact:  # the setting is one for all threads
            _exact.append(torch.backends.cudnn.allow_tf32)
            torch.backends.cudnn.allow_tf32 = False
        _exact.append(True)
    try:
        yield
    finally:
        with _EXACT_LOCK:
            _exact.pop()
            if len(_exact) == 1:
                torch.backends.cudnn.allow_tf32 = _exact.pop()


def send(values: NDArray[Any] | Tensor, device: str | torch.device) -> Tensor:
    """Copy an array or a tensor of the host to a device, without waiting for the copy.

    To a GPU it goes by pinned memory, which a tensor may lie in already.
    """
    import torch

    tensor = values if isinstance(values, torch.Tensor) else torch.from_numpy(values)
    if torch.device(device).type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def _may_have_gpu() -> bool:
    """Whether a driver of a GPU is there that PyTorch can use; where that is unknown, True."""
    if sys.platform != "linux" or Path("/dev/kfd").exists():  # the latter is AMD's
        return True
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True
