"""A block of one side in a search: its lists, and the candidates that may still enter them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import torch

from tandem.search.lists import NOBODY, Lists, merge_candidates
from tandem.search.rows import Rows, pair_scores, read_normalised
from tandem.search.strips import GROUP, Candidates, Plan, Strip, Tile

SPARE = 4
"""Places beyond k for candidates whose float32 products cannot be told apart from the k-th."""

_ROWS_AT_ONCE = 4096
_PENDING = 8192


@dataclass
class Side:
    """A block of one side, its finished lists, and its candidates among the other side's block.

    `vectors` (n, d) at length 1, on the device; all else on the host. `indices`, `scores` (n, k)
    the lists, exact. `near`, `products` (n, k + SPARE): the best of the other block so far by
    float32 product; `lost` (n,) is the best product that found no place there. Only a product above
    `bars` (n,) can matter. `slack` (n,) bounds the rounding error of the products of a row.
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
        vectors = read_normalised(rows, start, stop)
        indices, scores = lists.read(at, at + stop - start)
        # Products with a row of zeros are exact: without slack its ties cost nothing.
        slack = torch.zeros(stop - start)
        slack[(vectors.amax(1) != 0) | (vectors.amin(1) != 0)] = rounding_bound(vectors.shape[1])
        places = (stop - start, indices.shape[1] + SPARE)
        near, products = torch.empty(places, dtype=torch.int64), torch.empty(places)
        lost, bars = torch.empty_like(slack), torch.empty_like(slack)
        vectors = vectors.to(device)
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
        parts = (np.concatenate(part) for part in zip(*self.pending, strict=True))
        owners, others, products = map(torch.from_numpy, parts)
        self.pending.clear()
        # bars have risen since these were found: fewer are left to sort
        left = products > self.bars[owners]
        if not bool(left.any()):
            return
        owners, others, products = owners[left], others[left], products[left]
        touched, lost = merge_candidates(self.near, self.products, owners, others, products)
        self.lost[touched] = torch.maximum(self.lost[touched], lost)
        kth = self.products[touched, self.indices.shape[1] - 1] - 2 * self.slack[touched]
        self.bars[touched] = torch.maximum(self.bars[touched], kth)

    def settle(self, other: Side, plan: Plan, pool: Executor) -> None:
        """Score the candidates exactly and bring them into the lists."""
        starts = range(0, len(self), _ROWS_AT_ONCE)
        list(pool.map(lambda start: self._settle_rows(other, start, plan), starts))

    def _settle_rows(self, other: Side, start: int, plan: Plan) -> None:
        """Settle the rows from `start` on, as many as are taken at once."""
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
        exact = pair_scores(self.vectors[rows], other.vectors, owners, others)
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
        plan: the edge of a tile, and how many of them a task holds.
    """
    top, bottom, left, right = task
    edge, mine = plan.tile, one.vectors[top:bottom]
    tile, strip = Tile.of_thread(edge, mine.device), Strip(edge)
    rows, columns = _bars(one, top, bottom, edge), _bars(two, left, right, edge * plan.tiles)
    open_rows, open_columns = bool(np.isneginf(rows).any()), bool(np.isneginf(columns).any())
    wide = np.repeat(rows, edge // GROUP)
    for number, theirs in enumerate(two.vectors[left:right].split(edge)):
        tile.multiply(mine, theirs)
        down = columns[number * edge : (number + 1) * edge]
        if open_rows:
            _raise(rows[: len(mine)], tile.grid[: len(mine), : len(theirs)], one)
            wide = np.repeat(rows, edge // GROUP)
        if open_columns:
            _raise(down[: len(theirs)], tile.grid[: len(mine), : len(theirs)].T, two)
        strip.gather(tile, number, wide, down)
    owners, others, products = strip.rows_above(rows)
    turned = strip.columns_above(columns)
    return (
        (owners + top, others + left, products),
        (turned[0] + left, turned[1] + top, turned[2]),
    )


def _bars(side: Side, start: int, stop: int, size: int) -> np.ndarray:
    """Return a copy of some bars, infinite beyond the last up to `size`."""
    bars = np.full(size, np.inf, np.float32)
    bars[: stop - start] = side.bars[start:stop]
    return bars


def _raise(bars: np.ndarray, products: torch.Tensor, side: Side) -> None:
    """Raise bars (n,) of lists not yet full, which take anything, to the k-th best of a tile.

    Less what rounding may hide.
    """
    k = side.indices.shape[1]
    if products.shape[1] > k and np.isneginf(bars).any():
        kth = products.topk(k, dim=1).values[:, -1] - 2 * rounding_bound(side.vectors.shape[1])
        np.maximum(bars, kth.cpu().numpy(), out=bars)


def _rescan(
    vectors: torch.Tensor,
    other: Side,
    bars: torch.Tensor,
    indices: torch.Tensor,
    scores: torch.Tensor,
    plan: Plan,
) -> None:
    """Merge into the lists of a few rows every row of `other` above their bars, scored exactly."""
    tile = Tile.of_thread(plan.tile, vectors.device)
    for top in range(0, len(vectors), plan.tile):
        few = vectors[top : top + plan.tile]
        own = np.full(plan.tile, np.inf, np.float32)
        own[: len(few)] = bars[top : top + plan.tile]
        wide = np.repeat(own, plan.tile // GROUP)
        for start in range(0, len(other), plan.tile):
            tile.multiply(few, other.vectors[start : start + plan.tile])
            strip = Strip(plan.tile)
            strip.gather(tile, 0, wide, None)
            owners, others, _ = map(torch.from_numpy, strip.rows_above(own))
            if len(owners):
                owners, others = owners + top, others + start
                exact = pair_scores(vectors, other.vectors, owners, others)
                merge_candidates(indices, scores, owners, others + other.first, exact)
