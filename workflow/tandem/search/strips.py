"""Tiles of the product, one after another along a strip, and what in them is above a bar.

The device multiplies and takes maxima; what stands out is gathered and looked into on the host.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import torch

GROUP = 64
"""Products that share one maximum."""

Candidates = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows of one side, rows of the other (int64), their float32 products; each (c,)."""

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


class Tile:
    """Products of two runs of rows, in space used again, and the maxima of every 64 of them.

    `grid` (edge, edge) holds minus infinity beside the product. Fresh pages for each product would
    cost more than the search in it.
    """

    def __init__(self, edge: int, device: torch.device) -> None:
        self.edge, groups = edge, edge // GROUP
        self.grid = torch.full((edge, edge), -torch.inf, device=device)
        self._runs_along = self.grid.view(edge, groups, GROUP)
        self._runs_down = self.grid.view(groups, GROUP, edge)
        self._along = self.grid.new_empty((edge, groups))
        self._down = self.grid.new_empty((groups, edge))
        # the same memory, as what is looked into: made once, since a tile takes a millisecond
        views = (self._along.view(-1), self.grid.view(-1, GROUP),
                 self._down, self._runs_down.transpose(1, 2))
        self._views = tuple(view.numpy() for view in views) if device.type == "cpu" else views

    @classmethod
    def of_thread(cls, edge: int, device: torch.device) -> Tile:
        """Return the one tile of this thread."""
        tile = getattr(_scratch, "tile", None)
        if tile is None or tile.edge != edge or tile.grid.device != device:
            tile = _scratch.tile = cls(edge, device)
        return tile

    def multiply(self, rows: torch.Tensor, columns: torch.Tensor) -> None:
        """Multiply (n, d) by (m, d) and take the maxima while the product is in the cache."""
        out = self.grid
        if len(rows) < self.edge or len(columns) < self.edge:
            self.grid.fill_(-torch.inf)
            out = self.grid[: len(rows), : len(columns)]
        torch.mm(rows, columns.T, out=out)
        torch.amax(self._runs_along, 2, out=self._along)
        torch.amax(self._runs_down, 1, out=self._down)

    def along(self, bars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the runs of 64 in a row whose maximum is above the row's bar.

        Args:
            bars: (edge * edge / 64,) the bar of each row, once for each of its runs.

        Returns:
            Numbers of the runs (h,), row by row, and their products (h, 64).
        """
        numbers = _above(self._views[0], bars)
        return numbers, _pick(self._views[1], numbers)

    def down(self, bars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the runs of 64 in a column whose maximum is above the column's bar (edge,).

        Returns:
            Numbers of the runs (h,), the uppermost of each column first, and their products.
        """
        numbers = _above(self._views[2], bars)
        return numbers, _pick(self._views[3], *np.divmod(numbers, self.edge))


class Strip:
    """What stood out on either side in the tiles of a strip, gathered to be looked into at once."""

    def __init__(self, edge: int) -> None:
        self.edge, self._runs = edge, edge * edge // GROUP
        self._along: list[tuple[np.ndarray, np.ndarray]] = []
        self._down: list[tuple[np.ndarray, np.ndarray]] = []

    def gather(self, tile: Tile, number: int, along: np.ndarray, down: np.ndarray | None) -> None:
        """Take from tile `number` of the strip what is above the bars; see `Tile`."""
        for bars, search, found in (
            (along, tile.along, self._along), (down, tile.down, self._down)
        ):
            if bars is not None:
                runs, products = search(bars)
                if len(runs):
                    found.append((runs + number * self._runs, products))

    def rows_above(self, bars: np.ndarray) -> Candidates:
        """Return rows, columns, products above the bars (edge,) of rows; columns ascend in each."""
        groups = self.edge // GROUP
        numbers, products = _joined(self._along)
        row = numbers % self._runs // groups
        hits, offset = _look_into(products, bars[row])
        column = numbers // self._runs * self.edge + numbers % groups * GROUP
        return row[hits], column[hits] + offset, products[hits, offset]

    def columns_above(self, bars: np.ndarray) -> Candidates:
        """Return columns, rows and products above the columns' bars (m,); rows ascend in each."""
        numbers, products = _joined(self._down)
        column = numbers // self._runs * self.edge + numbers % self.edge
        hits, offset = _look_into(products, bars[column])
        row = numbers % self._runs // self.edge * GROUP
        return column[hits], row[hits] + offset, products[hits, offset]


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    if not parts:
        return np.empty(0, np.int64), np.empty((0, GROUP), np.float32)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _look_into(products: np.ndarray, bars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return run and place within it of the products (h, 64) above the bars of their runs (h,)."""
    return np.divmod(np.flatnonzero(products > bars[:, None]), GROUP)


def _above(values: np.ndarray | torch.Tensor, bars: np.ndarray) -> np.ndarray:
    """Return the flat positions of the values above bars that broadcast to them."""
    if isinstance(values, np.ndarray):  # over ten times faster than PyTorch on a CPU
        return (values > bars).ravel().nonzero()[0]
    above = values > torch.from_numpy(bars).to(values.device)
    return above.flatten().nonzero()[:, 0].cpu().numpy()


def _pick(values: np.ndarray | torch.Tensor, *index: np.ndarray) -> np.ndarray:
    """Return `values[index]` on the host."""
    if isinstance(values, np.ndarray):
        return values[index]
    return values[tuple(torch.from_numpy(part).to(values.device) for part in index)].cpu().numpy()
