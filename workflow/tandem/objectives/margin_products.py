"""The margin loss and its gradient as a few batched products, for a GPU.

PyTorch's own gradient of the loss is forty small operations, which take a GPU longer to be given
than to do. `kernels.margin` has the same for a CPU.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

TINY = 1e-24
"""Least squared length of a vector, against division by zero, as PyTorch's `normalize` has it."""


class MarginLoss(torch.autograd.Function):
    """The mean margin loss of pairs: of (vectors, mask, margin); see `objectives.kinds.margin`.

    With the products G of a pair's four vectors, 1 / |v_i| = n_i, cos_ij = G_ij n_i n_j, and the
    derivatives w_ij of the loss with respect to cos_ij, the gradient of v_i is

        sum_j w_ij n_i n_j v_j - n_i^2 (sum_j w_ij cos_ij) v_i
    """

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, mask: Tensor, margin: float) -> Tensor:  # noqa: ANN401
        """Return the loss, a scalar; vectors are (4, pairs, width), mask (2, pairs)."""
        rows = vectors.transpose(0, 1)
        products = rows @ rows.mT
        inverse = products.diagonal(dim1=1, dim2=2).clamp_min(TINY).rsqrt()
        inverses = inverse.unsqueeze(2) * inverse.unsqueeze(1)
        cosines = products * inverses
        # the cosines of s to its negative, 0 and 2, and of t to its own, 1 and 3
        above = cosines.flatten(1)[:, 2:8:5] - cosines[:, 0, 1:2] + margin
        losses = above.relu() * mask.T
        signs = _signs(vectors.dtype, vectors.device) / len(losses)
        weights = ((losses > 0).to(losses.dtype) @ signs).unflatten(1, (4, 4))
        along = (weights * cosines).sum(2) * inverse.square()
        coefficients = weights * inverses
        coefficients.diagonal(dim1=1, dim2=2).sub_(along)
        ctx.save_for_backward((coefficients @ rows).transpose(0, 1))
        return losses.sum() / len(losses)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """Return the gradient of the vectors."""
        (stored,) = ctx.saved_tensors
        return stored * gradient, None, None


@lru_cache
def _signs(dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return the derivatives of both losses with respect to all cosines, (2, 16)."""
    signs = torch.zeros(2, 4, 4, dtype=dtype)
    for way, (source, target, negative) in enumerate(((0, 1, 2), (1, 0, 3))):
        for other, sign in ((target, -1), (negative, 1)):
            signs[way, source, other] = signs[way, other, source] = sign
    return signs.flatten(1).to(device)
