"""Blocks of the product, tile by tile: find what may enter a list, then score that exactly."""

from __future__ import annotations

import threading
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import torch

from tandem.search.lists import NOBODY, Lists, merge_candidates
from tandem.search.rows import Rows, pair_scores, read_normalised

SPARE = 8
"""Places beyond k for candidates whose float32 products cannot be told apart from the k-th."""

_PAIR_BYTES = 1 << 20
_ROWS_AT_ONCE = 4096
_PENDING = 8192
GROUP = 64
"""Products that share one maximum."""

_scratch = threading.local()

Candidates = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Rows of a block, rows of the other block, float32 products; each (c,)."""


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


@dataclass
class Side:
    """A block of one side, its finished lists, and its candidates among the other side's block.

    `vectors` (n, d) at length 1; `indices`, `scores` (n, k) the lists, exact. `near`, `products`
    (n, k + SPARE): the best of the other block so far by float32 product; `lost` (n,) is the best
    product that found no place there. Only a product above `bars` (n,) can matter. `slack` (n,)
    bounds the rounding error of the products of a row.
    """

    vectors: torch.Tensor
    first: int
    indices: torch.Tensor
    scores: torch.Tensor
    slack: torch.Tensor
    near: torch.Tensor
    products: torch.Tensor
    lost: torch.Tensor
    bars: torch.Tensor
    pending: list[Candidates] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.vectors)

    @classmethod
    def load(
        cls, rows: Rows, start: int, stop: int, lists: Lists, at: int, device: torch.device
    ) -> Side:
        """Load rows `start` to `stop` with their lists, which begin at row `at` of `lists`."""
        vectors = read_normalised(rows, start, stop).to(device)
        indices, scores = lists.read(at, at + stop - start, device)
        # Products with a row of zeros are exact: without slack its ties cost nothing.
        slack = torch.zeros(stop - start, device=device)
        slack[vectors.abs().amax(1) > 0] = rounding_bound(vectors.shape[1])
        places = (stop - start, indices.shape[1] + SPARE)
        near = torch.empty(places, dtype=torch.int64, device=device)
        products = torch.empty(places, device=device)
        lost, bars = torch.empty_like(slack), torch.empty_like(slack)
        return cls(vectors, start, indices, scores, slack, near, products, lost, bars)

    def begin(self) -> None:
        """Forget the candidates, before another block of the other side."""
        self.near.fill_(NOBODY)
        self.products.fill_(-torch.inf)
        self.lost.fill_(-torch.inf)
        torch.sub(self.scores[:, -1], self.slack, out=self.bars)

    def add(self, candidates: Candidates) -> None:
        """Take candidates in; merge them when enough have gathered to be worth it."""
        if len(candidates[0]):
            self.pending.append(candidates)
            if sum(len(owners) for owners, _, _ in self.pending) >= _PENDING:
                self.merge()

    def merge(self) -> None:
        """Merge what is pending and raise the bars."""
        if not self.pending:
            return
        owners, others, products = (torch.cat(parts) for parts in zip(*self.pending, strict=True))
        self.pending.clear()
        touched, lost = merge_candidates(self.near, self.products, owners, others, products)
        self.lost[touched] = torch.maximum(self.lost[touched], lost)
        kth = self.products[touched, self.indices.shape[1] - 1] - 2 * self.slack[touched]
        self.bars[touched] = torch.maximum(self.bars[touched], kth)

    def settle(self, other: Side, plan: Plan, pool: Executor) -> None:
        """Score the candidates exactly and bring them into the lists."""
        starts = range(0, len(self), _ROWS_AT_ONCE)
        list(pool.map(lambda start: self._settle_rows(other, start, plan), starts))

    def _settle_rows(self, other: Side, start: int, plan: Plan) -> None:
        rows = slice(start, min(start + _ROWS_AT_ONCE, len(self)))
        indices, scores = self.indices[rows].clone(), self.scores[rows].clone()
        products, slack = self.products[rows], self.slack[rows, None]
        kth = products[:, scores.shape[1] - 1, None]
        found = (products >= kth - 2 * slack) & (products > scores[:, -1:] - slack)
        owners = found.nonzero()[:, 0]
        if not len(owners):
            return
        others, order = self.near[rows][found].sort(stable=True)
        owners = owners[order]
        exact = _score(self.vectors[rows], other.vectors, owners, others)
        merge_candidates(indices, scores, owners, others + other.first, exact)
        bars = scores[:, -1] - self.slack[rows]
        doubtful = (self.lost[rows] > bars).nonzero()[:, 0]
        if len(doubtful):
            # more than SPARE products within rounding error of the k-th: look at every one
            mine = doubtful + start
            again = self.indices[mine], self.scores[mine]
            _rescan(self.vectors[mine], other, bars[doubtful], *again, plan)
            indices[doubtful], scores[doubtful] = again
        self.indices[rows], self.scores[rows] = indices, scores


def rounding_bound(dimension: int) -> float:
    """Bound |float32 product - `pair_scores`| for rows at length 1, whatever the order of sums.

    Each of the d additions and products rounds by at most u = 2^-24 of the sum of |x_i y_i| <= 1
    (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1: d u / (1 - d u)); eight
    units more pay for lengths not quite 1, the rounding of the score and that of the bar itself.
    """
    unit = 2.0**-24
    return (dimension + 8) * unit / (1 - dimension * unit)


def search_strip(
    one: Side, two: Side, task: tuple[int, int, int, int], plan: Plan
) -> tuple[Candidates, Candidates]:
    """Return what may enter the lists of `one` and of `two` among the products of a task.

    Args:
        one: block of sources.
        two: block of targets.
        task: first and last row of `one`, first and last row of `two`.
        plan: the edge of a tile, and how many make the strip that a task may fill.
    """
    top, bottom, left, right = task
    strip = _multiply(one.vectors[top:bottom], two.vectors[left:right], plan)
    row_bars, column_bars = one.bars[top:bottom], two.bars[left:right]
    products = strip.grid[: bottom - top, : right - left]
    rows = _from_rows(strip, _first_bars(products, row_bars, one))
    columns = _from_columns(strip, _first_bars(products.T, column_bars, two))
    return (
        (rows[0] + top, rows[1] + left, rows[2]),
        (columns[0] + left, columns[1] + top, columns[2]),
    )


@dataclass(frozen=True)
class _Strip:
    """Products of the rows of a task, and their maxima by groups of 64 along and down.

    `grid` (tile, width), `along` (tile, width / 64), `down` (tile / 64, width): minus infinity
    where there is no product. The width is one group more than is ever filled, since rows a power
    of two apart would share the same few lines of the cache.
    """

    grid: torch.Tensor
    along: torch.Tensor
    down: torch.Tensor


def _multiply(rows: torch.Tensor, columns: torch.Tensor, plan: Plan) -> _Strip:
    """Multiply (n, d) by (m, d) tile by tile, taking the maxima while a tile is in the cache."""
    strip = _space(plan, rows.device)
    if len(rows) < plan.tile or len(columns) < plan.tile * plan.tiles:
        for part in (strip.grid, strip.along, strip.down):
            part.fill_(-torch.inf)
    for start in range(0, len(columns), plan.tile):
        some = columns[start : start + plan.tile]
        torch.mm(rows, some.T, out=strip.grid[: len(rows), start : start + len(some)])
        tile = strip.grid[:, start : start + plan.tile]
        groups = slice(start // GROUP, (start + plan.tile) // GROUP)
        torch.amax(tile.unflatten(1, (-1, GROUP)), 2, out=strip.along[:, groups])
        torch.amax(tile.unflatten(0, (-1, GROUP)), 1, out=strip.down[:, start : start + plan.tile])
    return strip


def _space(plan: Plan, device: torch.device) -> _Strip:
    """Return this thread's scratch strip: fresh pages for each would cost more than the search."""
    strip, width = getattr(_scratch, "strip", None), plan.tile * plan.tiles + GROUP
    if strip is None or strip.grid.shape != (plan.tile, width) or strip.grid.device != device:
        shapes = (plan.tile, width), (plan.tile, width // GROUP), (plan.tile // GROUP, width)
        strip = _Strip(*(torch.full(shape, -torch.inf, device=device) for shape in shapes))
        _scratch.strip = strip
    return strip


def _from_rows(strip: _Strip, bars: torch.Tensor) -> Candidates:
    """Return rows, columns and products above the bars (n,) of the first n rows of a strip.

    Only groups whose maximum is above the bar are looked into. Within a row, columns come in
    ascending order.
    """
    groups = strip.along.shape[1]
    flat = _above(strip.along[: len(bars)], bars[:, None])
    row = flat.div(groups, rounding_mode="floor")
    pieces = strip.grid.view(-1, GROUP).index_select(0, flat)
    piece, offset, products = _look_into(pieces, bars[row])
    return row[piece], flat[piece] % groups * GROUP + offset, products


def _from_columns(strip: _Strip, bars: torch.Tensor) -> Candidates:
    """Do what `_from_rows` does for the columns: the first of the result are columns."""
    flat = _above(strip.down[:, : len(bars)], bars)
    group = flat.div(len(bars), rounding_mode="floor")
    column = flat - group * len(bars)
    pieces = strip.grid.unflatten(0, (-1, GROUP))[group, :, column]
    piece, offset, products = _look_into(pieces, bars[column])
    return column[piece], group[piece] * GROUP + offset, products


def _look_into(pieces: torch.Tensor, bars: torch.Tensor) -> Candidates:
    """Return piece, place within it and value of the products (p, 64) above their bars (p,)."""
    flat = _above(pieces, bars[:, None])
    piece = flat.div(GROUP, rounding_mode="floor")
    return piece, flat - piece * GROUP, pieces.flatten()[flat]


def _above(values: torch.Tensor, bars: torch.Tensor) -> torch.Tensor:
    """Return the flat positions of the values above bars that broadcast against them."""
    if values.device.type == "cpu":  # NumPy compares and lists over ten times faster here
        return torch.from_numpy(np.flatnonzero(values.numpy() > bars.numpy()))
    return (values > bars).flatten().nonzero()[:, 0]


def _first_bars(products: torch.Tensor, bars: torch.Tensor, side: Side) -> torch.Tensor:
    """Raise the bars of lists not yet full, which take anything, to the k-th best of this tile."""
    k = side.indices.shape[1]
    if products.shape[1] <= k or not bool((bars == -torch.inf).any()):
        return bars
    kth = products.topk(k, dim=1).values[:, -1] - 2 * rounding_bound(side.vectors.shape[1])
    return torch.maximum(bars, kth)


def _rescan(
    vectors: torch.Tensor,
    other: Side,
    bars: torch.Tensor,
    indices: torch.Tensor,
    scores: torch.Tensor,
    plan: Plan,
) -> None:
    """Merge into the lists of a few rows every row of `other` above their bars, scored exactly."""
    wide = plan.tile * plan.tiles
    for top in range(0, len(vectors), plan.tile):
        few = slice(top, top + plan.tile)
        for left in range(0, len(other), wide):
            strip = _multiply(vectors[few], other.vectors[left : left + wide], plan)
            owners, others, _ = _from_rows(strip, bars[few])
            if len(owners):
                owners, others = owners + top, others + left
                exact = _score(vectors, other.vectors, owners, others)
                merge_candidates(indices, scores, owners, others + other.first, exact)


def _score(
    left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor
) -> torch.Tensor:
    """Score the pairs (left[rows], right[columns]) exactly, (c,)."""
    pairs = max(1, _PAIR_BYTES // (4 * left.shape[1]))
    split = zip(rows.split(pairs), columns.split(pairs), strict=True)
    return torch.cat([pair_scores(left[mine], right[theirs]) for mine, theirs in split])
