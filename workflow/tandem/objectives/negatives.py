"""The hardest negatives of a mega-batch (wieting2019, section 2, Negative Sampling).

Bilingual: the negative of a sentence is the most similar sentence of the other language.
Monolingual: the most similar of all sentences of the mega-batch, of either side. Never the pair
itself, nor a sentence identical to either side: that would be a translation, not a negative.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 512
"""Rows of the similarity matrix held at once: 31 MB for a mega-batch of 15,360 pairs."""


class Negatives(NamedTuple):
    """Indices into `left` followed by `right` (0 .. 2n - 1), and whether there was any to choose.

    Attributes:
        for_left, for_right: (n,) int64.
        found: (2, n) bool.
    """

    for_left: Tensor
    for_right: Tensor
    found: Tensor


def hardest(vectors: Tensor, keys: Tensor, monolingual: bool) -> Negatives:
    """Choose the negatives of every pair of a mega-batch, described as for `Objective.choose`."""
    vectors = functional.normalize(vectors)
    left, right = vectors.chunk(2)
    left_keys, right_keys = keys.chunk(2)
    count = len(left)
    if monolingual:
        sides = (left, (0, count)), (right, (count, 0))
        chosen = [_most_similar(side, vectors, own) for side, own in sides]
        pools = slice(0, 2 * count), slice(0, 2 * count)
    else:
        chosen = list(_both_ways(left, right))
        pools = slice(count, 2 * count), slice(0, count)
    found = torch.ones(2, count, dtype=torch.bool, device=vectors.device)
    for side, (queries, best, pool) in enumerate(zip((left, right), chosen, pools, strict=True)):
        best += pool.start
        clash = torch.nonzero((keys[best] == left_keys) | (keys[best] == right_keys)).squeeze(1)
        for rows in clash.split(BLOCK):
            similar = queries[rows] @ vectors[pool].T
            candidates = keys[pool].unsqueeze(0)
            same = (candidates == left_keys[rows, None]) | (candidates == right_keys[rows, None])
            similar.masked_fill_(same, -torch.inf)
            best[rows] = similar.argmax(1) + pool.start
            found[side, rows] = ~same.all(1)
    return Negatives(chosen[0], chosen[1], found)


def _most_similar(queries: Tensor, pool: Tensor, own: tuple[int, int]) -> Tensor:
    """Return the most similar row of the pool to each query i, but for rows i + own[.]."""
    best = []
    for start in range(0, len(queries), BLOCK):
        block = queries[start : start + BLOCK] @ pool.T
        rows = torch.arange(len(block), device=block.device)
        for shift in own:
            block[rows, rows + (start + shift)] = -torch.inf
        best.append(_row_argmax(block))
    return torch.cat(best)


def _both_ways(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return the most similar right row of each left row, and the reverse, from one product.

    Rows give their maximum at once. A column remembers only which block of rows held its maximum;
    its exact place is found by multiplying again with that block, a small fraction of the product.
    """
    count = len(left)
    for_left = []
    column_best = left.new_full((count,), -torch.inf)
    column_block = torch.zeros(count, dtype=torch.int64, device=left.device)
    starts = range(0, count, BLOCK)
    for number, start in enumerate(starts):
        block = left[start : start + BLOCK] @ right.T
        block.diagonal(start).fill_(-torch.inf)
        for_left.append(_row_argmax(block))
        highest = block.amax(0)
        better = highest > column_best
        column_best = torch.where(better, highest, column_best)
        column_block = torch.where(better, number, column_block)
    for_right = torch.zeros(count, dtype=torch.int64, device=left.device)
    for number, start in enumerate(starts):
        columns = torch.nonzero(column_block == number).squeeze(1)
        block = right[columns] @ left[start : start + BLOCK].T
        own = columns - start
        inside = torch.nonzero((own >= 0) & (own < block.shape[1])).squeeze(1)
        block[inside, own[inside]] = -torch.inf
        for_right[columns] = block.argmax(1) + start
    return torch.cat(for_left), for_right


def _row_argmax(block: Tensor, group: int = 64) -> Tensor:
    """Return the argmax of each row; on a CPU, amax over groups first is several times faster."""
    width = block.shape[1] // group * group
    if block.is_cuda or width == 0:
        return block.argmax(1)
    grouped = block[:, :width].unflatten(1, (-1, group))
    best_group = grouped.amax(2).argmax(1)
    members = grouped[torch.arange(len(block)), best_group]
    best = best_group * group + members.argmax(1)
    if width < block.shape[1]:
        rest_best, rest = block[:, width:].max(1)
        best = torch.where(rest_best > members.amax(1), rest + width, best)
    return best
