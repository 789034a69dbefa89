"""Training the recurrent translator on a GPU, which is waited for only where an epoch ends.

    for each few dozens of batches: pad them, draw and number pieces, send them
        for each batch, as one recorded piece of work: look up all of its pieces, decode, loss,
            one step of Adam

A step is short, so a GPU is busy only while the host is quicker to ask for steps than it is to take
them: what can be known of a batch beforehand the host has worked out, and the rest is recorded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import get_total_norm

from tandem.machine import exact_products, send
from tandem.segmentation.ragged import Ragged, from_rows
from tandem.training.course import Advance, State
from tandem.training.gpu_optimizer import GpuAdam
from tandem.training.graphs import Graphs
from tandem.training.noise import generator, hashed
from tandem.translation.batching import END, PAD, Ids, group_by_length
from tandem.translation.gpu_batches import (
    IGNORED,
    Array,
    Laid,
    Shape,
    Softmax,
    draw_softmax,
    lay_out,
    shapes_of,
)
from tandem.translation.kinds.rnn import Rnn
from tandem.translation.network import Noise, Places
from tandem.translation.rnn_training import BETAS, Aligned, RnnLearner, refuse_infinite

BATCHES = 64
"""Batches that are sent at a time."""
TOGETHER = 16
"""Batches that are trained on between two looks at the host."""


class Sent(NamedTuple):
    """A batch on the device.

    Attributes:
        numbers: its `Laid`, in one row.
        values: (1 + pieces,) the learning rate, and what is added to the scores of the softmax.
        pairs, tokens: how many it has.
    """

    numbers: Tensor
    values: Tensor
    shape: Shape
    pairs: int
    tokens: int


class Masks:
    """Dropout as `drop` has it, one mask for each row, of all that is dropped in a batch."""

    def __init__(self, rate: float, rows: int, width: int, seed: Tensor) -> None:
        """Draw masks for `width` features in all; `seed` is (1,) int64."""
        keep = hashed(seed, rows * width) >= int(rate * 2**32)
        self._factors, self._used = (keep / (1 - rate)).view(rows, 1, width), 0

    def __call__(self, values: Tensor) -> Tensor:
        """Zero features of (batch, time, dimension)."""
        start, self._used = self._used, self._used + values.shape[2]
        return values * self._factors[:, :, start : self._used]


@torch.no_grad()
def clipped(gradients: Sequence[Tensor], most: float) -> tuple[list[Tensor], Tensor]:
    """Return gradients of a norm of at most `most`, as clip_grad_norm_ has them, and their norm."""
    norm = get_total_norm(gradients)
    scale = (most / (norm + 1e-6)).clamp(max=1.0)
    return [gradient * scale for gradient in gradients], norm


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
        self._loss = torch.zeros((), dtype=torch.float64, device=device)
        self._graphs = Graphs(torch.device(device))
        self._sent: deque[Sent] = deque()

    def _make_optimiser(self) -> None:
        self._parameters = list(self.network.parameters())
        self._adam = GpuAdam(self._parameters, BETAS)

    def begin(self, epoch: int) -> int:
        """Group the pairs into batches, as on a CPU."""
        self._sent.clear()
        self._epoch = epoch
        settings = self.settings
        seed = settings.seed, epoch
        self._groups = group_by_length(*self.train, settings.batch_tokens, seed)
        self._shapes = shapes_of(
            self._ended, self._groups, settings.batch_tokens, settings.sampled_pieces, self._pieces
        )
        return len(self.train.sources)

    def advance(self) -> Advance | None:
        """Take steps of Adam on some batches; their loss stays on the device."""
        if self._step == len(self._groups):
            self._step = 0
            refuse_infinite(float(self._norms))  # waits
            return None
        pairs = tokens = 0
        self._graphs.follow()
        with exact_products(), self._graphs.stream():
            for _ in range(min(TOGETHER, len(self._groups) - self._step)):
                if not self._sent:
                    self._sent.extend(self._draw(self._step))
                batch = self._sent.popleft()
                work = partial(self._learn, batch.shape)
                self._graphs.run(batch.shape, work, [batch.numbers, batch.values])
                self._step += 1
                pairs, tokens = pairs + batch.pairs, tokens + batch.tokens
            loss = self._loss.clone()
            self._loss.zero_()
        self._graphs.join()
        return Advance(pairs, loss, tokens)

    def state(self) -> State:
        """Return parameters and moments."""
        refuse_infinite(float(self._norms))
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= {f"moments.{k}": v for k, v in self._adam.state().items()}
        return State(tensors, {"step": self._step})

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        self.network.load_state_dict(state.part("network."))
        self._adam.load_state(state.part("moments."))
        self._step = state.place["step"]

    def _learn(self, shape: Shape, numbers: Tensor, values: Tensor) -> None:
        """Take one step of Adam on a batch."""
        laid, network = Laid.split(numbers, shape), self.network
        noise: Noise = _unchanged
        if network.dropout:
            # of three lookups and the memory, and the two halves that are joined
            noise = Masks(network.dropout, shape.rows, 6 * self.settings.dimension, laid.seed)
        scores = self._scores(laid, shape, values[1:], noise)
        loss = functional.cross_entropy(scores, laid.labels, ignore_index=IGNORED)
        gradients, norm = clipped(torch.autograd.grad(loss, self._parameters), self.settings.clip)
        self._norms += norm  # one that is not finite leaves the sum so
        self._adam.update(gradients, values[0])
        self._loss += loss.detach().double() * (laid.labels != IGNORED).sum()

    @torch.inference_mode()
    def validation_loss(self) -> float:
        """Return the cross-entropy of the validation pairs, nats per token."""
        total, tokens = torch.zeros((), dtype=torch.float64, device=self.network.device), 0
        with exact_products():
            for batch in self._validation_batches:
                laid = Laid.split(batch.numbers, batch.shape)
                scores = self._scores(laid, batch.shape, batch.values[1:], _unchanged)
                total += functional.cross_entropy(
                    scores, laid.labels, ignore_index=IGNORED, reduction="sum"
                )
                tokens += batch.tokens
        return float(total) / tokens

    @cached_property
    def _validation_batches(self) -> list[Sent]:
        pairs, words, pieces = _ended(self.validation), self.settings.batch_tokens, self._pieces
        groups = group_by_length(*self.validation, words, None)
        shapes = shapes_of(pairs, groups, words, pieces, pieces)
        every, weights = np.arange(pieces), np.zeros(pieces, np.float32)
        host = []
        for group, shape in zip(groups, shapes, strict=True):
            sources, targets = (side.gather(np.array(group)) for side in pairs)
            softmax = Softmax(every, targets.ids.astype(np.int64), weights)
            host.append(_Host(lay_out(sources, targets, softmax, shape), 0.0, softmax, shape))
        return self._send(host, groups)

    def _scores(self, laid: Laid[Tensor], shape: Shape, weights: Tensor, noise: Noise) -> Tensor:
        """Return the scores of a batch, (rows * target, pieces), for the pieces of its softmax."""
        network, (rows, source, target, _) = self.network, shape
        sizes = [rows * source, rows * source, rows * target]
        # all in one go: a gradient is as large as the table, and there are no others to add to it
        looked_up = network.embedding(laid.ids)
        read, pieces = looked_up.split([sum(sizes), shape.pieces])
        ahead, behind, inputs = (
            noise(part.view(rows, -1, part.shape[1]))
            for part in (read * network.scale).split(sizes)
        )
        mask = laid.ids[: sizes[0]].view(rows, source) != PAD
        memory = network.read(ahead, behind, Places(laid.reversal, laid.last, mask), noise)
        output, _ = network.write(memory, inputs, memory.initial, noise)
        bias = network.bias.index_select(0, laid.ids[sum(sizes) :])
        return functional.linear(output.flatten(0, 1), pieces, bias + weights)

    def _draw(self, first: int) -> list[Sent]:
        """Send batches of the epoch from the one at `first` on, with pieces drawn for each."""
        groups, settings = self._groups[first : first + BATCHES], self.settings
        host = []
        for number, group in enumerate(groups, first):
            random, shape = generator(settings.seed, self._epoch, number), self._shapes[number]
            sources, targets = (side.gather(np.array(group)) for side in self._ended)
            labels = targets.ids.astype(np.int64)
            softmax = draw_softmax(labels, settings.sampled_pieces, self._pieces, random)
            softmax, seed = softmax.padded(shape.pieces), int(random.integers(2**62))
            laid = lay_out(sources, targets, softmax, shape, seed)
            host.append(_Host(laid, self._rate(number + 1), softmax, shape))
        return self._send(host, groups)

    def _send(self, batches: Sequence[_Host], groups: Sequence[Sequence[int]]) -> list[Sent]:
        """Send batches, all at once."""
        device = self.network.device
        numbers = _split(device, [np.concatenate(batch.laid) for batch in batches])
        values = [np.append(np.float32(b.rate), b.softmax.weights) for b in batches]
        return [
            Sent(row, added, batch.shape, len(group), len(batch.softmax.labels))
            for row, added, batch, group in zip(
                numbers, _split(device, values), batches, groups, strict=True
            )
        ]


class _Host(NamedTuple):
    """A batch on the host, and its learning rate."""

    laid: Laid[Array]
    rate: float
    softmax: Softmax
    shape: Shape


def _split(device: torch.device, arrays: Sequence[NDArray[Any]]) -> Sequence[Tensor]:
    """Send arrays as one; return them on the device."""
    return send(np.concatenate(arrays), device).split([len(array) for array in arrays])


def _unchanged(values: Tensor) -> Tensor:
    return values


def _ended(pairs: Aligned[Ids]) -> tuple[Ragged, Ragged]:
    """Return pairs whose rows end in END."""
    left, right = (from_rows([*row, END] for row in side) for side in pairs)
    return left, right
