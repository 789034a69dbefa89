"""How token embeddings become one sentence vector: averaging and bidirectional LSTM.

Both take token embeddings as one flat array with offsets, so no padding is ever stored; both work
on the CPU and on CUDA.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from tandem.encoders.lstm import PackedLstm, time_slices

Kind = Literal["averaging", "lstm"]


@dataclass(frozen=True)
class EncoderConfig:
    """The architecture of an encoder.

    Attributes:
        kind: averaging (SP, WORD, TRIGRAM) or lstm (LSTM, LSTM-SP).
        dimension: width of the token embeddings.
        hidden: width of each direction of the LSTM, None for averaging.
    """

    kind: Kind
    dimension: int
    hidden: int | None = None

    @property
    def output_dimension(self) -> int:
        """Width of the sentence vector."""
        return self.dimension if self.kind == "averaging" else 2 * self.hidden


class TokenDropout(NamedTuple):
    """Dropout of token embeddings, drawn as places in a pool of zeros and ones.

    Attributes:
        keep: (pool,) uint8, 1 for what is kept; token t has the window that begins at places[t].
        places: (tokens,) int64.
        scale: what is kept is multiplied by, 1 / (1 - rate).
    """

    keep: Tensor
    places: Tensor
    scale: float

    def factors(self, dimension: int) -> Tensor:
        """Return what each token's embedding is multiplied by, (tokens, dimension) float32."""
        windows = self.keep.unfold(0, dimension, 1)
        return windows[self.places].float() * self.scale


class Averaging(nn.Module):
    """The mean of the token embeddings (wieting2019, section 2): no parameters of its own."""

    def forward(
        self, table: Tensor, ids: Tensor, offsets: Tensor, dropout: TokenDropout | None = None
    ) -> Tensor:
        """Return the sentence vectors, (sentences, dimension).

        Args:
            table: (types, dimension) embeddings.
            ids: (tokens,) rows of the table.
            offsets: (sentences + 1,) where each sentence's tokens begin.
            dropout: of the tokens, or None.
        """
        lengths = (offsets[1:] - offsets[:-1]).clamp(min=1).to(table.dtype).unsqueeze(1)
        if dropout is not None and table.device.type == "cpu":
            sums = _MaskedSums.apply(table, ids, offsets, dropout.keep, dropout.places)
            return sums * (dropout.scale / lengths)
        if dropout is None:
            sums = functional.embedding_bag(ids, table, offsets[:-1], mode="sum")
        else:
            tokens = table[ids] * dropout.factors(table.shape[1])
            every = torch.arange(len(ids), device=ids.device)
            sums = functional.embedding_bag(every, tokens, offsets[:-1], mode="sum")
        return sums / lengths


class _MaskedSums(torch.autograd.Function):
    """`kernels.masked_sums` with its gradient."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, *rest: Tensor) -> Tensor:  # noqa: ANN401
        from tandem.encoders import (
            masked_sums as kernels,  # takes a second to import: only for training
        )

        ctx.save_for_backward(*rest)
        ctx.types = len(table)
        arrays = (tensor.numpy() for tensor in (table.detach(), *rest))
        return torch.from_numpy(kernels.masked_sums(*arrays, torch.get_num_threads()))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        from tandem.encoders import masked_sums as kernels

        arrays = (tensor.numpy() for tensor in ctx.saved_tensors)
        total = kernels.masked_sums_backward(
            gradient.contiguous().numpy(), ctx.types, *arrays, torch.get_num_threads()
        )
        return torch.from_numpy(total), None, None, None, None


class BidirectionalLstm(nn.Module):
    """The mean of the hidden states of a one-layer bidirectional LSTM, shared by all languages."""

    def __init__(self, dimension: int, hidden: int) -> None:
        """Build with PyTorch's initialisation (uniform in +-1/sqrt(hidden))."""
        super().__init__()
        self.lstm = nn.LSTM(dimension, hidden, bidirectional=True)

    def forward(
        self, table: Tensor, ids: Tensor, offsets: Tensor, dropout: TokenDropout | None = None
    ) -> Tensor:
        """Return the sentence vectors, (sentences, 2 x hidden); see `Averaging.forward`."""
        lengths = offsets[1:] - offsets[:-1]
        filled = lengths > 0
        if not filled.any():
            return table.new_zeros(len(lengths), 2 * self.lstm.hidden_size)
        positions, sizes, order = _packed_order(offsets[:-1][filled], lengths[filled])
        tokens = table.index_select(0, ids[positions])
        if dropout is not None:
            tokens = tokens * dropout.factors(table.shape[1])
        hidden = self._hidden(tokens, sizes)
        # average per sentence: element k of the packed data belongs to sentence order[k]
        out = hidden.new_zeros(len(lengths), hidden.shape[1])
        rows = torch.nonzero(filled).squeeze(1)[order]
        out = out.index_add(0, rows, hidden)
        return out / lengths.clamp(min=1).unsqueeze(1)

    def _hidden(self, tokens: Tensor, sizes: Tensor) -> Tensor:
        """Return the hidden states of both directions, (tokens, 2 x hidden)."""
        if tokens.is_cuda:
            return self.lstm(PackedSequence(tokens, sizes))[0].data
        slices = time_slices(sizes.tolist())
        directions = []
        for suffix in ("", "_reverse"):
            weight_ih, weight_hh, bias_ih, bias_hh = (
                getattr(self.lstm, f"{name}_l0{suffix}")
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            bias = bias_ih + bias_hh
            arguments = (tokens, weight_ih, weight_hh, bias, slices, bool(suffix))
            directions.append(PackedLstm.apply(*arguments))
        return torch.cat(directions, 1)


def _packed_order(starts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
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


def build(config: EncoderConfig) -> nn.Module:
    """Return the composition that a configuration names."""
    if config.kind == "averaging":
        return Averaging()
    return BidirectionalLstm(config.dimension, config.hidden)


def initial_embeddings(rows: int, dimension: int, generator: torch.Generator) -> Tensor:
    """Draw embeddings from N(0, 1) (wieting2019, section 3.3: "mean 0 and variance 1")."""
    return torch.randn(rows, dimension, generator=generator)
