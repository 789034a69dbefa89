"""Training the recurrent translator on a GPU, which is waited for only where an epoch ends.

    for each few dozens of batches: pad them, draw and number pieces, send them
        for each batch: look up all of its pieces, decode, loss, one step of Adam

A step is short, so a GPU is busy only while operations are queued faster than it does them: there
are few of them, and what can be known of a batch beforehand the host has worked out.
"""

from __future__ import annotations

import math
from collections import deque
from functools import cached_property
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tandem.errors import TandemError
from tandem.machine import send
from tandem.segmentation.ragged import Ragged, from_rows
from tandem.training.course import Advance, State
from tandem.training.noise import generator
from tandem.translation.batching import END, PAD, START, Ids, group_by_length
from tandem.translation.kinds.rnn import Rnn
from tandem.translation.network import Places, drop, read_rows
from tandem.translation.rnn_training import Aligned, RnnLearner

Array = NDArray[np.int64]
Numbers = TypeVar("Numbers", Array, Tensor)
Shape = tuple[int, int, int]

BATCHES = 64
"""Batches that are sent at a time."""


class Laid(NamedTuple, Generic[Numbers]):
    """A batch of padded sources and targets, counted row after row.

    Attributes:
        ids: pieces that are looked up: of the sources, of these reversed, of the decoder's inputs,
            and those of the softmax.
        reversal, last: see `Places`.
        words: (tokens,) places of the labels in the padded targets.
        labels: (tokens,) their numbers among the pieces of the softmax.
    """

    ids: Numbers
    reversal: Numbers
    last: Numbers
    words: Numbers
    labels: Numbers


class Sent(NamedTuple):
    """A batch on the device.

    Attributes:
        laid: its pieces and places.
        weights: (pieces,) added to the scores of the softmax.
        shape: sentences, and the longest source and target.
    """

    laid: Laid[Tensor]
    weights: Tensor
    shape: Shape


class Softmax(NamedTuple):
    """The pieces of a batch's softmax.

    Attributes:
        pieces: those that occur, rising, and those that are drawn.
        labels: (tokens,) numbers among them.
        weights: (pieces,) logarithms of how many pieces a drawn one stands for.
    """

    pieces: Array
    labels: Array
    weights: NDArray[np.float32]


def draw_softmax(
    labels: Array, count: int, vocabulary: int, random: np.random.Generator
) -> Softmax:
    """Draw `count` pieces for the rest of a vocabulary, as `sampled_loss` does."""
    present, numbers = np.unique(labels, return_inverse=True)
    absent = np.ones(vocabulary, np.bool_)
    absent[present] = False
    others = np.flatnonzero(absent)
    chosen = random.permutation(others)[:count]
    weights = np.zeros(len(present) + len(chosen), np.float32)
    if len(chosen):
        weights[len(present) :] = math.log(len(others) / len(chosen))
    return Softmax(np.concatenate([present, chosen]), numbers, weights)


def padded_places(rows: Ragged, longest: int) -> Array:
    """Return the place of each id, (tokens,), once rows are padded and stand row after row."""
    moved = np.arange(len(rows)) * longest - rows.offsets[:-1]
    return np.arange(len(rows.ids)) + moved.repeat(rows.lengths())


def lay_out(sources: Ragged, targets: Ragged, softmax: Softmax) -> tuple[Laid[Array], Shape]:
    """Lay out a batch whose rows end in END; return its shape too, as `Sent` has it."""
    lengths, rows = sources.lengths(), len(sources)
    longest, longest_target = int(lengths.max()), int(targets.lengths().max())
    places, words = padded_places(sources, longest), padded_places(targets, longest_target)
    source = np.full(rows * longest, PAD)
    source[places] = sources.ids
    starts = np.arange(rows) * longest
    reversal = np.arange(rows * longest)
    reversal[places] = (2 * starts + lengths - 1).repeat(lengths) - places
    inputs = np.full((rows, longest_target + 1), PAD)
    inputs[:, 0] = START
    inputs[:, 1:].flat[words] = targets.ids
    # an END that is read after the last word changes nothing that is learned from
    ids = np.concatenate([source, source[reversal], inputs[:, :-1].ravel(), softmax.pieces])
    laid = Laid(ids, reversal, starts + lengths - 1, words, softmax.labels)
    return laid, (rows, longest, longest_target)


class GpuRnnLearner(RnnLearner):
    """Learns as `RnnLearner` does, on a GPU; other dropout and other pieces are drawn."""

    def __init__(
        self,
        settings: Rnn,
        pieces: int,
        train: Aligned[Ids],
        validation: Aligned[Ids],
        device: str,
    ) -> None:
        """Draw the weights of a network over so many pieces."""
        super().__init__(settings, pieces, train, validation, device)
        self._pieces, self._ended = pieces, _ended(train)
        self._norms = torch.zeros((), device=device)
        self._sent: deque[Sent] = deque()

    def begin(self, epoch: int) -> int:
        """Group the pairs into batches, as on a CPU."""
        self._sent.clear()
        return super().begin(epoch)

    def advance(self) -> Advance | None:
        """Take one step of Adam on a batch; its loss stays on the device."""
        advance = super().advance()
        if advance is None:
            self._check_norms()
        return advance

    def state(self) -> State:
        """Return what `RnnLearner` does."""
        self._check_norms()
        return super().state()

    def _check_norms(self) -> None:
        """Refuse to go on after a gradient that was infinite or no number; waits for the device."""
        if not math.isfinite(float(self._norms)):
            raise TandemError(
                "a gradient of the translator is infinite or not a number: lower learning_rate"
            )

    def _update(self, group: list[int], rate: float) -> tuple[Tensor, int]:
        """Take one step of Adam on the pairs at `group`; return the loss per token and tokens."""
        if not self._sent:
            first = self._step - 1  # this step's group
            groups = self._groups[first : first + BATCHES]
            self._sent.extend(self._send(self._ended, groups, first))
        batch = self._sent.popleft()
        ids, labels = batch.laid.ids, batch.laid.labels
        output, pieces = self._decode(batch, self._generator)
        bias = self.network.bias.index_select(0, ids[-len(pieces) :])
        scores = functional.linear(output, pieces, bias + batch.weights)
        loss = functional.cross_entropy(scores, labels)
        # one that is not finite leaves the sum so
        self._norms += self._descend(loss, rate, check=False)
        return loss.detach().double(), len(labels)

    @torch.inference_mode()
    def validation_loss(self) -> float:
        """Return the cross-entropy of the validation pairs, nats per token."""
        total, tokens = torch.zeros((), dtype=torch.float64, device=self.network.device), 0
        for batch in self._validation_batches:
            output, _ = self._decode(batch, None)
            scores, labels = self.network.logits(output), batch.laid.labels
            total += functional.cross_entropy(scores, labels, reduction="sum")
            tokens += len(labels)
        return float(total) / tokens

    @cached_property
    def _validation_batches(self) -> list[Sent]:
        groups = group_by_length(*self.validation, self.settings.batch_tokens, None)
        return self._send(_ended(self.validation), groups)

    def _decode(self, batch: Sent, noise: torch.Generator | None) -> tuple[Tensor, Tensor]:
        """Return decoder output, (tokens, dimension), and rows of the pieces of the softmax."""
        network, laid, (rows, source, target) = self.network, batch.laid, batch.shape
        sizes = [rows * source, rows * source, rows * target]
        # all in one go: a gradient is as large as the table, and there are no others to add to it
        looked_up = network.embedding(laid.ids)
        read, pieces = looked_up.split([sum(sizes), len(laid.ids) - sum(sizes)])
        ahead, behind, inputs = (
            drop(part.view(rows, -1, part.shape[1]), network.dropout, noise)
            for part in (read * network.scale).split(sizes)
        )
        mask = laid.ids[: sizes[0]].view(rows, source) != PAD
        memory = network.read(ahead, behind, Places(laid.reversal, laid.last, mask), noise)
        output, _ = network.write(memory, inputs, memory.initial, noise)
        return read_rows(output, laid.words), pieces

    def _send(
        self, pairs: tuple[Ragged, Ragged], groups: list[list[int]], first: int | None = None
    ) -> list[Sent]:
        """Send batches of pairs to the device.

        Pieces are drawn for a softmax by the number of the batch in the epoch, of which the first
        is `first`; with None none are, and labels are pieces.
        """
        arrays: list[Array] = []
        shapes, weights = [], []
        for number, group in enumerate(groups):
            sources, targets = (side.gather(np.array(group)) for side in pairs)
            softmax = Softmax(np.arange(0), targets.ids.astype(np.int64), np.zeros(0, np.float32))
            if first is not None:
                random = generator(self.settings.seed, self._epoch, first + number)
                count = self.settings.sampled_pieces
                softmax = draw_softmax(softmax.labels, count, self._pieces, random)
            laid, shape = lay_out(sources, targets, softmax)
            arrays += laid
            shapes.append(shape)
            weights.append(softmax.weights)
        device = self.network.device
        whole = send(np.concatenate(arrays).astype(np.int32), device).long()
        parts = iter(whole.split([len(array) for array in arrays]))
        added = send(np.concatenate(weights), device).split([len(array) for array in weights])
        return [
            Sent(Laid(*islice(parts, len(Laid._fields))), weight, shape)
            for weight, shape in zip(added, shapes, strict=True)
        ]


def _ended(pairs: Aligned[Ids]) -> tuple[Ragged, Ragged]:
    """Return pairs whose rows end in END."""
    left, right = (from_rows([*row, END] for row in side) for side in pairs)
    return left, right
