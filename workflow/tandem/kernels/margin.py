"""The margin loss and its gradient, and the search for its negatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import prange
from numpy.typing import NDArray
from torch import Tensor

from tandem.kernels import Floats, compiled
from tandem.machine import compiling

TINY = 1e-24
"""Least squared length of a vector, against division by zero, as PyTorch's `normalize` has it."""


class MarginLoss(torch.autograd.Function):
    """The mean margin loss of pairs: of (vectors, mask, margin); see `objectives.kinds.margin`."""

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, mask: Tensor, margin: float) -> Tensor:  # noqa: ANN401
        """Return the loss, a scalar."""
        arrays = vectors.detach().contiguous().numpy(), mask.contiguous().numpy()
        losses, gradient = margin_losses(*arrays, np.float32(margin))
        ctx.save_for_backward(torch.from_numpy(gradient))
        return vectors.new_tensor(losses.mean(dtype=np.float64))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the vectors."""
        (stored,) = ctx.saved_tensors
        return stored * gradient, None, None


@compiled
def margin_losses(
    vectors: Floats, mask: NDArray[np.bool_], margin: np.float32
) -> tuple[Floats, Floats]:
    """Return the losses of pairs, (pairs,), and the gradient of their mean.

    The gradient of a cosine c of a and b is (b / |b| - c a / |a|) / |a| with respect to a.

    Args:
        vectors: (4, pairs, dimension), of s, t, the negative of s and that of t.
        mask: (2, pairs), whether s and t have a negative.
        margin: how much closer s and t must be.
    """
    _, pairs, dimension = vectors.shape
    losses, gradient = np.empty(pairs, np.float32), np.zeros(vectors.shape, np.float32)
    for pair in prange(pairs):
        s, t, for_s, for_t = vectors[0, pair], vectors[1, pair], vectors[2, pair], vectors[3, pair]
        ss = tt = pp = qq = st = sp = tq = 0.0
        for d in range(dimension):
            ss += s[d] * s[d]
            tt += t[d] * t[d]
            pp += for_s[d] * for_s[d]
            qq += for_t[d] * for_t[d]
            st += s[d] * t[d]
            sp += s[d] * for_s[d]
            tq += t[d] * for_t[d]
        ss, tt, pp, qq = max(ss, TINY), max(tt, TINY), max(pp, TINY), max(qq, TINY)
        cos = st / np.sqrt(ss * tt)
        cos_s, cos_t = sp / np.sqrt(ss * pp), tq / np.sqrt(tt * qq)
        loss_s = max(margin - cos + cos_s, 0.0) if mask[0, pair] else 0.0
        loss_t = max(margin - cos + cos_t, 0.0) if mask[1, pair] else 0.0
        losses[pair] = loss_s + loss_t
        of_s, of_t = (loss_s > 0) / pairs, (loss_t > 0) / pairs
        if of_s + of_t == 0:
            continue
        pull = (of_s + of_t) / np.sqrt(ss * tt)
        push_s, push_t = of_s / np.sqrt(ss * pp), of_t / np.sqrt(tt * qq)
        own_s = ((of_s + of_t) * cos - of_s * cos_s) / ss
        own_t = ((of_s + of_t) * cos - of_t * cos_t) / tt
        own_p, own_q = -of_s * cos_s / pp, -of_t * cos_t / qq
        for d in range(dimension):
            gradient[0, pair, d] = own_s * s[d] - pull * t[d] + push_s * for_s[d]
            gradient[1, pair, d] = own_t * t[d] - pull * s[d] + push_t * for_t[d]
            gradient[2, pair, d] = push_s * s[d] + own_p * for_s[d]
            gradient[3, pair, d] = push_t * t[d] + own_q * for_t[d]
    return losses, gradient


@compiling()
def see_columns(block: Floats, highest: Floats, places: NDArray[np.int32], first_row: int) -> None:
    """Update the highest value of each column, and where it stands, by a block of a matrix."""
    for row in range(len(block)):
        line, place = block[row], np.int32(first_row + row)
        for column in range(len(line)):  # without a branch, so that many are done at once
            better = line[column] > highest[column]
            highest[column] = line[column] if better else highest[column]
            places[column] = place if better else places[column]
