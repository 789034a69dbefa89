"""The row-wise Adam: rows of a table are brought up to date, and take a step."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import prange
from numba.core import cgutils, types
from numba.extending import intrinsic

from tandem.kernels import Floats, Indices, compiled
from tandem.machine import compiling

AHEAD = 2
"""How many rows ahead of the computed one memory is asked for."""
ASKED = 320
"""Floats of that row that are asked for; the processor foresees the rest by itself."""


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


@compiling()
def _prefetch_rows(table: Floats, first: Floats, second: Floats, row: int) -> None:
    """Ask for a row of each: they lie far apart in memory, and waiting takes half the time."""
    for column in range(0, min(table.shape[1], ASKED), 16):  # floats in a cache line
        _prefetch(table, row, column)
        _prefetch(first, row, column)
        _prefetch(second, row, column)


@compiled
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


@compiled
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
    """Take a step, with moments decayed by the missed steps too; store values, moments and step.

    Rows whose gradient is zero are left as they are: they miss this step.
    """
    unit = np.float32(1)
    for r in prange(len(index)):
        row = index[r]
        _prefetch_rows(table, first, second, index[min(r + AHEAD, len(index) - 1)])
        if not gradient[r].any():
            continue
        touched[row] = step
        for d in range(table.shape[1]):
            g = gradient[r, d]
            m = decay1[r] * first[row, d] + (unit - beta1) * g
            v = decay2[r] * second[row, d] + (unit - beta2) * g * g
            first[row, d], second[row, d] = m, v
            table[row, d] = values[r, d] - rate * m / (np.sqrt(v) + epsilon)
