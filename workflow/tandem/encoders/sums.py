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
    dropped = functional.embedding(ids, table) * dropout.kept(table.shape[1])
    return sums_of_parts(dropped, offsets) * dropout.scale


def sums_of_parts(values: Tensor, offsets: Tensor) -> Tensor:
    """Return the sum of each part of the values, (parts, width), in a fixed order on any device.

    Args:
        values: (rows, width), those of one part after those of another.
        offsets: (parts + 1,) where each part begins.
    """
    import torch

    return torch.segment_reduce(values, "sum", offsets=offsets, axis=0, unsafe=True)
