"""How token embeddings become one sentence vector: averaging and bidirectional LSTM.

Both take token embeddings as one flat array with offsets, so no padding is ever stored. Every
function works on the CPU and on CUDA alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

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


CHUNK = 1024
"""Tokens handled at a time: 1.2 MB of 300-wide embeddings stay in a core's cache."""

Masks = list[Tensor]
"""Dropout factors, (CHUNK, dimension) each but for the last."""


class Averaging(nn.Module):
    """The mean of the token embeddings (wieting2019, section 2): no parameters of its own."""

    def forward(self, table: Tensor, ids: Tensor, offsets: Tensor, masks: Masks | None) -> Tensor:
        """Return the sentence vectors, (sentences, dimension).

        Args:
            table: (types, dimension) embeddings.
            ids: (tokens,) rows of the table.
            offsets: (sentences + 1,) where each sentence's tokens begin.
            masks: dropout factors of the tokens, or None.
        """
        lengths = offsets[1:] - offsets[:-1]
        scale = lengths.clamp(min=1).to(table.dtype).reciprocal().unsqueeze(1)
        if masks is None:
            return functional.embedding_bag(ids, table, offsets[:-1], mode="sum") * scale
        return _MaskedSum.apply(table, ids, lengths, *masks) * scale


class _MaskedSum(torch.autograd.Function):
    """Sum of masked rows per sentence, chunk by chunk: autograd's own chain copies all tokens."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, ids: Tensor, lengths: Tensor, *masks: Tensor) -> Tensor:  # noqa: ANN401
        sentence = torch.repeat_interleave(lengths)
        sums = table.new_zeros(len(lengths), table.shape[1])
        for rows, target, mask in zip(ids.split(CHUNK), sentence.split(CHUNK), masks, strict=True):
            sums.index_add_(0, target, table.index_select(0, rows).mul_(mask))
        ctx.save_for_backward(ids, sentence, *masks)
        ctx.types = len(table)
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        ids, sentence, *masks = ctx.saved_tensors
        total = gradient.new_zeros(ctx.types, gradient.shape[1])
        for rows, source, mask in zip(ids.split(CHUNK), sentence.split(CHUNK), masks, strict=True):
            total.index_add_(0, rows, gradient.index_select(0, source).mul_(mask))
        return total, None, None, *(None for _ in masks)


class BidirectionalLstm(nn.Module):
    """The mean of the hidden states of a one-layer bidirectional LSTM, shared by all languages."""

    def __init__(self, dimension: int, hidden: int) -> None:
        """Build with PyTorch's initialisation (uniform in +-1/sqrt(hidden))."""
        super().__init__()
        self.lstm = nn.LSTM(dimension, hidden, bidirectional=True)

    def forward(self, table: Tensor, ids: Tensor, offsets: Tensor, masks: Masks | None) -> Tensor:
        """Return the sentence vectors, (sentences, 2 x hidden); see `Averaging.forward`."""
        lengths = offsets[1:] - offsets[:-1]
        filled = lengths > 0
        if not filled.any():
            return table.new_zeros(len(lengths), 2 * self.lstm.hidden_size)
        positions, sizes, order = _packed_order(offsets[:-1][filled], lengths[filled])
        tokens = table.index_select(0, ids[positions])
        if masks is not None:
            tokens = tokens * torch.cat(masks)
        hidden, _ = self.lstm(PackedSequence(tokens, sizes))
        # average per sentence: element k of the packed data belongs to sentence order[k]
        out = hidden.data.new_zeros(len(lengths), hidden.data.shape[1])
        rows = torch.nonzero(filled).squeeze(1)[order]
        out = out.index_add(0, rows, hidden.data)
        return out / lengths.clamp(min=1).unsqueeze(1)


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
