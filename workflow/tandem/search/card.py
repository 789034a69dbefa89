"""Exact search on a GPU, through PyTorch: the FAISS of package indices has none for it.

A block of queries is multiplied by some ten thousand rows of the corpus at a time, in single
precision. The best of so many scores are among the columns of the best groups of columns, so one
reading of all scores, for the highest of each group, and a few groups' columns are enough. What is
nearest by these products is scored again in double precision, as on the CPU.

The host only launches: answers come back while the next block of queries is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch

from tandem.errors import TandemError
from tandem.machine import send
from tandem.search.neighbours import SPARE, Lists

if TYPE_CHECKING:
    from tandem.search.rows import UnitRows

_MEMBERS = 64
"""Columns of a group."""
_COLUMNS = 1 << 16
"""Most rows of the corpus that a block of queries is multiplied by at a time."""
_QUERIES = 1 << 13
"""Most queries of a block: more make no product faster."""
_BLOCK_BYTES = 8 << 20
"""Most bytes of a block on the host, where some five are there at a time."""
_WORK_BYTES = 2 << 30
"""Most bytes on the card beside the vectors: scores, foremost."""
_LEAST_ROWS = 1024
_REMEDY = "End what else uses it, or search on the CPU (--device cpu)"


class Card:
    """Two sides of a search, and the memory of the GPU that searches them."""

    def __init__(self, device: torch.device, source: UnitRows, target: UnitRows) -> None:
        """Divide three quarters of what is free on the card between vectors and scores.

        Raises:
            TandemError: so little is free that a search would take for ever.
        """
        usable = free_bytes(device) * 3 // 4
        self._work = min(_WORK_BYTES, usable // 2)
        self._room = (usable - self._work) // (4 * source.dimension)
        """Most rows of vectors that the card holds."""
        least = min(_LEAST_ROWS, max(len(source), len(target)))
        if self._room < least:
            need = (8 * source.dimension * least - usable) * 4 // 3 >> 20
            problem = f"the GPU lacks {need + 1:,} MiB of free memory for the search"
            raise TandemError(f"{problem}. {_REMEDY}")
        whole = len(source) + len(target) <= self._room
        self._sides = {rows: Side(rows, device, whole) for rows in (source, target)}

    def fill(self, lists: Lists, queries: UnitRows, corpus: UnitRows) -> Iterator[float]:
        """Fill the lists of the queries, and yield the share that is done.

        Raises:
            TandemError: a value is not finite.
        """
        total, done = len(corpus) + -(-len(corpus) // self._room) * len(queries), 0
        for first in range(0, len(corpus), self._room):
            part = self._sides[corpus].take(first, min(first + self._room, len(corpus)))
            done += len(part)
            yield done / total
            for answer in _late(self._answers(lists, queries, corpus, first, part)):
                indices, scores, unsound = answer.arrays()
                for rows, row in zip((corpus, queries), unsound.tolist(), strict=True):
                    if row < len(rows):
                        rows.refuse(row)
                place = slice(answer.start, answer.start + len(indices))
                lists.indices[place, : indices.shape[1]] = indices
                lists.scores[place, : scores.shape[1]] = scores
                done += len(indices)
                yield done / total
            del part  # before the next is read

    def _answers(
        self, lists: Lists, queries: UnitRows, corpus: UnitRows, first: int, part: torch.Tensor
    ) -> Iterator[_Answer]:
        """Search a part of the corpus, the rows from `first` on, by blocks of queries."""
        sides = self._sides[corpus], self._sides[queries]
        k = lists.indices.shape[1]
        width = min(k + SPARE, len(part))
        blocks = -(-len(part) // _COLUMNS)
        columns = -(-len(part) // blocks)
        # scores and a reading of them; candidates, and what sorts them; a query in double precision
        row = 6 * columns + 40 * (width + k) * (blocks + 1) + 40 * queries.dimension
        sent = _BLOCK_BYTES // max(queries.dtype.itemsize * queries.dimension, 12 * k)
        step = max(1, min(_QUERIES, self._work // row, sent, len(queries)))
        space = part.new_empty(step * _padded(columns))
        for start in range(0, len(queries), step):
            some = sides[1].take(start, min(start + step, len(queries)))
            indices = nearest(some, part, width, columns, space)
            scores = _cosines(some, part, indices)
            indices += first
            if first:
                rows = slice(start, start + len(some))
                before = [send(array[rows], part.device) for array in lists]
                indices = torch.cat([before[0], indices], dim=1)
                scores = torch.cat([before[1], scores], dim=1)
            indices, scores = _ordered(indices, scores, k)
            unsound = torch.stack([side.unsound for side in sides])
            yield _Answer(start, indices, scores, unsound)


class Side:
    """The vectors of one side at length 1 on a device, in single precision."""

    def __init__(self, rows: UnitRows, device: torch.device, whole: bool) -> None:
        """Read them as they are asked for; a `whole` side is read once, and stays there."""
        self._rows, self._device = rows, device
        self._dtype = torch.from_numpy(np.empty(0, rows.dtype)).dtype
        size = len(rows) if whole else 0
        self._kept, self._read = torch.empty((size, rows.dimension), device=device), 0
        self.unsound = torch.full((), len(rows), device=device)
        """The lowest row read with a value that is not finite, or else their number; int64 ()."""

    def take(self, start: int, stop: int) -> torch.Tensor:
        """Return the rows from `start` to before `stop`, float32 (rows, d), without a wait."""
        if not len(self._kept):
            rows = torch.empty((stop - start, self._rows.dimension), device=self._device)
            self._fill(rows, start)
            return rows
        if self._read < stop:
            self._fill(self._kept[self._read : stop], self._read)
            self._read = stop
        return self._kept[start:stop]

    def _fill(self, out: torch.Tensor, start: int) -> None:
        """Read the rows from `start` on into `out`, as `UnitRows.blocks` gives them."""
        count = len(self._rows)
        step = max(1, _BLOCK_BYTES // (self._rows.dtype.itemsize * self._rows.dimension))
        for number, some in enumerate(out.split(step)):
            first = start + number * step
            host = torch.empty(some.shape, dtype=self._dtype, pin_memory=some.is_cuda)
            self._rows.copy(first, host.numpy())
            values = send(host, self._device).double()
            lengths = torch.linalg.vector_norm(values, dim=1)
            numbers = torch.arange(first, first + len(some), device=self._device)
            unsound = torch.where(lengths.isfinite(), count, numbers).amin()
            self.unsound = torch.minimum(self.unsound, unsound)
            torch.div(values, torch.where(lengths > 0, lengths, 1)[:, None], out=some)


class _Answer:
    """Lists of the queries from `start` on, on the way from the card to the host."""

    def __init__(self, start: int, *tensors: torch.Tensor) -> None:
        self.start = start
        self._tensors = [tensor.to("cpu", non_blocking=True) for tensor in tensors]
        stream = torch.cuda.current_stream(tensors[0].device) if tensors[0].is_cuda else None
        self._arrived = stream.record_event() if stream else None

    def arrays(self) -> list[np.ndarray]:
        """Return what came, once all of it is there."""
        if self._arrived:
            self._arrived.synchronize()
        return [tensor.numpy() for tensor in self._tensors]


def _late(answers: Iterator[_Answer]) -> Iterator[_Answer]:
    """Yield each answer once the next is asked for, so that the card need not wait."""
    before = None
    for answer in answers:
        if before:
            yield before
        before = answer
    if before:
        yield before


def nearest(
    queries: torch.Tensor, corpus: torch.Tensor, width: int, columns: int, space: torch.Tensor
) -> torch.Tensor:
    """Return the rows of the corpus with the highest products, int64 (q, width), in no order.

    Of equal products any are listed; the first rows, as on the CPU, for a query of zeros.

    Args:
        queries: float32 (q, d).
        corpus: float32 (rows, d), of `width` rows or more.
        width: how many to return for each query.
        columns: rows of the corpus to multiply by at a time.
        space: float32 for q times as many scores, padded.
    """
    values, places = [], []
    for first in range(0, len(corpus), columns):
        some = corpus[first : first + columns]
        best = _highest(_products(queries, some, space), min(width, len(some)))
        values.append(best[0])
        places.append(best[1] + first)
    near = torch.cat(places, dim=1)
    if len(places) > 1:
        near = near.gather(1, torch.cat(values, dim=1).topk(width, sorted=False).indices)
    return torch.where(queries.any(1)[:, None], near, torch.arange(width, device=near.device))


def _padded(columns: int) -> int:
    """Return so many columns that they divide into groups, and groups into vectors of a reading."""
    return -(-columns // (8 * _MEMBERS)) * 8 * _MEMBERS


def _products(queries: torch.Tensor, corpus: torch.Tensor, space: torch.Tensor) -> torch.Tensor:
    """Multiply, into `space`: float32 (q, padded rows), minus infinity beyond the rows."""
    shape = len(queries), _padded(len(corpus))
    products = space[: shape[0] * shape[1]].view(shape)
    torch.mm(queries, corpus.T, out=products[:, : len(corpus)])
    products[:, len(corpus) :] = -torch.inf
    return products


def _highest(scores: torch.Tensor, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the highest scores of each row and their columns, (q, width), in no order.

    Column c is in group c modulo the number of groups. A column that is higher than the lowest of
    `width` groups is in one of them, and each of these has a column as high, its highest.
    """
    members = scores.view(len(scores), _MEMBERS, -1)
    groups = members.shape[2]
    if 4 * width > groups:
        best = scores.topk(width, sorted=False)
        return best.values, best.indices
    chosen = members.amax(1).topk(width, sorted=False).indices
    few = members.gather(2, chosen[:, None].expand(-1, _MEMBERS, -1)).flatten(1)
    best = few.topk(width, sorted=False)
    member, place = best.indices // width, best.indices % width
    return best.values, member * groups + chosen.gather(1, place)


def _cosines(queries: torch.Tensor, corpus: torch.Tensor, near: torch.Tensor) -> torch.Tensor:
    """Score queries (q, d) with the rows `near` (q, c) of the corpus, float32 (q, c).

    Summed in double precision as on the CPU, if in another order: the sums differ by 1e-16, and
    almost never once they are rounded.
    """
    wide = queries.double()
    columns = [(wide * corpus.index_select(0, rows)).sum(1) for rows in near.unbind(1)]
    return torch.stack(columns, dim=1).float()


def _ordered(
    indices: torch.Tensor, scores: torch.Tensor, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return at most k of the candidates (q, c), best first, then lowest: both (q, k)."""
    lowest = indices.sort(dim=1)
    best = scores.gather(1, lowest.indices).sort(dim=1, descending=True, stable=True)
    order = best.indices[:, :k]
    return lowest.values.gather(1, order), best.values[:, :k]


def free_bytes(device: torch.device) -> int:
    """Return the free memory of a GPU, and what PyTorch keeps there to use again."""
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return torch.cuda.mem_get_info(device)[0] + kept
