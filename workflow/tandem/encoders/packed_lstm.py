"""An LSTM over packed sentences, with its gradient written out for the CPU.

PyTorch's own spends most of a training step in the hundreds of small graph nodes of its backward
pass. Written out (Hochreiter and Schmidhuber, 1997, with forget gates), everything that does not
depend on the previous step becomes one large product, before and after the loop over time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

Slices = list[tuple[int, int]]


def time_slices(sizes: list[int]) -> Slices:
    """Return where each time step's rows begin and end in packed data."""
    ends = torch.tensor(sizes).cumsum(0).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def hidden_states(lstm: nn.LSTM, tokens: Tensor, sizes: Tensor) -> Tensor:
    """Return the hidden states of both directions, (tokens, 2 x hidden).

    Args:
        lstm: of one layer and two directions.
        tokens: (tokens, dimension) in time-major order; see `packed_order`.
        sizes: (steps,) how many sentences are longer than each step, on the CPU.
    """
    if tokens.is_cuda:
        return lstm(PackedSequence(tokens, sizes))[0].data
    slices = time_slices(sizes.tolist())
    directions = []
    for suffix in ("", "_reverse"):
        weight_ih, weight_hh, bias_ih, bias_hh = (
            getattr(lstm, f"{name}_l0{suffix}")
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        bias = bias_ih + bias_hh
        arguments = (tokens, weight_ih, weight_hh, bias, slices, bool(suffix))
        directions.append(PackedLstm.apply(*arguments))
    return torch.cat(directions, 1)


def packed_order(starts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the flat positions in time-major order of sentences sorted by falling length.

    Returns:
        positions (tokens,), batch sizes per time step (on the CPU), sentence of each position.
    """
    order = torch.argsort(lengths, descending=True, stable=True)
    sorted_lengths = lengths[order]
    steps = torch.arange(int(sorted_lengths[0]), device=lengths.device)
    alive = steps.unsqueeze(1) < sorted_lengths.unsqueeze(0)
    time, rank = torch.nonzero(alive, as_tuple=True)
    sentence = order[rank]
    return starts[sentence] + time, alive.sum(1).cpu(), sentence


class PackedLstm(torch.autograd.Function):
    """Hidden states of every token, (tokens, hidden), from packed inputs (tokens, dimension).

    Rows are in time-major order: step t has those of the sentences longer than t, the longest
    sentence first. Weights are as nn.LSTM has them, gates in the order input, forget, cell, output;
    `bias` is the sum of its two. `reverse` reads sentences from their ends.
    """

    @staticmethod
    def forward(
        ctx: Any,  # noqa: ANN401
        inputs: Tensor,
        weight_ih: Tensor,
        weight_hh: Tensor,
        bias: Tensor,
        slices: Slices,
        reverse: bool,
    ) -> Tensor:
        """Run through the sentences; see the class."""
        width = weight_hh.shape[1]
        gates = torch.addmm(bias, inputs, weight_ih.T)
        states = inputs.new_zeros(3, len(inputs), width)  # hidden, cell, tanh(cell)
        before = inputs.new_zeros(2, len(inputs), width)  # hidden and cell of the step before
        last = 0, 0
        for start, end in reversed(slices) if reverse else slices:
            # reading forward sentences drop out, reading backward they come in: both at the end
            count = min(end - start, last[1] - last[0])
            if count:
                before[:, start : start + count] = states[:2, last[0] : last[0] + count]
                gates[start : start + count].addmm_(before[0, start : start + count], weight_hh.T)
            gate = gates[start:end]
            gate[:, : 2 * width].sigmoid_()
            gate[:, 2 * width : 3 * width].tanh_()
            gate[:, 3 * width :].sigmoid_()
            enter, keep, new, out = gate.split(width, 1)
            hidden, cell, squashed = states[:, start:end]
            torch.mul(enter, new, out=cell).addcmul_(keep, before[1, start:end])
            torch.tanh(cell, out=squashed)
            torch.mul(out, squashed, out=hidden)
            last = start, end
        ctx.save_for_backward(inputs, weight_ih, weight_hh, gates, states[2], before)
        ctx.slices, ctx.reverse = slices, reverse
        return states[0]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradients of inputs, weights and bias."""
        inputs, weight_ih, weight_hh, gates, squashed, before = ctx.saved_tensors
        width = weight_hh.shape[1]
        steps = torch.empty_like(gates)  # gradient before the gates' nonlinearities
        # what does not depend on later steps, for all tokens at once
        enter, keep, new, out = gates.split(width, 1)
        through_out = squashed * out * (1 - out)
        through_cell = out * (1 - squashed * squashed)
        from_cell = (new * enter * (1 - enter), before[1] * keep * (1 - keep), enter * (1 - new**2))
        carried = gradient.new_zeros(2, 0, width)  # of hidden and cell, from the step after
        for start, end in ctx.slices if ctx.reverse else reversed(ctx.slices):
            total = gradient[start:end].clone()
            count = min(end - start, carried.shape[1])
            total[:count] += carried[0, :count]
            cell = total * through_cell[start:end]
            cell[:count] += carried[1, :count]
            step = steps[start:end]
            for part, factor in enumerate(from_cell):
                torch.mul(cell, factor[start:end], out=step[:, part * width : (part + 1) * width])
            torch.mul(total, through_out[start:end], out=step[:, 3 * width :])
            carried = torch.stack([step @ weight_hh, cell * keep[start:end]])
        hidden_before = before[0]
        return (
            steps @ weight_ih,
            steps.T @ inputs,
            steps.T @ hidden_before,
            steps.sum(0),
            None,
            None,
        )
