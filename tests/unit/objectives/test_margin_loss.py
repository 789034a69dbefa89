"""The margin loss against numbers worked out by hand."""

import pytest
import torch
from torch.nn import functional

from tandem.objectives.margin_loss import margin_loss


def test_by_hand():
    left = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    right = torch.tensor([[1.0, 1.0], [0.0, 1.0]])  # cosines 0.7071, 1
    negative_right = torch.tensor([[0.0, 1.0], [0.0, -1.0]])  # with left: 0, -1
    negative_left = torch.tensor([[1.0, 1.0], [1.0, 0.0]])  # with right: 1, 0
    # pair 1: [0.4 - 0.7071 + 0]+ + [0.4 - 0.7071 + 1]+ = 0 + 0.6929; pair 2: 0 + 0
    loss = margin_loss(torch.stack([left, right, negative_right, negative_left]), 0.4)
    assert loss.item() == pytest.approx(0.6928932 / 2, abs=1e-6)


def test_a_sentence_without_a_negative_costs_nothing():
    vectors = torch.eye(2).expand(4, 2, 2)
    weights = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    # each pair: 0.4 - 1 + 1 in each direction; only one of the four counts
    loss = margin_loss(vectors, 0.4, weights)
    assert loss.item() == pytest.approx(0.4 / 2)


def recorded(vectors, margin, has_negative):
    """The loss in operations whose gradient PyTorch records."""
    first, second, for_first, for_second = functional.normalize(vectors, dim=-1)
    positive = (first * second).sum(-1)
    negative = torch.stack([(first * for_first).sum(-1), (second * for_second).sum(-1)])
    return (functional.relu(margin - positive + negative) * has_negative).sum(0).mean()


@pytest.mark.parametrize("pairs", [1, 8, 33])
@pytest.mark.parametrize("share", [0.6, 1.0])
def test_the_gradient_is_that_of_the_loss(pairs, share):
    torch.manual_seed(pairs)
    # not all of the terms below zero, nor all above; one vector of zeros
    vectors = torch.randn(4, pairs, 30, dtype=torch.float64) + 0.3
    vectors[2, 0] = 0
    found = (torch.rand(2, pairs) <= share).double()
    ours, theirs = vectors.clone().requires_grad_(), vectors.clone().requires_grad_()
    loss, expected = margin_loss(ours, 0.4, found), recorded(theirs, 0.4, found)
    (3 * loss).backward()
    (3 * expected).backward()
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-9, atol=1e-12)
    all_found = torch.ones(2, pairs, dtype=torch.float64)
    assert margin_loss(vectors, 0.4, all_found) == margin_loss(vectors, 0.4)
