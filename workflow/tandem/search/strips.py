"""Strips of the product: multiply tile by tile, then find what is above a bar for each row."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import torch

GROUP = 64
"""Products that share one maximum."""

Candidates = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Rows of one side, rows of the other, float32 products; each (c,)."""

_scratch = threading.local()


@dataclass(frozen=True)
class Plan:
    """Sizes of one search: rows per block of either side, edge of a tile, tiles per task, threads.

    The edge is a multiple of 64.
    """

    source_block: int
    target_block: int
    tile: int
    tiles: int
    workers: int


@dataclass(frozen=True)
class Strip:
    """Products of the rows of a task, tile after tile, and the maxima of every 64 of them.

    `grid` (tiles, tile, tile); `along` the rows, (tiles, tile, tile / 64); `down` the columns,
    (tiles, tile / 64, tile). Minus infinity stands where there is no product.
    """

    grid: torch.Tensor
    along: torch.Tensor
    down: torch.Tensor


def multiply(rows: torch.Tensor, columns: torch.Tensor, plan: Plan) -> Strip:
    """Multiply (n, d) by (m, d) tile by tile, taking the maxima while a tile is in the cache."""
    strip = _space(plan, rows.device)
    if len(rows) < plan.tile or len(columns) < plan.tile * plan.tiles:
        for part in (strip.grid, strip.along, strip.down):
            part.fill_(-torch.inf)
    for grid, along, down, some in zip(
        strip.grid, strip.along, strip.down, columns.split(plan.tile), strict=False
    ):
        torch.mm(rows, some.T, out=grid[: len(rows), : len(some)])
        torch.amax(grid.view(*along.shape, GROUP), 2, out=along)
        torch.amax(grid.view(len(down), GROUP, -1), 1, out=down)
    return strip


def _space(plan: Plan, device: torch.device) -> Strip:
    """Return this thread's scratch strip: fresh pages for each would cost more than the search."""
    strip, shape = getattr(_scratch, "strip", None), (plan.tiles, plan.tile, plan.tile)
    if strip is None or strip.grid.shape != shape or strip.grid.device != device:
        groups = plan.tile // GROUP
        shapes = shape, (plan.tiles, plan.tile, groups), (plan.tiles, groups, plan.tile)
        strip = Strip(*(torch.full(each, -torch.inf, device=device) for each in shapes))
        _scratch.strip = strip
    return strip


def from_rows(strip: Strip, bars: torch.Tensor) -> Candidates:
    """Return rows, columns and products above the bars (tile,) of the rows of a strip.

    Only groups whose maximum is above the bar are looked into. Within a row, columns come in
    ascending order.
    """
    _, tile, groups = strip.along.shape
    # laid out in full: NumPy is slow at comparing when the innermost run is short
    wide = bars.repeat_interleave(groups).view(tile, groups)
    number, row, group = _above(strip.along, wide)
    pieces = strip.grid.view(-1, groups, GROUP)[number * tile + row, group]
    piece, offset, products = _look_into(pieces, bars[row])
    return row[piece], (number * tile + group * GROUP)[piece] + offset, products


def from_columns(strip: Strip, bars: torch.Tensor) -> Candidates:
    """Return columns, rows and products above the bars (tiles * tile,) of the columns of a strip.

    Within a column, rows come in ascending order.
    """
    tiles, groups, tile = strip.down.shape
    number, group, within = _above(strip.down, bars.view(tiles, 1, tile))
    pieces = strip.grid.view(tiles, groups, GROUP, tile)[number, group, :, within]
    column = number * tile + within
    piece, offset, products = _look_into(pieces, bars[column])
    return column[piece], group[piece] * GROUP + offset, products


def _look_into(pieces: torch.Tensor, bars: torch.Tensor) -> Candidates:
    """Return piece, place within it and value of the products (p, 64) above their bars (p,)."""
    piece, offset = _above(pieces, bars[:, None])
    return piece, offset, pieces[piece, offset]


def _above(values: torch.Tensor, bars: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the indices, one tensor per axis, of the values above bars that broadcast to them."""
    if values.device.type == "cpu":  # NumPy compares and lists over ten times faster than PyTorch
        flat = np.flatnonzero(values.numpy() > bars.numpy())
        return tuple(map(torch.from_numpy, np.unravel_index(flat, values.shape)))
    return (values > bars).nonzero(as_tuple=True)
