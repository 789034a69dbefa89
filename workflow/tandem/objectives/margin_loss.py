"""Training objectives."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_SHORTEST = 1e-12
"""Lengths below it count as it, so that a zero vector has cosine 0 with everything."""


def margin_loss(vectors: Tensor, margin: float, has_negative: Tensor | None = None) -> Tensor:
    """Return the mean margin loss of a batch, both directions (wieting2019, section 2, Training).

    For a pair (s, t), a negative t' for s and a negative s' for t:

        [margin - cos(s, t) + cos(s, t')]+ + [margin - cos(s, t) + cos(t, s')]+

    Args:
        vectors: (4, pairs, dimension): s, t, t' and s' of each pair.
        margin: delta, 0.4 in the paper.
        has_negative: (2, pairs) 0 where s or t has no admissible negative, else 1.
    """
    return _MarginLoss.apply(vectors, margin, has_negative)


class _MarginLoss(torch.autograd.Function):
    """`margin_loss` with its gradient, in a quarter of the operations that would be recorded."""

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, margin: float, has_negative: Tensor | None) -> Tensor:  # noqa: ANN401
        lengths = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True).clamp_min_(_SHORTEST)
        unit = vectors / lengths
        positive, negative = (unit[0] * unit[1]).sum(-1), (unit[:2] * unit[2:]).sum(-1)
        losses = torch.relu_(margin - positive + negative)
        weights = (losses > 0).to(unit.dtype)
        if has_negative is not None:
            losses, weights = losses * has_negative, weights * has_negative
        ctx.save_for_backward(unit, lengths, weights)
        return losses.sum(0).mean()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:  # noqa: ANN401
        unit, lengths, weights = ctx.saved_tensors
        weights = (weights * (gradient / weights.shape[1])).unsqueeze(-1)
        # of the unit vectors: each cosine's gradient in one is the other
        by_unit = torch.empty_like(unit)
        torch.mul(unit[2:], weights, out=by_unit[:2])
        torch.mul(unit[:2], weights, out=by_unit[2:])
        by_unit[:2] -= unit[:2].flip(0) * weights.sum(0)
        # of the vectors: what is along them changes lengths only
        along = (by_unit * (unit / lengths)).sum(-1, keepdim=True)
        return (by_unit / lengths).sub_(unit * along), None, None
