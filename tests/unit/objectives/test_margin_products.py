"""The margin loss by products: the loss and gradient of the formula."""

import pytest
import torch
from torch.nn import functional

from tandem.objectives.margin_products import MarginLoss


def by_formula(vectors, mask, margin):
    unit = functional.normalize(vectors, dim=-1)
    positive, negative = (unit[0] * unit[1]).sum(-1), (unit[:2] * unit[2:]).sum(-1)
    losses = functional.relu(margin - positive + negative)
    return (losses * mask).sum(0).mean()


@pytest.mark.parametrize("margin", [0.05, 0.4])
def test_loss_and_gradient_are_those_of_the_formula(margin):
    random = torch.Generator().manual_seed(3)
    vectors = torch.randn(4, 11, 7, generator=random, dtype=torch.float64)
    vectors[1] += vectors[0]
    mask = torch.rand(2, 11, generator=random) < 0.8
    losses, gradients = [], []
    for loss_of in (by_formula, MarginLoss.apply):
        leaf = vectors.clone().requires_grad_()
        loss = loss_of(leaf, mask, margin)
        (3 * loss).backward()
        losses.append(loss.item())
        gradients.append(leaf.grad)
    assert losses[1] == pytest.approx(losses[0], rel=1e-12)
    torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-9, atol=1e-12)


def test_a_vector_of_zeros_has_no_cosine_and_no_harm():
    vectors = torch.zeros(4, 2, 5).requires_grad_()
    MarginLoss.apply(vectors, torch.ones(2, 2, dtype=torch.bool), 0.4).backward()
    assert torch.isfinite(vectors.grad).all()
