"""What the errors of a GPU say: that it is full or lost, which is no fault of the program."""

from __future__ import annotations

import re

_OF_A_GPU = re.compile(
    "CUDA (?:driver )?(?:error|failed|out of memory)|cu(?:DNN|BLAS) (?:error|failed)", re.IGNORECASE
)
"""How the errors of PyTorch and CTranslate2 begin that come from a GPU."""
_FULL = re.compile("out of memory|ALLOC_FAILED|CUBLAS_STATUS_NOT_INITIALIZED")
"""CuBLAS is not initialised where its workspace finds no room."""
_LOST = re.compile(
    "unspecified launch failure|uncorrectable ECC|device is lost|no CUDA-capable device|"
    "busy or unavailable|driver shutting down|hardware|has fallen off|unknown error|"
    "initialization error|EXECUTION_FAILED|system not"
)
"""What is not a fault of the program: the card or its driver does not answer."""
_MORE = re.compile(r"\n| Process \d| Including non-PyTorch| Of the allocated")
"""Where PyTorch's account of a full GPU goes on beyond what was asked for and what is there."""


ELSEWHERE = "Compute on the CPU (--device cpu, or `device: cpu` of the configuration)"
"""What helps where a GPU has too little memory whatever the settings."""


def of_gpu(error: Exception, device: str = "the GPU", remedy: str = ELSEWHERE) -> str | None:
    """Return what to do about a GPU that is full or lost; None: it is another error.

    `remedy` is what needs less of its memory, as a sentence without its full stop.
    """
    text = str(error)
    problem = _MORE.split(text)[0].rstrip(". ")
    if not isinstance(error, RuntimeError) or not _OF_A_GPU.match(text):
        return None
    if _FULL.search(text):
        others = "end what else runs on it, or take another card"
        return f"{device} is full ({problem}). {remedy}, {others}"
    if _LOST.search(problem):
        return (
            f"{device} is lost ({problem}). Give the same command again, on another card if this "
            "one fails again: a training goes on from its checkpoint"
        )
    return None
