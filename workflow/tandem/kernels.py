"""The loops of training that are compiled for the CPU.

Each touches every float once, where a chain of array operations reads and writes it five to ten
times. Rows or dimensions are shared out among threads, never a sum, so the result does not depend
on their number. On CUDA array operations are used instead; tests hold both to the same numbers.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import torch
from llvmlite import ir
from numba import prange
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

AHEAD = 2
"""Rows between the one that is computed and the one that memory is asked for."""
ASKED = 320
"""Floats of that row which are asked for; what follows them the processor foresees by itself."""
TINY = 1e-24
"""Least square of a vector's length, so that none divides by zero; PyTorch's `normalize` has it."""

_compiled: Any = numba.njit(parallel=True, cache=True, fastmath={"contract"})


def _cache_line(_: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ANN401
    """Ask the processor for the cache line of array[row, column], without waiting for it."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        kind = signature.args[0]
        held = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, kind, held, arguments[1:], False)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        asked = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, asked, "llvm.prefetch.p0")
        to_read, soon, data = number(0), number(2), number(1)
        builder.call(call, [builder.bitcast(place, byte), to_read, soon, data])
        return context.get_dummy_value()

    return types.void(array, row, column), code


_prefetch: Any = intrinsic(_cache_line)


@numba.njit(cache=True)
def _prefetch_rows(table: Floats, first: Floats, second: Floats, row: int) -> None:
    """Ask for a row of each: they lie far apart in memory, and to wait for one is half the time."""
    for column in range(0, min(table.shape[1], ASKED), 16):  # floats in a cache line
        _prefetch(table, row, column)
        _prefetch(first, row, column)
        _prefetch(second, row, column)


def set_threads(threads: int) -> None:
    """Let compiled loops use so many threads, or what the machine has if that is fewer."""
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # set when it is imported
    numba.set_num_threads(min(threads, most))


class MaskedSums(torch.autograd.Function):
    """`masked_sums` with its gradient: of (table, ids, offsets, keep, places)."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, *rest: Tensor) -> Tensor:  # noqa: ANN401
        """Return the sums, (sentences, dimension)."""
        ctx.save_for_backward(*rest)
        ctx.types = len(table)
        arrays = (tensor.numpy() for tensor in (table.detach(), *rest))
        return torch.from_numpy(masked_sums(*arrays, numba.get_num_threads()))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the table."""
        ids, offsets, *masks = (tensor.numpy() for tensor in ctx.saved_tensors)
        given = gradient.contiguous().numpy(), ctx.types, ids, offsets, numba.get_num_threads()
        return torch.from_numpy(sums_backward(*given, *masks)), None, None, None, None


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
def sums_backward(
    gradient: Floats,
    types: int,
    ids: Indices,
    offsets: Indices,
    parts: int,
    keep: NDArray[np.uint8] | None,
    places: Indices | None,
) -> Floats:
    """Return the gradient of the table, (types, dimension), given that of the sums.

    Sentences whose gradient is zero are passed over: those of a margin loss that is zero, most of
    them once training has come far. `keep` and `places` as for `masked_sums`, or None.
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


class Sums(torch.autograd.Function):
    """The sum of each sentence's rows of a table: of (table, ids, offsets).

    PyTorch's own, but its gradient is `sums_backward`.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, ids: Tensor, offsets: Tensor) -> Tensor:  # noqa: ANN401
        """Return the sums, (sentences, dimension)."""
        ctx.save_for_backward(ids, offsets)
        ctx.types = len(table)
        return functional.embedding_bag(ids, table, offsets[:-1], mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the table."""
        arrays = (tensor.numpy() for tensor in ctx.saved_tensors)
        given = gradient.contiguous().numpy(), ctx.types, *arrays, numba.get_num_threads()
        return torch.from_numpy(sums_backward(*given, None, None)), None, None


class MarginLoss(torch.autograd.Function):
    """The mean margin loss of pairs: of (vectors, found, margin); see `objectives.margin`."""

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, found: Tensor, margin: float) -> Tensor:  # noqa: ANN401
        """Return the loss, a scalar."""
        given = vectors.detach().contiguous().numpy(), found.contiguous().numpy()
        losses, gradient = margin_losses(*given, np.float32(margin))
        ctx.save_for_backward(torch.from_numpy(gradient))
        return vectors.new_tensor(losses.mean(dtype=np.float64))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the vectors."""
        (found,) = ctx.saved_tensors
        return found * gradient, None, None


@_compiled
def margin_losses(
    vectors: Floats, found: NDArray[np.bool_], margin: np.float32
) -> tuple[Floats, Floats]:
    """Return the losses of pairs, (pairs,), and the gradient of their mean.

    The gradient of a cosine c of a and b is (b / |b| - c a / |a|) / |a| with respect to a.

    Args:
        vectors: (4, pairs, dimension), of s, t, the negative of s and that of t.
        found: (2, pairs), whether s and t have a negative.
        margin: by which s and t must be closer.
    """
    _, pairs, dimension = vectors.shape
    losses, gradient = np.empty(pairs, np.float32), np.zeros(vectors.shape, np.float32)
    for pair in prange(pairs):
        s, t, for_s, for_t = vectors[0, pair], vectors[1, pair], vectors[2, pair], vectors[3, pair]
        ss = tt = pp = qq = st = sp = tq = 0.0
        for d in range(dimension):
            ss += s[d] * s[d]
            tt += t[d] * t[d]
            pp += for_s[d] * for_s[d]
            qq += for_t[d] * for_t[d]
            st += s[d] * t[d]
            sp += s[d] * for_s[d]
            tq += t[d] * for_t[d]
        ss, tt, pp, qq = max(ss, TINY), max(tt, TINY), max(pp, TINY), max(qq, TINY)
        cos = st / np.sqrt(ss * tt)
        cos_s, cos_t = sp / np.sqrt(ss * pp), tq / np.sqrt(tt * qq)
        loss_s = max(margin - cos + cos_s, 0.0) if found[0, pair] else 0.0
        loss_t = max(margin - cos + cos_t, 0.0) if found[1, pair] else 0.0
        losses[pair] = loss_s + loss_t
        of_s, of_t = (loss_s > 0) / pairs, (loss_t > 0) / pairs
        if of_s + of_t == 0:
            continue
        pull = (of_s + of_t) / np.sqrt(ss * tt)
        push_s, push_t = of_s / np.sqrt(ss * pp), of_t / np.sqrt(tt * qq)
        own_s = ((of_s + of_t) * cos - of_s * cos_s) / ss
        own_t = ((of_s + of_t) * cos - of_t * cos_t) / tt
        own_p, own_q = -of_s * cos_s / pp, -of_t * cos_t / qq
        for d in range(dimension):
            gradient[0, pair, d] = own_s * s[d] - pull * t[d] + push_s * for_s[d]
            gradient[1, pair, d] = own_t * t[d] - pull * s[d] + push_t * for_t[d]
            gradient[2, pair, d] = push_s * s[d] + own_p * for_s[d]
            gradient[3, pair, d] = push_t * t[d] + own_q * for_t[d]
    return losses, gradient


@numba.njit(cache=True)
def see_columns(
    block: Floats, highest: Floats, places: NDArray[np.int32], first_row: int
) -> None:
    """Raise the highest value of each column, and where it stands, by a block of a matrix."""
    for row in range(len(block)):
        line, place = block[row], np.int32(first_row + row)
        for column in range(len(line)):  # without a branch, so that many are done at once
            better = line[column] > highest[column]
            highest[column] = line[column] if better else highest[column]
            places[column] = place if better else places[column]


@_compiled
def adam_read(
    table: Floats,
    first: Floats,
    second: Floats,
    index: Indices,
    moved: Floats,
    epsilon: Floats,
    values: Floats,
) -> None:
    """Set values to rows of the table, up to date: row - moved * m / (sqrt(v) + epsilon)."""
    for r in prange(len(index)):
        row = index[r]
        _prefetch_rows(table, first, second, index[min(r + AHEAD, len(index) - 1)])
        if moved[r] == 0:  # nothing was missed
            values[r] = table[row]
        else:
            for d in range(table.shape[1]):
                change = moved[r] * first[row, d] / (np.sqrt(second[row, d]) + epsilon[r])
                values[r, d] = table[row, d] - change


@_compiled
def adam_update(
    table: Floats,
    first: Floats,
    second: Floats,
    touched: Indices,
    index: Indices,
    values: Floats,
    gradient: Floats,
    decay1: Floats,
    decay2: Floats,
    step: int,
    beta1: np.float32,
    beta2: np.float32,
    rate: np.float32,
    epsilon: np.float32,
) -> None:
    """Take a step: moments decayed by the missed steps too; value, moments and step stored.

    Rows whose gradient is zero are left as they are: they miss this step.
    """
    one = np.float32(1)
    for r in prange(len(index)):
        row = index[r]
        _prefetch_rows(table, first, second, index[min(r + AHEAD, len(index) - 1)])
        if not gradient[r].any():
            continue
        touched[row] = step
        for d in range(table.shape[1]):
            g = gradient[r, d]
            m = decay1[r] * first[row, d] + (one - beta1) * g
            v = decay2[r] * second[row, d] + (one - beta2) * g * g
            first[row, d], second[row, d] = m, v
            table[row, d] = values[r, d] - rate * m / (np.sqrt(v) + epsilon)


@numba.njit(cache=True)
def number_types(ids: NDArray[Any], scratch: Indices) -> tuple[Indices, Indices]:
    """Return the distinct ids in the order in which they first occur, and the place of each id.

    `scratch`, (vocabulary,), holds -1 everywhere, before and after.
    """
    places, types = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
    count = 0
    for token in range(len(ids)):
        known = scratch[ids[token]]
        if known < 0:
            known = count
            types[count] = ids[token]
            scratch[ids[token]] = count
            count += 1
        places[token] = known
    for place in range(count):
        scratch[types[place]] = -1
    return types[:count].copy(), places
