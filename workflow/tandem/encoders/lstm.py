"""The mean of the states of a bidirectional LSTM: LSTM and LSTM-SP of wieting2019, section 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import PositiveInt

from tandem.encoders.encoder import Encoder, Tokens

if TYPE_CHECKING:
    from torch import Tensor, nn


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
        import torch
        from torch.nn.utils.rnn import PackedSequence

        table, ids, offsets, dropout = tokens
        lengths = offsets[1:] - offsets[:-1]
        filled = lengths > 0
        if not filled.any():
            return table.new_zeros(len(lengths), self.width)
        positions, sizes, order = packed_order(offsets[:-1][filled], lengths[filled])
        embedded = table.index_select(0, ids[positions])
        if dropout is not None:
            embedded = embedded * dropout.factors(self.dimension)
        hidden = weights(PackedSequence(embedded, sizes))[0].data
        # average per sentence: element k of the packed data belongs to sentence order[k]
        out = hidden.new_zeros(len(lengths), hidden.shape[1])
        rows = torch.nonzero(filled).squeeze(1)[order]
        out = out.index_add(0, rows, hidden)
        return out / lengths.clamp(min=1).unsqueeze(1)


def packed_order(starts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the flat positions in time-major order of sentences sorted by falling length.

    Returns:
        positions (tokens,), batch sizes per time step (on the CPU), sentence of each position.
    """
    import torch

    order = torch.argsort(lengths, descending=True, stable=True)
    sorted_lengths = lengths[order]
    steps = torch.arange(int(sorted_lengths[0]), device=lengths.device)
    alive = steps.unsqueeze(1) < sorted_lengths.unsqueeze(0)
    time, rank = torch.nonzero(alive, as_tuple=True)
    sentence = order[rank]
    return starts[sentence] + time, alive.sum(1).cpu(), sentence
