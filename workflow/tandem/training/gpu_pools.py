"""The pools of an epoch on a GPU: what they hold is read ahead of use and sent many at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tandem.encoders.encoder import Room
from tandem.machine import send
from tandem.objectives.contrastive import batch_count
from tandem.training.noise import generator
from tandem.training.pairs import Indices, Pairs, Span
from tandem.training.stretch import PAIRS, Shelf, Stretch, keys_of, read_stretch

Following = Callable[[Sequence[int], int], Span | None]
"""Returns the pool that comes next where each text has come so far, after so many updates."""


class Sent(NamedTuple):
    """A pool on a GPU.

    Attributes:
        lengths, sizes: (2 pairs,) tokens of its sentences, and tokens or words, on the host.
        tokens, room: what room all of its sentences need.
        sentences: (2 pairs,) numbers of its left sentences and its right ones on the shelf.
        keys, labels: as `objectives.contrastive.Pool` has them.
        seed: (1,) of its random numbers.
    """

    span: Span
    lengths: Indices
    sizes: Indices
    tokens: int
    room: Room
    sentences: Tensor
    keys: Tensor
    labels: Tensor | None
    seed: Tensor


class Pools:
    """Pools, in the order in which they are trained on.

    Attributes:
        shelf: where the text of those that were sent is.
    """

    def __init__(
        self,
        texts: Sequence[Pairs],
        words: bool,
        batch: int,
        following: Following,
        device: torch.device,
        moved: Callable[[], None],
    ) -> None:
        """Take texts, not yet in any order.

        Args:
            words: the token 0 begins a word.
            batch: pairs of a batch; one update is made for each.
            moved: called when the shelf is at another place.
        """
        self.shelf, self._device, self._moved = Shelf(device), device, moved
        self._texts, self._words, self._batch, self._following = texts, words, batch, following
        self._reader = ThreadPoolExecutor(1, "read ahead")
        self._sent: deque[Sent] = deque()

    def begin(
        self, orders: Sequence[Indices], key: tuple[int, ...], upcoming: Span | None, step: int
    ) -> None:
        """Take the orders of the texts in an epoch, and begin to read its pools.

        Args:
            orders: of the texts.
            key: what the epoch's random numbers are keyed by.
            upcoming: the pool that is taken first: the epoch's first, or where a run goes on.
            step: updates before the epoch.
        """
        self._orders, self._key = orders, key
        self._sent.clear()
        # Stretches are those of the whole epoch wherever it is gone on with, since shapes, and so
        # the last digits of products, are theirs
        self._place = [0] * len(orders), step
        pools, following = self._next(*self._place)
        while upcoming is not None and upcoming not in pools:
            self._place = following
            pools, following = self._next(*self._place)
        self._passed = pools.index(upcoming) if upcoming else 0
        self._read_ahead()

    def take(self, span: Span) -> Sent:
        """Return the next pool, which is that of a span."""
        if not self._sent:
            self.send_stretch()
        pool = self._sent.popleft()
        assert pool.span == span
        return pool

    def send_stretch(self) -> None:
        """Send the next stretch, and begin to read the one after it."""
        pools, self._place = self._next(*self._place)
        assert self._ahead is not None
        stretch = self._ahead.result()
        assert stretch.pools == pools
        self._read_ahead()
        if self.shelf.put(stretch):
            self._moved()
        self._sent.extend(self._placed(stretch)[self._passed :])
        self._passed = 0

    def _next(
        self, positions: Sequence[int], step: int
    ) -> tuple[list[Span], tuple[list[int], int]]:
        """Return the pools of a stretch, of `PAIRS` pairs where so many are left, and its end."""
        pools, positions, pairs = [], list(positions), 0
        while pairs < PAIRS and (span := self._following(positions, step)):
            pools.append(span)
            positions[span.text] = span.end
            pairs += span.end - span.start
            step += batch_count(span.end - span.start, self._batch)
        return pools, (positions, step)

    def _read_ahead(self) -> None:
        self._ahead: Future[Stretch] | None = None
        if pools := self._next(*self._place)[0]:
            arguments = self._texts, self._orders, pools, self._words
            self._ahead = self._reader.submit(read_stretch, *arguments)

    def _placed(self, stretch: Stretch) -> list[Sent]:
        """Return the pools of a stretch, whose text is on the shelf."""
        shelf, sentences = self.shelf, send(stretch.sentences, self._device)
        offsets = shelf.offsets[: len(stretch.rows) + 1]
        keys = keys_of(shelf.ids[: len(stretch.rows.ids)].long(), offsets)[sentences]
        seeds = send(self._seeds(stretch.pools), self._device)
        rooms, pools = stretch.rooms(), []
        for number, span in enumerate(stretch.pools):
            part = slice(*stretch.bounds[number : number + 2].tolist())
            stored, labels = stretch.keys[number], stretch.labels[number]
            pools.append(Sent(
                span, stretch.lengths[part], stretch.sizes[part], *rooms[number], sentences[part],
                keys[part] if stored is None else send(stored, self._device),
                None if labels is None else send(labels.astype(np.int64), self._device),
                seeds[number : number + 1],
            ))  # fmt: skip
        return pools

    def _seeds(self, pools: Sequence[Span]) -> NDArray[np.int64]:
        """Return a seed for each pool: of its place in the run, so that it is drawn again."""
        first = generator(*self._key).integers(2**40)
        places = [(span.start << 8) + (span.text << 48) for span in pools]  # with room for batches
        return first + np.array(places)
