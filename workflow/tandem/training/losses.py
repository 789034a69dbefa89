"""Training objectives."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def margin_loss(
    left: Tensor,
    right: Tensor,
    negative_right: Tensor,
    negative_left: Tensor,
    margin: float,
    has_negative: Tensor | None = None,
) -> Tensor:
    """Return the mean margin loss of a batch, both directions (wieting2019, section 2, Training).

    For a pair (s, t), a negative t' for s and a negative s' for t:

        [margin - cos(s, t) + cos(s, t')]+ + [margin - cos(s, t) + cos(t, s')]+

    Args:
        left: (pairs, dimension) vectors of one side.
        right: (pairs, dimension) vectors of the other.
        negative_right: (pairs, dimension) the negative of each left sentence.
        negative_left: (pairs, dimension) the negative of each right sentence.
        margin: delta, 0.4 in the paper.
        has_negative: (2, pairs) 0 where a sentence has no admissible negative, else 1.
    """
    # normalised once each: cosine_similarity would take every norm again for every pairing
    left, right, negative_right, negative_left = (
        functional.normalize(v) for v in (left, right, negative_right, negative_left)
    )
    positive = (left * right).sum(1)
    forward = functional.relu(margin - positive + (left * negative_right).sum(1))
    backward = functional.relu(margin - positive + (right * negative_left).sum(1))
    if has_negative is not None:
        forward, backward = forward * has_negative[0], backward * has_negative[1]
    return torch.mean(forward + backward)
