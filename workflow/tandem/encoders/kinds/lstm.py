"""The mean of the states of a bidirectional LSTM: LSTM and LSTM-SP of wieting2019, section 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from pydantic import PositiveInt

from tandem.encoders.encoder import Encoder, Tokens

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.nn import Parameter


class Lstm(Encoder):
    """The mean of the hidden states of a one-layer bidirectional LSTM, shared by all languages."""

    fixed_shapes: ClassVar[bool] = True

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
        if tokens.room is not None:
            from tandem.encoders.rows import Rows

            rows = Rows.of(tokens.offsets, tokens.room.longest)
            lstm, embedded = cast("nn.LSTM", weights), rows.embedded(tokens)
            return rows.means(row_states(lstm, embedded, rows.inside))
        packed = pack(tokens)
        if packed is None:
            return tokens.table.new_zeros(len(tokens.offsets) - 1, self.width)
        hidden = states(cast("nn.LSTM", weights), packed.inputs, packed.sizes)
        return sentence_means(hidden, packed.rows, tokens.offsets)


class Packed(NamedTuple):
    """The tokens of sentences, all first ones, then all second ones, ..., longest sentence first.

    Attributes:
        inputs: (tokens, dimension) their embeddings, after dropout.
        sizes: (steps,) how many sentences have a token at each step, on the CPU.
        rows: (tokens,) the sentence of each.
    """

    inputs: Tensor
    sizes: Tensor
    rows: Tensor


def pack(tokens: Tokens) -> Packed | None:
    """Return the tokens as a recurrent network reads them; None where no sentence has tokens."""
    import torch

    table, ids, offsets, dropout, _ = tokens
    lengths = offsets[1:] - offsets[:-1]
    filled = lengths > 0
    if not filled.any():
        return None
    positions, sizes, order = packed_order(offsets[:-1][filled], lengths[filled])
    embedded = table.index_select(0, ids[positions])
    if dropout is not None:
        # the masks of all tokens are drawn alike, so that any order will do
        embedded = embedded * dropout.factors(table.shape[1])
    return Packed(embedded, sizes, torch.nonzero(filled).squeeze(1)[order])


def sentence_means(values: Tensor, rows: Tensor, offsets: Tensor) -> Tensor:
    """Return the mean of each sentence's values, (sentences, width); zeros for one without any.

    `values` is (tokens, width), `rows` the sentence of each.
    """
    lengths = (offsets[1:] - offsets[:-1]).clamp(min=1)
    out = values.new_zeros(len(lengths), values.shape[1])
    return out.index_add(0, rows, values) / lengths.unsqueeze(1)


def states(weights: nn.LSTM, inputs: Tensor, sizes: Tensor) -> Tensor:
    """Return the hidden states of packed inputs, (tokens, hidden), or twice as wide: both ways.

    The steps are our own: PyTorch's passes over packed sentences take 1.2 times as long on a CPU
    for sentences of 9 tokens and twice as long for 25 (`benchmarks/training.py lstm`).
    """
    import torch

    counts = sizes.tolist()
    ways = zip(weights.all_weights, (False, True), strict=False)  # one way, or both
    directions = [_one_way(parameters, inputs, counts, reverse) for parameters, reverse in ways]
    return torch.cat(directions, 1)


def row_states(weights: nn.LSTM, inputs: Tensor, inside: Tensor) -> Tensor:
    """Return the hidden states of rows, (sentences, longest, hidden), or twice as wide: both ways.

    `inputs` is (sentences, longest, dimension), `inside` whether there is a token; what stands
    beyond a sentence's end is read after it, whichever the way, and changes no state before.
    """
    import torch

    rows, longest = inside.shape
    steps = torch.arange(longest, device=inside.device)
    last = inside.sum(1, keepdim=True) - 1
    turned = torch.where(inside, last - steps, steps).T.unsqueeze(2)
    inputs, states = inputs.transpose(0, 1), []
    # given as packed sentences of equal length, for which cuDNN takes a third of the time that it
    # takes for a matrix: there it chooses another way for narrow states
    sizes, learning = torch.full((longest,), rows), torch.is_grad_enabled()
    for parameters, reverse in zip(weights.all_weights, (False, True), strict=False):
        start = inputs.new_zeros(1, rows, weights.hidden_size)
        read = inputs.gather(0, turned.expand_as(inputs)) if reverse else inputs
        packed = read.flatten(0, 1), sizes, (start, start), tuple(parameters)
        # autocast would make the states of cuDNN float16, whatever it is asked for
        with torch.autocast(inputs.device.type, enabled=False):
            out = torch.lstm(*packed, True, 1, 0.0, learning, False)[0]
        out = out.unflatten(0, (longest, rows))
        states.append(out.gather(0, turned.expand_as(out)) if reverse else out)
    return torch.cat(states, 2).transpose(0, 1)


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


def packed_order(starts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the flat positions in time-major order of sentences sorted by falling length.

    With them, (tokens,), come batch sizes per time step, on the CPU, and each position's sentence.
    """
    import torch

    order = torch.argsort(lengths, descending=True, stable=True)
    sorted_lengths = lengths[order]
    steps = torch.arange(int(sorted_lengths[0]), device=lengths.device)
    alive = steps.unsqueeze(1) < sorted_lengths.unsqueeze(0)
    time, rank = torch.nonzero(alive, as_tuple=True)
    sentence = order[rank]
    return starts[sentence] + time, alive.sum(1).cpu(), sentence
