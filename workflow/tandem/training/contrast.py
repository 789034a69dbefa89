"""The learner of contrastive objectives, which compare sentences with chosen negatives.

    for each pool of batches: encode both sides without dropout, choose negatives
        for each batch: encode pairs and negatives with dropout, loss, one step
          (without dropout a pool of one batch is encoded once)

wieting2019, sections 2 and 3.1; the objective decides how large a pool is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from tandem.encoders.encoder import Tokens
from tandem.errors import TandemError
from tandem.kernels.sums import number_types
from tandem.machine import learns_on_host
from tandem.objectives.contrastive import Contrastive, Pool, batch_count, batch_slices, pool_end
from tandem.training.checkpoint import load_optimizer, optimizer_tensors
from tandem.training.course import Advance, Learner, Parameters, State
from tandem.training.noise import DropoutPool, generator, scramble
from tandem.training.pairs import Span, distinct
from tandem.training.row_optimizers import FrozenRows, RowAdam, RowOptimizer, Rows, RowSgd
from tandem.training.run import Run, first_parameters, prepare, uses_bfloat16

if TYPE_CHECKING:
    from tandem.encoders.model import SentenceEncoder
    from tandem.segmentation.ragged import Ragged
    from tandem.training.pairs import Indices, Pairs


class Encoded(NamedTuple):
    """The rows of the table that sentences' tokens read, and vectors, (sentences, width)."""

    fetched: Rows
    vectors: Tensor


def learner(
    run: Run,
    vocabulary: int,
    texts: Sequence[Pairs],
    device: str = "cpu",
    start: SentenceEncoder | None = None,
) -> Contrast:
    """Return the learner of a contrastive run that suits a device; see `Contrast`."""
    if learns_on_host(device):
        return Contrast(run, vocabulary, texts, device, start)
    from tandem.training.gpu_contrast import GpuContrast

    return GpuContrast(run, vocabulary, texts, device, start)


class Contrast(Learner):
    """Learns by comparing sentences.

    Attributes:
        texts: the pairs that it learns from; pairs of one language and of two are separate texts,
            since their negatives follow different rules.
        step: updates so far.
    """

    def __init__(
        self,
        run: Run,
        vocabulary: int,
        texts: Sequence[Pairs],
        device: str = "cpu",
        start: SentenceEncoder | None = None,
    ) -> None:
        """Take the first parameters from a trained encoder, or draw them from the seed.

        Raises:
            TandemError: fewer than two usable pairs, labels that the objective does not read, or
                the encoder to start from is another kind or has another number of types.
        """
        recipe = run.recipe
        prepare(run, vocabulary, texts)
        assert isinstance(run.objective, Contrastive)
        if run.encoder.width == 1:
            texts = [text.joined() for text in texts]
        if recipe.order == "groups":
            texts = [text.grouped() for text in texts]
        self.settings, self.objective, self.texts = run, run.objective, texts
        self._labelled = any(text.labels is not None for text in texts)
        self.device = torch.device(device)
        _check(texts, self.objective)
        table, self.composition = first_parameters(run, vocabulary, start)
        self.composition.to(self.device)
        if self._frozen:
            self.composition.freeze(recipe.frozen_layers)
        self._bfloat16 = uses_bfloat16(run, self.device)
        self._steps = recipe.epochs * sum(batch_count(t.longest, recipe.batch) for t in texts)
        self._make_optimizers(table.to(self.device), self._steps)
        dropout = recipe.dropout, run.encoder.dimension, run.seed, self.device
        self.dropout = DropoutPool(*dropout) if recipe.dropout else None
        self._scratch = np.full(vocabulary, -1)
        self.step = 0
        self._epoch = 0
        self._orders: list[Indices] = []
        self._positions: list[int] = []
        """How many pairs of each text this epoch has had; empty before an epoch."""

    def _make_optimizers(self, table: Tensor, steps: int) -> None:
        """Make what takes so many steps."""
        recipe = self.settings.recipe
        factors, rate = partial(recipe.factors, total=steps), recipe.learning_rate
        rows: type[RowOptimizer] = RowAdam if recipe.optimizer == "adam" else RowSgd
        if self._frozen:
            rows = FrozenRows
        self.optimizer = rows(table, rate * recipe.embedding_multiplier, steps, factors)
        weights = self.composition.learning()
        optimizer = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[recipe.optimizer]
        self.weights_optimizer = optimizer(weights, rate, fused=True) if weights else None

    @property
    def _frozen(self) -> bool:
        return self.settings.recipe.frozen == "embeddings"

    def begin(self, epoch: int) -> int:
        """Put the pairs of each text into the order of an epoch; return their number."""
        self._epoch = epoch
        self._orders = [
            text.epoch(generator(self.settings.seed, 1, epoch, *([number] if number else [])))
            for number, text in enumerate(self.texts)
        ]
        self._positions = self._positions or [0] * len(self.texts)
        return sum(map(len, self._orders))

    def advance(self) -> Advance | None:
        """Train on a pool of batches from the text with the largest share of its pairs left."""
        span = self._next_pool(self._positions, self.step)
        if span is None:
            self._positions = []
            return None
        loss, batches = self._train_pool(span)
        self.step += batches
        self._positions[span.text] = span.end
        return Advance(span.end - span.start, loss, batches)

    def _next_pool(self, positions: Sequence[int], step: int) -> Span | None:
        """Return the next pool where texts have come so far; None: the epoch is over."""
        left = [
            1 - position / len(order)
            for position, order in zip(positions, self._orders, strict=True)
        ]
        if not any(left):
            return None
        text = left.index(max(left))
        start, pairs = positions[text], len(self._orders[text])
        size = self.objective.batches(step, self._steps) * self.settings.recipe.batch
        return Span(text, start, pool_end(start, pairs, size))

    def encoder(self) -> Parameters:
        """Return the table, as `embedding`, and the composition's parameters."""
        return {"embedding": self.optimizer.settle(), **self.composition.state_dict()}

    def state(self) -> State:
        """Return the parameters, the optimisers' moments and the place in the epoch."""
        tensors = {f"rows.{k}": v for k, v in self.optimizer.state().items()}
        tensors |= {f"weights.{k}": v for k, v in self.composition.state_dict().items()}
        if self.weights_optimizer is not None:
            moments = optimizer_tensors(self.weights_optimizer)
            tensors |= {f"moments.{k}": v for k, v in moments.items()}
        return State(tensors, {"positions": self._positions, "step": self.step})

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        self._positions, self.step = state.place["positions"], state.place["step"]
        self.optimizer.load_state(state.part("rows."), self.step)
        self.composition.load_state_dict(state.part("weights."))
        if self.weights_optimizer is not None:
            load_optimizer(self.weights_optimizer, state.part("moments."))

    def _key(self, span: Span) -> tuple[int, ...]:
        """Return what the random draws of a pool are keyed by."""
        return self.settings.seed, 2, self._epoch, span.start, *([span.text] if span.text else [])

    def _train_pool(self, span: Span) -> tuple[float, int]:
        """Train on a pool; return the sum of the losses of its batches, and their number."""
        size, text = self.settings.recipe.batch, self.texts[span.text]
        random = generator(*self._key(span))
        rows = self._orders[span.text][span.start : span.end]
        sentences, count = text.take(rows), len(rows)
        batches = batch_slices(count, size)
        encoded = self._encode(sentences) if len(batches) == 1 and self._plain else None
        chosen = self._choose(text, rows, sentences, encoded)
        groups = torch.stack(self.objective.rows(torch.arange(count), chosen)).numpy()
        step = partial(self._step, sentences, encoded, groups, chosen, random)
        return sum(map(step, batches)), len(batches)

    @property
    def _plain(self) -> bool:
        """Whether negatives are chosen among the very vectors that a step compares."""
        recipe = self.settings.recipe
        return self.objective.compares and not (recipe.dropout or recipe.scramble)

    @torch.no_grad()
    def _choose(
        self, text: Pairs, rows: Indices, sentences: Ragged, encoded: Encoded | None
    ) -> Any:  # noqa: ANN401  (the objective's own)
        compares = self.objective.compares
        vectors = (encoded or self._encode(sentences)).vectors.detach() if compares else None
        keys = torch.from_numpy(text.sentence_keys(rows, sentences))
        labels = None if text.labels is None else torch.from_numpy(text.labels[rows]).long()
        return self.objective.choose(Pool(vectors, keys, text.monolingual, labels))

    def _step(
        self,
        sentences: Ragged,
        encoded: Encoded | None,
        groups: Indices,
        chosen: Any,  # noqa: ANN401
        random: np.random.Generator,
        batch: slice,
    ) -> float:
        shape = groups[:, batch].shape
        places = groups[:, batch].flatten()
        if encoded is None:
            # a sentence of one pair that is another pair's negative is encoded once
            distinct, places = np.unique(places, return_inverse=True)
            rows = scramble(sentences.gather(distinct), self.settings.recipe.scramble, random)
            encoded = self._encode(rows, random)
        fetched, vectors = encoded
        vectors = vectors[torch.from_numpy(places)].unflatten(0, shape)
        loss = self.objective.loss(vectors, *self.objective.part(chosen, batch))
        loss.backward()
        self.optimizer.update(fetched)
        if self.weights_optimizer is not None:
            rate = self.optimizer.rate() / self.settings.recipe.embedding_multiplier
            self.weights_optimizer.param_groups[0]["lr"] = rate
            self.weights_optimizer.step()
            self.weights_optimizer.zero_grad()
        return float(loss.detach())

    def _encode(self, rows: Ragged, random: np.random.Generator | None = None) -> Encoded:
        """Encode sentences, with dropout where `random` is given.

        Labelled pairs have many sentences in common: those of one spelling are encoded once.
        """
        if self._labelled:
            first, places = distinct(rows)
            fetched, vectors = self._encode_all(rows.gather(first), random)
            return Encoded(fetched, vectors[torch.from_numpy(places)])
        return self._encode_all(rows, random)

    def _encode_all(self, rows: Ragged, random: np.random.Generator | None) -> Encoded:
        types, local = number_types(rows.ids, self._scratch)
        fetched = self.optimizer.fetch(torch.from_numpy(types))
        fetched.values.requires_grad_(torch.is_grad_enabled() and not self._frozen)
        dropout = self.dropout.draw(len(local), random) if self.dropout and random else None
        arrays = torch.from_numpy(local), torch.from_numpy(rows.offsets)
        return Encoded(fetched, self._compose(Tokens(fetched.values, *arrays, dropout)))

    def _compose(self, tokens: Tokens) -> Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bfloat16):
            vectors = self.composition(tokens)
        return vectors.to(tokens.table.dtype)  # so that the loss is computed in it


def _check(texts: Sequence[Pairs], objective: Contrastive) -> None:
    """Refuse texts that cannot be trained on."""
    for text in texts:
        if text.labels is not None and not objective.labelled:
            raise TandemError(
                f"the objective {objective.kind} takes all pairs for translations, and some are "
                "labelled as none. Give an objective that reads labels, or leave these pairs out"
            )
    fewest = min(text.longest for text in texts)
    if fewest < 2:
        raise TandemError(
            f"{fewest} usable pairs: training needs at least 2, each with tokens on both sides"
        )
