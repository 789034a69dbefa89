"""The learner of contrastive objectives on a GPU, which is not waited for within a pool.

    for each stretch of pools: send their text
        for each pool of one batch, as one recorded piece of work: encode it without dropout,
            choose negatives, encode it with dropout, loss, one step
        for each pool of several: encode it without dropout, choose negatives
            (waits once, for how many tokens the largest batch has)
            for each batch, as one recorded piece of work: encode with dropout, loss, one step

A GPU is busy only while more work is queued than it has done: so losses stay there until an epoch
ends, and shapes do not depend on what is computed (see `stretch`). Text and negatives are those of
`Contrast`; dropout is drawn on the GPU, so that with dropout other numbers are drawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tandem.encoders.encoder import Room, Tokens
from tandem.encoders.rows import parts_by_length
from tandem.machine import exact_products, send
from tandem.objectives.contrastive import Pool
from tandem.training.contrast import Contrast
from tandem.training.course import Advance, Parameters, State
from tandem.training.gpu_optimizer import GpuOptimizer
from tandem.training.graphs import Graphs
from tandem.training.noise import generator, scrambled
from tandem.training.pairs import Pairs, Span
from tandem.training.stretch import PAIRS, Shelf, Stretch, keys_of, read_stretch

if TYPE_CHECKING:
    from tandem.encoders.model import SentenceEncoder
    from tandem.training.run import Run

AT_ONCE = 4096
"""Fewest pairs that are trained on between two looks at the host."""


class Sent(NamedTuple):
    """A pool on the device.

    Attributes:
        lengths, sizes: (2 pairs,) tokens of its sentences, and tokens or words, on the host.
        tokens, room: what room all of its sentences need.
        sentences: (2 pairs,) numbers of its left sentences and its right ones on the shelf.
        keys, labels: as `objectives.contrastive.Pool` has them.
        seed: (1,) of its random numbers.
    """

    span: Span
    lengths: np.ndarray
    sizes: np.ndarray
    tokens: int
    room: Room
    sentences: Tensor
    keys: Tensor
    labels: Tensor | None
    seed: Tensor


class GpuContrast(Contrast):
    """Learns as `Contrast` does, on a GPU."""

    def __init__(
        self,
        run: Run,
        vocabulary: int,
        texts: Sequence[Pairs],
        device: str,
        start: SentenceEncoder | None = None,
    ) -> None:
        super().__init__(run, vocabulary, texts, device, start)
        self._graphs, self._shelf = Graphs(self.device), Shelf(self.device)
        self._loss = torch.zeros((), dtype=torch.float64, device=self.device)
        self._reader = ThreadPoolExecutor(1, "read ahead")
        self._forget()

    def _make_optimizers(self, table: Tensor, steps: int) -> None:
        self.table = table.requires_grad_()
        weights = list(self.composition.parameters())
        self._parameters = [self.table, *weights]
        self._optimizer = GpuOptimizer(self.table, weights, self.settings.recipe, steps)

    def begin(self, epoch: int) -> int:
        """Put the pairs of each text into the order of an epoch; return their number."""
        self._forget()
        return super().begin(epoch)

    def advance(self) -> Advance | None:
        """Train on some pools, each from the text with the largest share of its pairs left."""
        pairs = weight = 0
        self._graphs.follow()
        with exact_products(), self._graphs.stream():
            while pairs < AT_ONCE and (span := self._next_pool(self._positions, self.step)):
                batches = self._train(span)
                self.step += batches
                self._positions[span.text] = span.end
                pairs, weight = pairs + span.end - span.start, weight + batches
            loss = self._loss.clone()
            self._loss.zero_()
        self._graphs.join()
        if not pairs:
            self._positions = []
            return None
        return Advance(pairs, loss, weight)

    def encoder(self) -> Parameters:
        """Return the table, as `embedding`, and the composition's parameters."""
        return {"embedding": self.table.detach(), **self.composition.state_dict()}

    def state(self) -> State:
        """Return the parameters, the optimiser's moments and the place in the epoch."""
        tensors = {f"parameters.{k}": v for k, v in self.encoder().items()}
        tensors |= {f"optimizer.{k}": v for k, v in self._optimizer.state().items()}
        return State(tensors, {"positions": self._positions, "step": self.step})

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        self._positions, self.step = state.place["positions"], state.place["step"]
        stored = state.part("parameters.")
        for name, tensor in self.encoder().items():
            tensor.copy_(stored[name])
        self._optimizer.load_state(state.part("optimizer."))
        self._forget()

    def _forget(self) -> None:
        self._sent: deque[Sent] = deque()
        self._ahead: Future[Stretch] | None = None

    def _train(self, span: Span) -> int:
        """Train on a pool; return the number of its batches."""
        if not self._sent:
            self._send()
        pool = self._sent.popleft()
        assert pool.span == span
        size, count = self.settings.recipe.batch, span.end - span.start
        monolingual = self.texts[span.text].monolingual
        if count <= size:
            labels = [] if pool.labels is None else [pool.labels]
            inputs = [pool.sentences, pool.keys, pool.seed, *labels]

            def alone(*tensors: Tensor) -> None:
                self._learn_alone(pool.tokens, pool.room, monolingual, *tensors)

            self._graphs.run(("alone", count, pool.tokens, pool.room, monolingual), alone, inputs)
            return 1
        chosen = self._choose_in(pool, self._vectors(pool), monolingual)
        groups = self._groups(count, chosen)
        whole = count - count % size
        numbers = pool.sentences[groups]
        batches = [numbers[:, :whole].unflatten(1, (-1, size)).transpose(0, 1).flatten(1)]
        rest = [numbers[:, whole:].flatten().unsqueeze(0)] * (whole < count)
        tokens, room = self._shelf.needed(batches + rest)

        def learn(*tensors: Tensor) -> None:
            self._learn(tokens, room, len(groups), *tensors)

        every = [*batches[0], *(part[0] for part in rest)]
        seeds = pool.seed + torch.arange(1, len(every) + 1, device=self.device) * 8
        for number, sentences in enumerate(every):
            batch = slice(number * size, min(number * size + size, count))
            inputs = [sentences, seeds[number : number + 1], *self.objective.part(chosen, batch)]
            self._graphs.run(("batch", len(sentences), tokens, room), learn, inputs)
        return len(every)

    def _learn_alone(
        self, room: int, rows: Room, monolingual: bool, sentences: Tensor, keys: Tensor,
        seed: Tensor, labels: Tensor | None = None,
    ) -> None:  # fmt: skip
        """Take a step on a pool that is one batch; its negatives are its own sentences."""
        tokens, of_tokens = self._tokens(sentences, room, rows)
        count = len(sentences) // 2
        if not self.objective.compares:
            vectors, compared = None, self._compose(self._noisy(tokens, of_tokens, seed))
        elif self._plain:
            compared = self._compose(tokens)
            vectors = compared.detach()
        else:
            with torch.no_grad():
                vectors = self._compose(tokens)
            compared = self._compose(self._noisy(tokens, of_tokens, seed))
        with torch.no_grad():
            chosen = self.objective.choose(Pool(vectors, keys, monolingual, labels))
        groups = self._groups(count, chosen)
        part = self.objective.part(chosen, slice(0, count))
        # the gradient of an embedding is summed in a fixed order
        self._step(self.objective.loss(functional.embedding(groups, compared), *part))

    def _learn(
        self, room: int, rows: Room, groups: int, sentences: Tensor, seed: Tensor, *part: Tensor
    ) -> None:
        """Take a step on a batch."""
        tokens, of_tokens = self._tokens(sentences, room, rows)
        vectors = self._compose(self._noisy(tokens, of_tokens, seed))
        self._step(self.objective.loss(vectors.unflatten(0, (groups, -1)), *part))

    def _step(self, loss: Tensor) -> None:
        gradients = torch.autograd.grad(loss, self._parameters, allow_unused=True)
        self._optimizer.update(gradients)
        self._loss += loss.detach()

    def _tokens(self, sentences: Tensor, room: int, rows: Room) -> tuple[Tokens, Tensor]:
        ids, offsets, of_tokens = self._shelf.gather(sentences, room)
        return Tokens(self.table, ids, offsets, None, rows), of_tokens

    def _noisy(self, tokens: Tokens, of_tokens: Tensor, seed: Tensor) -> Tokens:
        """Return tokens with dropout, and those of some sentences shuffled."""
        if rate := self.settings.recipe.scramble:
            ids = scrambled(tokens.ids, tokens.offsets, of_tokens, rate, seed)
            tokens = tokens._replace(ids=ids)
        if self.dropout:
            tokens = tokens._replace(dropout=self.dropout.draw_there(len(tokens.ids), seed))
        return tokens

    def _groups(self, count: int, chosen: Any) -> Tensor:  # noqa: ANN401
        pairs = torch.arange(count, device=self.device)
        return torch.stack(self.objective.rows(pairs, chosen))

    @torch.no_grad()
    def _vectors(self, pool: Sent) -> Tensor | None:
        """Encode a pool without dropout, where negatives are chosen among its vectors."""
        if not self.objective.compares:
            return None
        order, vectors = [], []
        for numbers, longest in parts_by_length(pool.sizes):
            order.append(send(numbers, self.device))
            room = Room(longest, int(pool.sizes[numbers].sum()))
            length = int(pool.lengths[numbers].sum())
            tokens, _ = self._tokens(pool.sentences[order[-1]], length, room)
            vectors.append(self._compose(tokens))
        if len(order) == 1:
            joined, places = vectors[0], order[0]
        else:
            joined, places = torch.cat(vectors), torch.cat(order)
        return torch.empty_like(joined).index_copy_(0, places, joined)

    @torch.no_grad()
    def _choose_in(self, pool: Sent, vectors: Tensor | None, monolingual: bool) -> Any:  # noqa: ANN401
        return self.objective.choose(Pool(vectors, pool.keys, monolingual, pool.labels))

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
        if self._shelf.put(stretch):
            self._graphs.forget()
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
        shelf, sentences = self._shelf, send(stretch.sentences, self.device)
        offsets = shelf.offsets[: len(stretch.rows) + 1]
        keys = keys_of(shelf.ids[: len(stretch.rows.ids)].long(), offsets)[sentences]
        seeds = send(self._seeds(stretch.pools), self.device)
        rooms, pools = stretch.rooms(), []
        for number, span in enumerate(stretch.pools):
            part = slice(*stretch.bounds[number : number + 2].tolist())
            shared, labels = stretch.keys[number], stretch.labels[number]
            pools.append(Sent(
                span, stretch.lengths[part], stretch.sizes[part], *rooms[number], sentences[part],
                keys[part] if shared is None else send(np.tile(shared, 2), self.device),
                None if labels is None else send(labels.astype(np.int64), self.device),
                seeds[number : number + 1],
            ))  # fmt: skip
        return pools

    def _seeds(self, pools: Sequence[Span]) -> np.ndarray:
        """Return a seed for each pool, int64: of its place in the run, so that it is drawn again."""
        first = generator(self.settings.seed, 2, self._epoch).integers(2**40)
        return first + np.array([(span.start << 8) + (span.text << 48) for span in pools])
