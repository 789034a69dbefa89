"""A block of one side in a search: its lists, and the candidates that may still enter them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field

import torch

from tandem.search.lists import NOBODY, Lists, merge_candidates
from tandem.search.rows import Rows, pair_scores, read_normalised
from tandem.search.strips import Candidates, Plan, Strip, from_columns, from_rows, multiply

SPARE = 8
"""Places beyond k for candidates whose float32 products cannot be told apart from the k-th."""

_ROWS_AT_ONCE = 4096
_PENDING = 8192


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
        slack[(vectors.amax(1) != 0) | (vectors.amin(1) != 0)] = rounding_bound(vectors.shape[1])
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
        plan: the edge of a tile, and how many make the strip that a task may fill.
    """
    top, bottom, left, right = task
    strip = multiply(one.vectors[top:bottom], two.vectors[left:right], plan)
    rows = from_rows(strip, _row_bars(strip, one, top, bottom, right - left))
    columns = from_columns(strip, _column_bars(strip, two, left, right, bottom - top))
    return (
        (rows[0] + top, rows[1] + left, rows[2]),
        (columns[0] + left, columns[1] + top, columns[2]),
    )


def _row_bars(strip: Strip, side: Side, start: int, stop: int, others: int) -> torch.Tensor:
    """Return the bars of the rows of a strip, (tile,): infinite below the last row.

    A list not yet full would take anything: its bar becomes the k-th best of the strip.
    """
    bars = _padded(side.bars[start:stop], strip.grid.shape[1])
    if bool((bars == -torch.inf).any()) and others > side.indices.shape[1]:
        grid = strip.grid.transpose(0, 1).reshape(len(bars), -1)
        bars = torch.maximum(bars, _kth_best(grid, side))
    return bars


def _column_bars(strip: Strip, side: Side, start: int, stop: int, others: int) -> torch.Tensor:
    """Do what `_row_bars` does for the columns of a strip, (tiles * tile,)."""
    bars = _padded(side.bars[start:stop], strip.grid.shape[0] * strip.grid.shape[1])
    if bool((bars == -torch.inf).any()) and others > side.indices.shape[1]:
        grid = strip.grid.transpose(1, 2).reshape(len(bars), -1)
        bars = torch.maximum(bars, _kth_best(grid, side))
    return bars


def _padded(bars: torch.Tensor, size: int) -> torch.Tensor:
    if len(bars) == size:
        return bars
    return torch.nn.functional.pad(bars, (0, size - len(bars)), value=torch.inf)


def _kth_best(grid: torch.Tensor, side: Side) -> torch.Tensor:
    """Return the k-th best of each row of products (n, m) less what rounding may hide, (n,)."""
    kth = grid.topk(side.indices.shape[1], dim=1).values[:, -1]
    return kth - 2 * rounding_bound(side.vectors.shape[1])


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
            strip = multiply(vectors[few], other.vectors[left : left + wide], plan)
            owners, others, _ = from_rows(strip, _padded(bars[few], plan.tile))
            if len(owners):
                owners, others = owners + top, others + left
                exact = pair_scores(vectors, other.vectors, owners, others)
                merge_candidates(indices, scores, owners, others + other.first, exact)
