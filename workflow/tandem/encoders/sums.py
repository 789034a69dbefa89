"""Sums of token embeddings: of averaged sentences, and of the words that a transformer reads.

It is a module of its own so that an edit of compiled sums re-runs no other kind of encoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.machine import has_compiled_loops

if TYPE_CHECKING:
    from torch import Tensor

    from tandem.encoders.encoder import Tokens


def sums(tokens: Tokens) -> Tensor:
    """Return the sum of the embeddings of each sentence's tokens, (sentences, dimension).

    Compiled where an encoder is trained on a CPU in single precision, else by PyTorch.
    """
    from torch.nn import functional

    table, ids, offsets, dropout, _ = tokens
    if has_compiled_loops(table) and (dropout or table.requires_grad):
        from tandem.kernels.sums import Sums  # numba: only for training

        total: Tensor = Sums.apply(table, ids, offsets, *(dropout[:2] if dropout else ()))
        return total * dropout.scale if dropout else total
    if dropout is None:
        return functional.embedding_bag(ids, table, offsets[:-1], mode="sum")
    return reduced(_embedded(tokens), offsets) * dropout.scale


def means(tokens: Tokens) -> Tensor:
    """Return the mean of the embeddings of each sentence's tokens; without any it is zero."""
    lengths = tokens.offsets.diff().clamp(min=1).unsqueeze(1)
    means = reduced(_embedded(tokens), tokens.offsets) / lengths
    return means * tokens.dropout.scale if tokens.dropout else means


def reduced(values: Tensor, offsets: Tensor) -> Tensor:
    """Return the sum of each part of the values, (parts, width), in a fixed order on any device.

    Args:
        values: (rows, width), those of one part after those of another, and perhaps more.
        offsets: (parts + 1,) where each part begins.
    """
    import torch

    return torch.segment_reduce(values, "sum", offsets=offsets, axis=0, unsafe=True)


def _embedded(tokens: Tokens) -> Tensor:
    """Return the embeddings of tokens, some features zeroed but the others as they are."""
    from torch.nn import functional

    embedded = functional.embedding(tokens.ids, tokens.table)
    if tokens.dropout is None:
        return embedded
    return embedded * tokens.dropout.kept(tokens.table.shape[1])


def word_sums(tokens: Tokens) -> tuple[Tensor, Tensor]:
    """Return the sum of the embeddings of each word's tokens, and where sentences begin in words.

    The token 0 begins a word and is not summed. Shapes, (room.words, dimension) and
    (sentences + 1,), are those that a GPU is told beforehand.
    """
    import torch
    from torch.nn import functional

    ids, end, room = tokens.ids, tokens.offsets[-1:], tokens.room
    assert room is not None
    inside = torch.arange(len(ids), device=ids.device) < end
    begun = ((ids == 0) & inside).cumsum(0)
    numbers = torch.arange(1, room.words + 2, device=ids.device)
    bounds = torch.minimum(torch.searchsorted(begun, numbers), end)
    summed = _embedded(tokens) * (ids != 0).unsqueeze(1)
    if tokens.dropout:
        summed = summed * tokens.dropout.scale
    return reduced(summed, bounds), functional.pad(begun, (1, 0))[tokens.offsets]
