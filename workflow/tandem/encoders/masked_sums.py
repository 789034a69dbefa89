"""Sums of masked embeddings and their gradient, compiled for the CPU.

A chain of array operations would write and read every masked token embedding several times, 7 MB
for a batch of 512 short sentences; here each is used as it is read. Dimensions are shared out among
threads, never a sum, so the result does not depend on their number. On CUDA the array operations
are used instead; tests hold both to the same numbers.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import torch
from numba import prange
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


class MaskedSums(torch.autograd.Function):
    """`masked_sums` with its gradient: of (table, ids, offsets, keep, places)."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, *rest: Tensor) -> Tensor:  # noqa: ANN401
        """Return the sums, (sentences, dimension)."""
        ctx.save_for_backward(*rest)
        ctx.types = len(table)
        arrays = (tensor.numpy() for tensor in (table.detach(), *rest))
        return torch.from_numpy(masked_sums(*arrays, torch.get_num_threads()))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the table."""
        arrays = (tensor.numpy() for tensor in ctx.saved_tensors)
        total = masked_sums_backward(
            gradient.contiguous().numpy(), ctx.types, *arrays, torch.get_num_threads()
        )
        return torch.from_numpy(total), None, None, None, None


_compiled = numba.njit(parallel=True, cache=True, fastmath={"contract"})


@_compiled
def masked_sums(
    table: Floats,
    ids: Indices,
    offsets: Indices,
    keep: NDArray[np.uint8],
    places: Indices,
    parts: int,
) -> Floats:
    """Return the sum of each sentence's rows of the table, each masked by a window of `keep`.

    Args:
        table: (types, dimension).
        ids: (tokens,) rows of the table.
        offsets: (sentences + 1,).
        keep: 0 or 1; token t is masked by keep[places[t] : places[t] + dimension].
        places: (tokens,).
        parts: into which the dimensions are divided, one for each thread.
    """
    dimension = table.shape[1]
    sums = np.zeros((len(offsets) - 1, dimension), np.float32)
    for part in prange(parts):
        first, last = dimension * part // parts, dimension * (part + 1) // parts
        for sentence in range(len(offsets) - 1):
            target = sums[sentence, first:last]
            for token in range(offsets[sentence], offsets[sentence + 1]):
                source = table[ids[token], first:last]
                mask = keep[places[token] + first : places[token] + last]
                for d in range(last - first):
                    target[d] += source[d] * np.float32(mask[d])
    return sums


@_compiled
def masked_sums_backward(
    gradient: Floats,
    types: int,
    ids: Indices,
    offsets: Indices,
    keep: NDArray[np.uint8],
    places: Indices,
    parts: int,
) -> Floats:
    """Return the gradient of the table, (types, dimension), given that of the sums."""
    dimension = gradient.shape[1]
    total = np.zeros((types, dimension), np.float32)
    for part in prange(parts):
        first, last = dimension * part // parts, dimension * (part + 1) // parts
        for sentence in range(len(offsets) - 1):
            source = gradient[sentence, first:last]
            for token in range(offsets[sentence], offsets[sentence + 1]):
                target = total[ids[token], first:last]
                mask = keep[places[token] + first : places[token] + last]
                for d in range(last - first):
                    target[d] += source[d] * np.float32(mask[d])
    return total
