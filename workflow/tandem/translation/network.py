"""The recurrent encoder-decoder with dot-product attention.

The kind of system that Wieting et al. (2017), section 3, translate with: a bidirectional GRU reads
the source, a GRU with attention writes the target (Bahdanau et al. 2015). For speed on a CPU
attention stands outside the recurrence, as in Luong et al. (2015) without input feeding: the
decoder's GRU runs over the whole target, then attention is computed for all steps at once, so that
every product but the GRUs' own hidden ones is one large matrix product.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tandem.machine import on_host

Noise = Callable[[Tensor], Tensor]
"""Zeroes features of (batch, time, dimension) in training."""


class Places(NamedTuple):
    """Where the words of a source batch are, (batch, source) right-padded, counted row after row.

    reversal: (batch * source,), the places of each row from its last word to its first, those of
    padding as they are: what they read they also put back; last: (batch,), of each last word;
    mask: (batch, source), True at words.
    """

    reversal: Tensor
    last: Tensor
    mask: Tensor

    @classmethod
    def find(cls, lengths: Tensor, longest: int) -> Places:
        """Find the places in rows of lengths (batch,), on their device."""
        column = torch.arange(longest, device=lengths.device)
        starts = torch.arange(len(lengths), device=lengths.device)[:, None] * longest
        ends = lengths[:, None]
        mask = column < ends
        reversal = starts + torch.where(mask, ends - 1 - column, column)
        return cls(reversal.flatten(), starts[:, 0] + lengths - 1, mask)


class Memory(NamedTuple):
    """What the decoder sees of a source batch.

    states: (batch, source, dimension); mask: (batch, source), True at words and False at padding;
    initial: (1, batch, dimension), the decoder's first hidden state.
    """

    states: Tensor
    mask: Tensor
    initial: Tensor

    def rows(self, index: Tensor) -> Memory:
        """Keep the rows (batch positions) of `index`."""
        return Memory(self.states[index], self.mask[index], self.initial.index_select(1, index))


def drop(values: Tensor, rate: float, generator: torch.Generator | None) -> Tensor:
    """Zero features of (batch, time, dimension), the same ones at every step of a row.

    One mask per row (Gal and Ghahramani 2016) costs a `time`-th of the random numbers. Without a
    generator (evaluation) or with rate 0 the values pass unchanged.
    """
    if generator is None or rate == 0.0:
        return values
    mask = torch.empty(values.shape[0], 1, values.shape[2], device=values.device)
    return values * mask.bernoulli_(1.0 - rate, generator=generator).div_(1.0 - rate)


def run_gru(gru: nn.GRU, values: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return the states of a GRU, (batch, time, hidden), and the last ones, (1, batch, hidden).

    `values` is (batch, time, dimension). On a GPU they are given as packed sequences of equal
    length: for a matrix cuDNN chooses another way where states are narrow, which takes longer.
    """
    rows, longest = values.shape[:2]
    if on_host(values) or longest == 1:
        states, last = gru(values, hidden)
        return states, last
    sizes, learning = torch.full((longest,), rows), torch.is_grad_enabled()
    if hidden is None:
        hidden = values.new_zeros(1, rows, gru.hidden_size)
    packed = values.transpose(0, 1).flatten(0, 1)
    weights: list[Tensor] = [*gru.all_weights[0]]
    states, last = torch.gru(packed, sizes, hidden, weights, True, 1, 0.0, learning, False)
    return states.unflatten(0, (longest, rows)).transpose(0, 1), last


def attend(queries: Tensor, states: Tensor, mask: Tensor) -> Tensor:
    """Dot-product attention (Luong et al. 2015, equations 7 and 8).

    queries: (batch, target, dimension); states: (batch, source, dimension); mask: (batch, source).
    Returns the contexts, (batch, target, dimension); padding gets weight exactly 0.
    """
    scores = torch.bmm(queries, states.transpose(1, 2))
    scores = scores.masked_fill(~mask.unsqueeze(1), float("-inf"))
    return torch.bmm(torch.softmax(scores, dim=2), states)


def read_rows(values: Tensor, places: Tensor) -> Tensor:
    """Read the places of values (batch, time, ...), counted row after row."""
    return values.flatten(0, 1).index_select(0, places)


class AttentionNetwork(nn.Module):
    """Embeddings shared by both sides and the output, a GRU each way, one that writes."""

    def __init__(self, pieces: int, dimension: int, dropout: float) -> None:
        """Make the layers; weights are drawn by `initialise`."""
        super().__init__()
        self.dropout = dropout
        with torch.random.fork_rng(devices=[]):  # these weights are replaced by `initialise`
            # not drawn at all: to draw a normal without memory, on "meta", loads the compiler
            table = torch.empty(pieces, dimension)
            self.embedding = nn.Embedding.from_pretrained(table, freeze=False)
            self.forwards = nn.GRU(dimension, dimension // 2, batch_first=True)
            self.backwards = nn.GRU(dimension, dimension // 2, batch_first=True)
            self.bridge = nn.Linear(dimension, dimension)
            self.decoder = nn.GRU(dimension, dimension, batch_first=True)
            self.combine = nn.Linear(2 * dimension, dimension)
        self.bias = nn.Parameter(torch.zeros(pieces))

    def initialise(self, generator: torch.Generator) -> None:
        """Draw the weights: orthogonal recurrences, Xavier elsewhere, small embeddings."""
        for name, parameter in self.named_parameters():
            if parameter.dim() == 1:
                nn.init.zeros_(parameter)
            elif name == "embedding.weight":
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5, generator=generator)
            elif "weight_hh" in name:
                for block in parameter.data.chunk(3):
                    nn.init.orthogonal_(block, generator=generator)
            else:
                nn.init.xavier_uniform_(parameter, generator=generator)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.bias.device

    @property
    def scale(self) -> float:
        """What embeddings are multiplied by, to be of about one."""
        return float(self.embedding.embedding_dim**0.5)

    def embed(self, ids: Tensor, generator: torch.Generator | None) -> Tensor:
        """Embed ids (batch, time) as (batch, time, dimension), at a scale of about one."""
        return drop(self.embedding(ids) * self.scale, self.dropout, generator)

    def encode(
        self, source: Tensor, lengths: Tensor, generator: torch.Generator | None = None
    ) -> Memory:
        """Read source ids (batch, source), right-padded, of lengths (batch,), each at least 1."""
        places = Places.find(lengths, source.shape[1])
        backwards = read_rows(source, places.reversal).view_as(source)
        ahead = self.embed(source, generator)
        noise = partial(drop, rate=self.dropout, generator=generator)
        return self.read(ahead, self.embed(backwards, generator), places, noise)

    def read(self, ahead: Tensor, behind: Tensor, places: Places, noise: Noise) -> Memory:
        """Read embedded sources (batch, source, dimension): as they are, and reversed."""
        ahead, _ = run_gru(self.forwards, ahead)
        behind, _ = run_gru(self.backwards, behind)
        put_back = read_rows(behind, places.reversal).view_as(behind)
        states = torch.cat([ahead, put_back], dim=2)
        final = torch.cat([read_rows(side, places.last) for side in (ahead, behind)], dim=1)
        initial = torch.tanh(self.bridge(final)).unsqueeze(0)
        return Memory(noise(states), places.mask, initial)

    def decode(
        self,
        memory: Memory,
        inputs: Tensor,
        hidden: Tensor,
        generator: torch.Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Run the decoder over inputs (batch, target) from hidden (1, batch, dimension).

        Returns what `logits` turns into scores, (batch, target, dimension), and the last hidden
        state (Luong et al. 2015, equation 5). Decoding gives one column at a time.
        """
        noise = partial(drop, rate=self.dropout, generator=generator)
        return self.write(memory, self.embed(inputs, generator), hidden, noise)

    def write(
        self, memory: Memory, inputs: Tensor, hidden: Tensor, noise: Noise
    ) -> tuple[Tensor, Tensor]:
        """Do what `decode` does with inputs that are embedded, (batch, target, dimension)."""
        states, hidden = run_gru(self.decoder, inputs, hidden)
        context = attend(states, memory.states, memory.mask)
        joined = noise(torch.cat([context, states], dim=2))
        return torch.tanh(self.combine(joined)), hidden

    def logits(self, output: Tensor) -> Tensor:
        """Scores (..., pieces) of decoder output (..., dimension); the table is the embeddings'."""
        return nn.functional.linear(output, self.embedding.weight, self.bias)


@contextlib.contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Use `count` threads inside the block, and restore their number after it."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
