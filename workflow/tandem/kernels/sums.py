"""The sums of embeddings, their gradients, and the rows of the table that a batch uses."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import torch
from numba import prange
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tandem.kernels import Floats, Indices, compiled
from tandem.machine import compiling


class Sums(torch.autograd.Function):
    """The sum of each sentence's rows of a table: of (table, ids, offsets), or with (keep, places).

    Without a mask PyTorch computes it, and its gradient is `sums_backward`.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, ids: Tensor, offsets: Tensor, *masks: Tensor) -> Tensor:  # noqa: ANN401
        """Return the sums, (sentences, dimension)."""
        ctx.save_for_backward(ids, offsets, *masks)
        ctx.types = len(table)
        if not masks:
            return functional.embedding_bag(ids, table, offsets[:-1], mode="sum")
        arrays = (tensor.numpy() for tensor in (table.detach(), ids, offsets, *masks))
        return torch.from_numpy(masked_sums(*arrays, numba.get_num_threads()))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the table."""
        ids, offsets, *masks = (tensor.numpy() for tensor in ctx.saved_tensors)
        arrays = gradient.contiguous().numpy(), ctx.types, ids, offsets, numba.get_num_threads()
        table = torch.from_numpy(sums_backward(*arrays, *(masks or (None, None))))
        return table, None, None, *(None for _ in masks)


@compiled
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


@compiled
def sums_backward(
    gradient: Floats,
    types: int,
    ids: Indices,
    offsets: Indices,
    parts: int,
    keep: NDArray[np.uint8] | None,
    places: Indices | None,
) -> Floats:
    """Return the gradient of the table, (types, dimension), from that of the sums.

    Sentences whose gradient is zero are passed over: their margin loss is zero, as that of most is
    once training has come far. `keep` and `places` as for `masked_sums`, or None.
    """
    dimension = gradient.shape[1]
    total = np.zeros((types, dimension), np.float32)
    for part in prange(parts):
        first, last = dimension * part // parts, dimension * (part + 1) // parts
        for sentence in range(len(offsets) - 1):
            source = gradient[sentence, first:last]
            if not source.any():
                continue
            for token in range(offsets[sentence], offsets[sentence + 1]):
                target = total[ids[token], first:last]
                if keep is None:
                    for d in range(last - first):
                        target[d] += source[d]
                else:
                    place = places[token]  # type: ignore[index]  # both are None or neither
                    mask = keep[place + first : place + last]
                    for d in range(last - first):
                        target[d] += source[d] * np.float32(mask[d])
    return total


@compiling()
def number_types(ids: NDArray[Any], scratch: Indices) -> tuple[Indices, Indices]:
    """Return the distinct ids in the order in which they first occur, and the place of each id.

    `scratch`, (vocabulary,), holds -1 everywhere, before and after.
    """
    places, types = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
    count = 0
    for token in range(len(ids)):
        number = scratch[ids[token]]
        if number < 0:
            number = count
            types[count] = ids[token]
            scratch[ids[token]] = count
            count += 1
        places[token] = number
    for place in range(count):
        scratch[types[place]] = -1
    return types[:count].copy(), places
