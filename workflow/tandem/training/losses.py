"""Training objectives."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def margin_loss(vectors: Tensor, margin: float, has_negative: Tensor | None = None) -> Tensor:
    """Return the mean margin loss of a batch, both directions (wieting2019, section 2, Training).

    For a pair (s, t), a negative t' for s and a negative s' for t:

        [margin - cos(s, t) + cos(s, t')]+ + [margin - cos(s, t) + cos(t, s')]+

    Args:
        vectors: (4, pairs, dimension): s, t, t' and s' of each pair.
        margin: delta, 0.4 in the paper.
        has_negative: (2, pairs) 0 where s or t has no admissible negative, else 1.
    """
    # all at once: in a small batch most of the time is the number of operations
    unit = functional.normalize(vectors, dim=-1)
    positive = (unit[0] * unit[1]).sum(-1)
    losses = functional.relu(margin - positive + (unit[:2] * unit[2:]).sum(-1))
    if has_negative is not None:
        losses = losses * has_negative
    return losses.sum(0).mean()
