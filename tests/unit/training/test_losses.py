"""The margin loss against numbers worked out by hand."""

import pytest
import torch

from tandem.training.losses import margin_loss


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
