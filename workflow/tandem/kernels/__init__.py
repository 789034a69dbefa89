"""The loops of training that are compiled for the CPU.

Each touches every float once, where a chain of array operations reads and writes it five to ten
times. Rows or dimensions are shared out among threads, never a sum, so the result does not depend
on their number. On CUDA array operations are used instead; tests hold both to the same numbers.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from tandem.machine import compiling

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

compiled = compiling(parallel=True, fastmath={"contract"})


def set_threads(threads: int) -> None:
    """Let compiled loops use so many threads, or what the machine has if that is fewer."""
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # set when it is imported
    numba.set_num_threads(min(threads, most))
