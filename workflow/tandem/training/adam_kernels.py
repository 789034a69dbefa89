"""The optimiser's two loops, compiled for the CPU.

Each touches every float once, where a chain of array operations reads and writes it five to ten
times. Rows are shared out among threads, never a sum, so the result does not depend on their
number. On CUDA the array operations are used instead; tests hold both to the same numbers.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from tandem.training.constants import BETA1, BETA2, EPSILON

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]

_compiled = numba.njit(parallel=True, cache=True, fastmath={"contract"})


def set_threads(threads: int) -> None:
    """Let compiled loops use so many threads, or what the machine has if that is fewer."""
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))


@_compiled
def adam_read(
    table: Floats,
    first: Floats,
    second: Floats,
    touched: Indices,
    index: Indices,
    tails: Doubles,
    powers: Doubles,
    epsilons: Floats,
    step: int,
    rate: float,
) -> Floats:
    """Return rows of the table brought up to date: value - moved * m / (sqrt(v) + epsilon)."""
    dimension = table.shape[1]
    values = np.empty((len(index), dimension), np.float32)
    for r in prange(len(index)):
        row = index[r]
        last = touched[row]
        if last == 0:  # no moments yet
            values[r] = table[row]
        else:
            moved = np.float32(rate * (tails[last] - powers[step - last] * tails[step]))
            eps = epsilons[last]
            for d in range(dimension):
                change = moved * first[row, d] / (np.sqrt(second[row, d]) + eps)
                values[r, d] = table[row, d] - change
    return values


@_compiled
def adam_update(
    table: Floats,
    first: Floats,
    second: Floats,
    index: Indices,
    values: Floats,
    gradient: Floats,
    age: Indices,
    rate: float,
    bias2: float,
) -> None:
    """Take a step: moments decayed by the missed steps too; value, moments stored."""
    one, rate32, scale = np.float32(1), np.float32(rate), np.float32(1 / bias2)
    beta1, beta2, eps = np.float32(BETA1), np.float32(BETA2), np.float32(EPSILON)
    for r in prange(len(index)):
        row = index[r]
        decay1 = np.float32(BETA1 ** (age[r] + 1))
        decay2 = np.float32(BETA2 ** (age[r] + 1))
        for d in range(table.shape[1]):
            g = gradient[r, d]
            m = decay1 * first[row, d] + (one - beta1) * g
            v = decay2 * second[row, d] + (one - beta2) * g * g
            first[row, d], second[row, d] = m, v
            table[row, d] = values[r, d] - rate32 * m / (np.sqrt(v) * scale + eps)
