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

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import functional

from tandem.encoders.encoder import Room, Tokens
from tandem.encoders.rows import parts_by_length
from tandem.machine import exact_products, send
from tandem.objectives.contrastive import Pool, batch_count, batch_slices
from tandem.training.contrast import Contrast
from tandem.training.course import Advance, Parameters, State
from tandem.training.gpu_optimizer import GpuOptimizer
from tandem.training.gpu_pools import Pools, Sent
from tandem.training.graphs import Graphs
from tandem.training.noise import scrambled, token_numbers
from tandem.training.pairs import Pairs, Span
from tandem.training.stretch import room_for

if TYPE_CHECKING:
    from tandem.encoders.model import SentenceEncoder
    from tandem.training.run import Run

AT_ONCE = 4096
"""Fewest pairs that are trained on between two looks at the host."""
RECORDED = 1 << 21
"""Most tokens, rows filled up, of a pool for which choosing is recorded, as much as it takes."""


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
        recorded = run.encoder.fixed_shapes and self.objective.fixed_shapes
        self._graphs = Graphs(self.device, recorded)
        texts, words, batch = self.texts, run.encoder.words, run.recipe.batch
        self._pools = Pools(texts, words, batch, self._next_pool, self.device, self._graphs.forget)
        self._loss = torch.zeros((), dtype=torch.float64, device=self.device)
        self._most = 0, 0
        """Tokens and words of the largest batch so far of a pool of several."""
        self._before = 0
        """Updates before this epoch."""
        self._layouts: dict[int, tuple[int, int, list[tuple[torch.Size, torch.dtype]]]] = {}
        """By the length of a row: groups, pairs, and the shapes and types of what a loss needs."""

    def _make_optimizers(self, table: Tensor, steps: int) -> None:
        self.table = table.requires_grad_(not self._frozen)
        tables = [] if self._frozen else [self.table]
        weights = self.composition.learning()
        self._parameters = [*tables, *weights]
        self._optimizer = GpuOptimizer(tables, weights, self.settings.recipe, steps)

    def begin(self, epoch: int) -> int:
        """Put the pairs of each text into the order of an epoch; return their number."""
        self._before = self._before if self._positions else self.step
        pairs = super().begin(epoch)
        upcoming = self._next_pool(self._positions, self.step)
        key = self.settings.seed, 2, epoch
        self._pools.begin(self._orders, key, upcoming, self._before)
        return pairs

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
        place = {"positions": self._positions, "step": self.step, "before": self._before}
        return State(tensors, place | {"most": self._most})

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        place = state.place
        self._positions, self.step = place["positions"], place["step"]
        self._before, self._most = place["before"], tuple(place["most"])
        stored = state.part("parameters.")
        for name, tensor in self.encoder().items():
            tensor.copy_(stored[name])
        self._optimizer.load_state(state.part("optimizer."))

    def _train(self, span: Span) -> int:
        """Train on a pool; return the number of its batches."""
        pool = self._pools.take(span)
        size, count = self.settings.recipe.batch, span.end - span.start
        monolingual = self.texts[span.text].monolingual
        if batch_count(count, size) == 1:
            labels = [] if pool.labels is None else [pool.labels]
            inputs = [pool.sentences, pool.keys, pool.seed, *labels]

            def alone(*tensors: Tensor) -> None:
                self._learn_alone(pool.tokens, pool.room, monolingual, *tensors)

            key = "alone", count, pool.tokens, pool.room, monolingual, len(labels)
            self._graphs.run(key, alone, inputs)
            return 1
        needs, *rows = self._chosen(pool, monolingual)
        tokens, longest, words = needs.tolist()  # waits
        # numbers that vary little are at their largest in all pools, so that fewer are recorded
        self._most = max(self._most[0], tokens), max(self._most[1], words)
        room, rows_room = room_for(self._most[0], longest, self._most[1])

        def learn(row: Tensor) -> None:
            self._learn(room, rows_room, row)

        for row in rows:
            self._graphs.run(("batch", len(row), room, rows_room), learn, [row])
        return len(rows)

    def _chosen(self, pool: Sent, monolingual: bool) -> Sequence[Tensor]:
        """Return what `_rows` does, recorded for a pool of which there may be more like it."""
        labels = [] if pool.labels is None else [pool.labels]
        inputs = [pool.sentences, pool.keys, pool.seed, *labels]
        key = "choose", len(pool.sentences), pool.tokens, pool.room, monolingual, len(labels)
        if len(pool.sentences) * pool.room.longest > RECORDED:
            return self._rows(monolingual, self._vectors(pool), *inputs)

        def choose(sentences: Tensor, *others: Tensor) -> Sequence[Tensor]:
            vectors = None
            if self.objective.compares:
                with torch.no_grad():
                    vectors = self._compose(self._tokens(sentences, pool.tokens, pool.room)[0])
            return self._rows(monolingual, vectors, sentences, *others)

        return self._graphs.run(key, choose, inputs, before=1)

    @torch.no_grad()
    def _rows(
        self, monolingual: bool, vectors: Tensor | None, sentences: Tensor, keys: Tensor,
        seed: Tensor, labels: Tensor | None = None,
    ) -> Sequence[Tensor]:  # fmt: skip
        """Choose for the batches of a pool; return what room they need, and a row for each.

        A row is int64: the sentences of the batch, their places in the pool, its seed, and what its
        loss needs.
        """
        size, count = self.settings.recipe.batch, len(sentences) // 2
        chosen = self.objective.choose(Pool(vectors, keys, monolingual, labels))
        groups = self._groups(count, chosen)
        numbers = sentences[groups]
        rows: list[Tensor] = []
        slices = batch_slices(count, size)
        for batch in slices:
            part = self.objective.part(chosen, batch)
            places = [which[:, batch].flatten() for which in (numbers, groups)]
            values = [*places, seed + 8 * (len(rows) + 1)]
            rows.append(torch.cat([*values, *(tensor.flatten().long() for tensor in part)]))
            shapes = [(tensor.shape, tensor.dtype) for tensor in part]
            self._layouts[len(rows[-1])] = len(numbers), batch.stop - batch.start, shapes
        whole = count if count % size == 0 else slices[-1].start
        batches = [numbers[:, :whole].unflatten(1, (-1, size)).transpose(0, 1).flatten(1)]
        if whole < count:
            batches.append(numbers[:, whole:].flatten().unsqueeze(0))
        return [self._pools.shelf.needs(batches), *rows]

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
        self._descend(self.objective.loss(functional.embedding(groups, compared), *part))

    def _learn(self, room: int, rows_room: Room, row: Tensor) -> None:
        """Take a step on a batch, a row as `_rows` has it."""
        groups, size, shapes = self._layouts[len(row)]
        lengths = [groups * size] * 2 + [1, *(shape.numel() for shape, _ in shapes)]
        sentences, places, seed, *flat = row.split(lengths)
        part = [
            values.view(shape).to(kind) for values, (shape, kind) in zip(flat, shapes, strict=True)
        ]
        tokens, of_tokens = self._tokens(sentences, room, rows_room)
        vectors = self._compose(self._noisy(tokens, of_tokens, seed, places))
        self._descend(self.objective.loss(vectors.unflatten(0, (groups, size)), *part))

    def _descend(self, loss: Tensor) -> None:
        # zeros for what a loss does not depend on, as a posterior's variance: Adam leaves it
        gradients = torch.autograd.grad(loss, self._parameters, materialize_grads=True)
        self._optimizer.update(gradients)
        self._loss += loss.detach()

    def _tokens(self, sentences: Tensor, room: int, rows: Room) -> tuple[Tokens, Tensor]:
        ids, offsets, of_tokens = self._pools.shelf.gather(sentences, room)
        if self.settings.encoder.fixed_shapes:
            return Tokens(self.table, ids, offsets, None, rows), of_tokens
        count = int(offsets[-1])  # waits
        return Tokens(self.table, ids[:count], offsets), of_tokens[:count]

    def _noisy(
        self, tokens: Tokens, of_tokens: Tensor, seed: Tensor, places: Tensor | None = None
    ) -> Tokens:
        """Return tokens with dropout, and those of some sentences shuffled.

        A sentence that stands in a batch several times, as a pair's and as another's negative, has
        the same `places`, and so the same noise, as where a CPU encodes it once.
        """
        ids, offsets = tokens.ids, tokens.offsets
        if rate := self.settings.recipe.scramble:
            ids = scrambled(ids, offsets, of_tokens, rate, seed, places)
            tokens = tokens._replace(ids=ids)
        if self.dropout:
            drawn = len(ids) if places is None else token_numbers(offsets, of_tokens, places)
            tokens = tokens._replace(dropout=self.dropout.draw_there(drawn, seed))
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
