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
    return reduced(_dropped(tokens), offsets, "sum") * dropout.scale


def means(tokens: Tokens) -> Tensor:
    """Return the mean of the embeddings of each sentence's tokens, in few operations.

    Without tokens it is zero; with dropout every sentence must have some.
    """
    from torch.nn import functional

    table, ids, offsets, dropout, _ = tokens
    if dropout is None:
        return functional.embedding_bag(ids, table, offsets[:-1], mode="mean")
    return reduced(_dropped(tokens), offsets, "mean") * dropout.scale


def reduced(values: Tensor, offsets: Tensor, how: str) -> Tensor:
    """Return the sum or mean of each part of the values, (parts, width).

    On a GPU too they are summed in a fixed order.

    Args:
        values: (rows, width), those of one part after those of another.
        offsets: (parts + 1,) where each part begins.
        how: sum, or mean, which no part may be empty for.
    """
    import torch

    return torch.segment_reduce(values, how, offsets=offsets, axis=0, unsafe=True)


def _dropped(tokens: Tokens) -> Tensor:
    """Return the embeddings of tokens with features dropped, and the others as they are."""
    from torch.nn import functional

    table, ids, _, dropout, _ = tokens
    assert dropout is not None
    return functional.embedding(ids, table) * dropout.kept(table.shape[1])
