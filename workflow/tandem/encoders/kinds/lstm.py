"""The mean of the states of a bidirectional LSTM: LSTM and LSTM-SP of wieting2019, section 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import PositiveInt

from tandem.encoders.encoder import Encoder, Tokens
from tandem.encoders.sums import reduced
from tandem.machine import on_host

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.nn import Parameter

    from tandem.encoders.encoder import Indices


class Lstm(Encoder):
    """The mean of the hidden states of a one-layer bidirectional LSTM, shared by all languages."""

    hidden: PositiveInt = 150
    """Width of each direction."""

    @property
    def width(self) -> int:
        """Width of the sentence vector."""
        return 2 * self.hidden

    def weights(self) -> nn.Module:
        """Return the LSTM with PyTorch's initialisation (uniform in +-1/sqrt(hidden))."""
        from torch import nn

        return nn.LSTM(self.dimension, self.hidden, bidirectional=True)

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, 2 x hidden)."""
        packed = pack(tokens)
        if packed is None:
            return tokens.table.new_zeros(len(tokens.offsets) - 1, self.width)
        hidden = states(cast("nn.LSTM", weights), packed.inputs, packed.sizes)
        return sentence_means(hidden, packed, tokens.offsets)


class Packed(NamedTuple):
    """The tokens of sentences, all first ones, then all second ones, ..., longest sentence first.

    Attributes:
        inputs: (tokens, dimension) their embeddings, after dropout.
        sizes: (steps,) how many sentences have a token at each step, on the CPU.
        rows: (tokens,) the sentence of each.
        places: (tokens,) where each stood before.
    """

    inputs: Tensor
    sizes: Tensor
    rows: Tensor
    places: Tensor


def pack(tokens: Tokens) -> Packed | None:
    """Return the tokens in the order in which a recurrent network reads them; None: none."""
    lengths = tokens.lengths()
    if not lengths.any():
        return None
    places, sizes, rows = packed_order(tokens.offsets, lengths)
    return Packed(tokens.embedded(places), sizes, rows, places)


def sentence_means(values: Tensor, packed: Packed, offsets: Tensor) -> Tensor:
    """Return the mean of each sentence's values, (sentences, width); zeros for one without any.

    `values` is (tokens, width), in the order of what was packed.
    """
    lengths = (offsets[1:] - offsets[:-1]).clamp(min=1)
    if on_host(values):
        out = values.new_zeros(len(lengths), values.shape[1])
        sums = out.index_add(0, packed.rows, values)
    else:  # on a GPU, index_add sums in another order every time
        in_order = values.new_empty(values.shape).index_copy(0, packed.places, values)
        sums = reduced(in_order, offsets, "sum")
    return sums / lengths.unsqueeze(1)


def states(weights: nn.LSTM, inputs: Tensor, sizes: Tensor) -> Tensor:
    """Return the hidden states of packed inputs, (tokens, hidden), or twice as wide: both ways.

    On a CPU the steps are our own: PyTorch's passes over packed sentences take 1.2 times as long
    for sentences of 9 tokens and twice as long for 25 (`benchmarks/training.py lstm`).
    """
    import torch
    from torch.nn.utils.rnn import PackedSequence

    if not on_host(inputs):
        return weights(PackedSequence(inputs, sizes))[0].data
    counts = sizes.tolist()
    ways = zip(weights.all_weights, (False, True), strict=False)  # one way, or both
    directions = [_one_way(parameters, inputs, counts, reverse) for parameters, reverse in ways]
    return torch.cat(directions, 1)


def _one_way(weights: list[Parameter], inputs: Tensor, counts: list[int], reverse: bool) -> Tensor:
    """Return the hidden states of one direction, (tokens, hidden).

    `counts` says how many sentences have a token at each step. Sentences are sorted by falling
    length: forwards the last ones leave, in reverse they join with a state of zeros.
    """
    import torch

    from_input, from_hidden, input_bias, hidden_bias = weights
    gates = torch.addmm(input_bias + hidden_bias, inputs, from_input.T).split(counts)
    state = cell = inputs.new_zeros(0, from_hidden.shape[1])
    states = []
    for step in reversed(gates) if reverse else gates:
        joined = inputs.new_zeros(max(0, len(step) - len(state)), state.shape[1])
        state, cell = (torch.cat([old[: len(step)], joined]) for old in (state, cell))
        into, forget, new, out = torch.addmm(step, state, from_hidden.T).chunk(4, 1)
        cell = forget.sigmoid() * cell + into.sigmoid() * new.tanh()
        state = out.sigmoid() * cell.tanh()
        states.append(state)
    return torch.cat(states[::-1] if reverse else states)


def packed_order(offsets: Tensor, lengths: Indices) -> tuple[Tensor, Tensor, Tensor]:
    """Return where the tokens of sentences stand, step after step, the longest sentence first.

    With these places, (tokens,), come how many sentences have a token at each step, on the CPU,
    and the sentence of each token. `lengths` is what the offsets say, on the host.
    """
    import numpy as np
    import torch

    steps, device = int(lengths.max()), offsets.device
    sizes = len(lengths) - np.cumsum(np.bincount(lengths))[:-1]
    order = torch.argsort(offsets.diff(), descending=True, stable=True)
    every = torch.arange(steps, device=device)
    alive = (every.unsqueeze(1) < offsets.diff()).sum(1)
    step = every.repeat_interleave(alive, output_size=int(lengths.sum()))
    rank = torch.arange(len(step), device=device) - (alive.cumsum(0) - alive)[step]
    sentence = order[rank]
    return offsets[sentence] + step, torch.from_numpy(sizes), sentence
