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

from tandem.machine import has_compiled_loops, on_host

BLOCK = 512
"""Rows of the similarity matrix held at once: 31 MB for a mega-batch of 15,360 pairs."""
GPU_SCORES = 1 << 26
"""Similarities held at once on a GPU: 268 MB."""


class Negatives(NamedTuple):
    """A negative for each sentence, as an index into `left` followed by `right` (0 .. 2n - 1).

    Attributes:
        for_left, for_right: (n,) int64.
        mask: (2, n) bool, false where a sentence has no negative.
    """

    for_left: Tensor
    for_right: Tensor
    mask: Tensor


def hardest(vectors: Tensor, keys: Tensor, monolingual: bool) -> Negatives:
    """Choose the negatives of every pair of a mega-batch, described as for `contrastive.Pool`."""
    vectors = functional.normalize(vectors)
    if not on_host(vectors):
        return _without_waiting(vectors, keys, monolingual)
    left, right = vectors.chunk(2)
    left_keys, right_keys = keys.chunk(2)
    count = len(left)
    if monolingual:
        chosen = _among_all(vectors).chunk(2)
        pools = slice(0, 2 * count), slice(0, 2 * count)
    else:
        chosen = _both_ways(left, right)
        pools = slice(count, 2 * count), slice(0, count)
    mask = torch.ones(2, count, dtype=torch.bool, device=vectors.device)
    for side, (queries, best, pool) in enumerate(zip((left, right), chosen, pools, strict=True)):
        best += pool.start
        clash = torch.nonzero((keys[best] == left_keys) | (keys[best] == right_keys)).squeeze(1)
        for rows in clash.split(BLOCK):
            similar = queries[rows] @ vectors[pool].T
            candidates = keys[pool].unsqueeze(0)
            same = (candidates == left_keys[rows, None]) | (candidates == right_keys[rows, None])
            similar.masked_fill_(same, -torch.inf)
            best[rows] = similar.argmax(1) + pool.start
            mask[side, rows] = ~same.all(1)
    return Negatives(chosen[0], chosen[1], mask)


def _among_all(vectors: Tensor) -> Tensor:
    """Return the most similar row of each row, except itself and the other half of its pair.

    Similarity is symmetric, so half of the products are enough: a block has the similarity of its
    rows to themselves and to all later rows, and serves the later rows by its columns.
    """
    highest, places = _nothing_yet(vectors)
    half = len(vectors) // 2
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK] @ vectors[start:].T
        for shift in (0, half, -half):
            block.diagonal(shift).fill_(-torch.inf)
        _see_columns(block, start, highest[start:], places[start:])
        rows = slice(start, start + len(block))
        best = _row_argmax(block)
        value = block.gather(1, best.unsqueeze(1)).squeeze(1)
        better = value > highest[rows]
        highest[rows] = torch.where(better, value, highest[rows])
        places[rows] = torch.where(better, (best + start).to(places), places[rows])
    return places.long()


def _both_ways(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return the most similar right row of each left row, and the reverse, from one product."""
    for_left = []
    highest, for_right = _nothing_yet(right)
    for start in range(0, len(left), BLOCK):
        block = left[start : start + BLOCK] @ right.T
        block.diagonal(start).fill_(-torch.inf)
        for_left.append(_row_argmax(block))
        _see_columns(block, start, highest, for_right)
    return torch.cat(for_left), for_right.long()


def _without_waiting(vectors: Tensor, keys: Tensor, monolingual: bool) -> Negatives:
    """Choose the same on a GPU, which would have to be asked how many of the most similar clash.

    So sentences that say the same are passed over in all of the matrix.
    """
    count = len(vectors) // 2
    left_keys, right_keys = keys.chunk(2)
    chosen, masks = [], []
    for number, queries in enumerate(vectors.chunk(2)):
        first = 0 if monolingual else (1 - number) * count
        pool = slice(first, 2 * count if monolingual else first + count)
        highest, best = [], []
        rows = max(1, GPU_SCORES // (pool.stop - pool.start))
        for part in (slice(start, start + rows) for start in range(0, count, rows)):
            similar = queries[part] @ vectors[pool].T
            same = keys[pool] == left_keys[part, None]
            same |= keys[pool] == right_keys[part, None]
            value, place = similar.masked_fill_(same, -torch.inf).max(1)
            highest.append(value)
            best.append(place)
        chosen.append(_joined(best) + first)
        masks.append(_joined(highest) > -torch.inf)
    return Negatives(chosen[0], chosen[1], torch.stack(masks))


def _joined(parts: list[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _nothing_yet(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first values of the highest similarity of each row, and of where it stands."""
    count = len(rows)
    places = torch.zeros(count, dtype=torch.int32, device=rows.device)
    return rows.new_full((count,), -torch.inf), places


def _see_columns(block: Tensor, first_row: int, highest: Tensor, places: Tensor) -> None:
    """Update the highest value of each column, and the row where it stands, in place."""
    if has_compiled_loops(block):
        from tandem.kernels.margin import see_columns  # numba: only for training

        see_columns(block.numpy(), highest.numpy(), places.numpy(), first_row)
        return
    value, row = block.max(0)
    better = value > highest
    places[better] = (row[better] + first_row).to(places)
    highest[better] = value[better]


def _row_argmax(block: Tensor) -> Tensor:
    """Return the argmax of each row; NumPy's is several times as fast as PyTorch's."""
    if has_compiled_loops(block):
        return torch.from_numpy(block.numpy().argmax(1))
    return block.argmax(1)


def most_similar(
    queries: Tensor, pool: Tensor, keys: Tensor, left: Tensor, right: Tensor, number: int
) -> Tensor:
    """Return the rows of a pool that are most similar to each query, (number, queries).

    `keys` are those of the pool, `left` and `right` those of the queries' pairs. Rows that say the
    same as either side of the query's pair are the last to be taken.
    """
    blocks = []
    for start in range(0, len(queries), BLOCK):
        part = slice(start, start + BLOCK)
        similar = queries[part] @ pool.T
        same = (left[part, None] == keys) | (right[part, None] == keys)
        similar.masked_fill_(same, -torch.inf)
        best = similar.topk(min(number, len(pool))).indices
        blocks.append(best[:, torch.arange(number, device=best.device) % best.shape[1]])
    return torch.cat(blocks).T
