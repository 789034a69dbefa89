"""The learner of contrastive objectives on a GPU, which is never waited for within a pool.

    for each stretch of pools: send their text, number its types        (waits for one number a pool)
        for each pool: encode it without dropout, choose negatives
            a pool of one batch: encode it with dropout, loss, one step
            of several: gather the sentences of all batches and number their types   (waits twice)
                for each batch: encode with dropout, loss, one step

A GPU is busy only while more work is queued than it has done: so nothing is read off it that the
next operation's shape does not depend on, and losses stay there. Text and negatives are those of
`Contrast`; dropout is drawn on the GPU, so that with dropout other numbers are drawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tandem.machine import send
from tandem.objectives.contrastive import Pool
from tandem.training.contrast import Contrast
from tandem.training.noise import generator, scrambled
from tandem.training.pairs import Pairs, Span
from tandem.training.row_optimizers import DenseAdam, RowAdam, RowOptimizer, Rows, RowSgd
from tandem.training.stretch import PAIRS, Batches, Stretch, keys_of, parts_of, read_stretch

if TYPE_CHECKING:
    from tandem.encoders.model import SentenceEncoder
    from tandem.training.course import State
    from tandem.training.run import Run

DENSE = 1 << 24
"""Most numbers of a table that Adam goes through at every step, in 0.15 ms of an H100."""
TOKENS = 1 << 20
"""About the most tokens that are encoded at a time where negatives are chosen."""


class Sent(NamedTuple):
    """A pool on the device.

    Attributes:
        number: its number among the batches; a pool is one of them.
        ids, offsets: of the text of its stretch.
        sentences: numbers of its own in that, left ones before right ones.
        keys, labels: as `objectives.contrastive.Pool` has them.
    """

    span: Span
    batches: Batches
    number: int
    ids: Tensor
    offsets: Tensor
    sentences: Tensor
    keys: Tensor
    labels: Tensor | None


class GpuContrast(Contrast):
    """Learns as `Contrast` does, on a GPU."""

    _options: ClassVar[dict[str, bool]] = {"fused": True}

    def __init__(
        self,
        run: Run,
        vocabulary: int,
        texts: Sequence[Pairs],
        device: str,
        start: SentenceEncoder | None = None,
    ) -> None:
        super().__init__(run, vocabulary, texts, device, start)
        self._vocabulary = vocabulary
        self._reader = ThreadPoolExecutor(1, "read ahead")
        self._every = torch.arange(0, device=self.device)
        self._forget()

    def begin(self, epoch: int) -> int:
        """Put the pairs of each text into the order of an epoch; return their number."""
        self._forget()
        return super().begin(epoch)

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        super().load_state(state)
        self._forget()

    def _forget(self) -> None:
        self._sent: deque[Sent] = deque()
        self._ahead: Future[Stretch] | None = None

    def _row_optimizer(self, table: Tensor) -> type[RowOptimizer]:
        if self.settings.recipe.optimizer != "adam":
            return RowSgd
        return DenseAdam if table.numel() <= DENSE else RowAdam

    def _train_pool(self, span: Span) -> tuple[Tensor, int]:
        """Train on a pool; return the sum of the losses of its batches, and their number."""
        if not self._sent:
            self._send()
        pool = self._sent.popleft()
        assert pool.span == span
        size, count = self.settings.recipe.batch, span.end - span.start
        seed = int(generator(*self._key(span)).integers(2**62))
        random = torch.Generator(self.device).manual_seed(seed)
        fetched = self.optimizer.fetch(pool.batches.batch_types(pool.number))
        if count <= size:
            return self._train_alone(pool, fetched, random).double(), 1
        chosen = self._choose_in(pool, self._vectors(pool, fetched))
        groups = torch.stack(self.objective.rows(self._numbers(count), chosen))
        batches = self._gather(pool, groups)
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        for number, first in enumerate(range(0, count, size)):
            batch = slice(first, min(first + size, count))
            fetched = self.optimizer.fetch(batches.batch_types(number))
            vectors = self._noisy(batches, number, fetched, random)
            shape = len(groups), batch.stop - first
            loss = self.objective.loss(vectors.unflatten(0, shape), batch, chosen)
            self._update(loss, fetched)
            total += loss.detach()
        return total, number + 1

    def _train_alone(self, pool: Sent, fetched: Rows, random: torch.Generator) -> Tensor:
        """Take a step on a pool that is one batch; all of its negatives are its own sentences."""
        count = pool.span.end - pool.span.start
        if self._plain:
            vectors = self._noisy(pool.batches, pool.number, fetched, random)
            chosen = self._choose_in(pool, vectors.detach())
        else:
            chosen = self._choose_in(pool, self._vectors(pool, fetched))
            vectors = self._noisy(pool.batches, pool.number, fetched, random)
        groups = torch.stack(self.objective.rows(self._numbers(count), chosen))
        # whose gradient is summed in a fixed order
        compared = functional.embedding(groups, vectors)
        loss = self.objective.loss(compared, slice(0, count), chosen)
        self._update(loss, fetched)
        return loss.detach()

    def _numbers(self, count: int) -> Tensor:
        """Return the numbers from 0 to before `count`, on the device."""
        if len(self._every) < count:
            self._every = torch.arange(count, device=self.device)
        return self._every[:count]

    @torch.no_grad()
    def _vectors(self, pool: Sent, fetched: Rows) -> Tensor | None:
        """Encode a pool without dropout, where negatives are chosen among its vectors."""
        if not self.objective.compares:
            return None
        tokens = pool.batches.tokens(pool.number, fetched.values)
        parts = [self._compose(part) for part in parts_of(tokens, TOKENS)]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    @torch.no_grad()
    def _choose_in(self, pool: Sent, vectors: Tensor | None) -> Any:  # noqa: ANN401
        monolingual = self.texts[pool.span.text].monolingual
        return self.objective.choose(Pool(vectors, pool.keys, monolingual, pool.labels))

    def _noisy(
        self, batches: Batches, number: int, fetched: Rows, random: torch.Generator
    ) -> Tensor:
        """Encode a batch with dropout, to be learned from."""
        fetched.values.requires_grad_()
        tokens, rate = batches.tokens(number, fetched.values), self.settings.recipe.scramble
        if rate:
            ids = scrambled(tokens.ids, tokens.offsets, rate, random)
            tokens = tokens._replace(ids=ids)
        if self.dropout:
            tokens = tokens._replace(dropout=self.dropout.draw(len(tokens.ids), random))
        return self._compose(tokens)

    def _gather(self, pool: Sent, groups: Tensor) -> Batches:
        """Gather the sentences of all batches of a pool; waits for their numbers."""
        size, count = self.settings.recipe.batch, groups.shape[1]
        parts = [part.flatten() for part in groups.split(size, 1)]
        places = torch.cat(parts)
        start, end = pool.batches.sentence_bounds[pool.number : pool.number + 2]
        sizes = pool.batches.sizes.take(slice(start, end)).take(places.cpu().numpy())
        counts = np.array([len(part) for part in parts])
        sentences = pool.sentences[places]
        return Batches(pool.ids, pool.offsets, sentences, sizes, counts, self._vocabulary)

    def _send(self) -> None:
        """Send the next stretch, and begin to read the one after it."""
        pools = self._pools(self._positions, self.step)
        stretch = self._ahead.result() if self._ahead else None
        if stretch is None or stretch.pools != pools:
            stretch = self._read(pools)
        positions, step = list(self._positions), self.step
        for span in pools:
            positions[span.text] = span.end
            step += -(-(span.end - span.start) // self.settings.recipe.batch)
        after = self._pools(positions, step)
        self._ahead = self._reader.submit(self._read, after) if after else None
        self._sent.extend(self._place(stretch))

    def _pools(self, positions: Sequence[int], step: int) -> list[Span]:
        """Return the next pools, of at least `PAIRS` pairs where so many are left."""
        pools, positions, pairs = [], list(positions), 0
        while pairs < PAIRS and (span := self._next_pool(positions, step)):
            pools.append(span)
            positions[span.text] = span.end
            pairs += span.end - span.start
            step += -(-(span.end - span.start) // self.settings.recipe.batch)
        return pools

    def _read(self, pools: list[Span]) -> Stretch:
        return read_stretch(self.texts, self._orders, pools, self.settings.encoder.words)

    def _place(self, stretch: Stretch) -> list[Sent]:
        """Return the pools of a stretch on the device."""
        to = partial(send, device=self.device)
        ids, offsets = to(stretch.rows.ids.astype(np.int32)), to(stretch.rows.offsets)
        sentences, keys = to(stretch.sentences), keys_of(ids.long(), offsets)
        counts = np.array([2 * (span.end - span.start) for span in stretch.pools])
        batches = Batches(ids, offsets, sentences, stretch.sizes, counts, self._vocabulary)
        bounds, pools = batches.sentence_bounds, []
        for number, span in enumerate(stretch.pools):
            own = sentences[bounds[number] : bounds[number + 1]]
            shared, labels = stretch.keys[number], stretch.labels[number]
            own_keys = keys[own] if shared is None else to(np.tile(shared, 2))
            marks = None if labels is None else to(labels.astype(np.int64))
            pools.append(Sent(span, batches, number, ids, offsets, own, own_keys, marks))
        return pools
