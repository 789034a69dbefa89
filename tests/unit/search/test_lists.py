"""Neighbour lists: merging keeps the k best, ties in order of arrival."""

from __future__ import annotations

import torch

from tandem.search.lists import merge_candidates


def test_merge_by_hand() -> None:
    indices = torch.tensor([[3, 5], [4, -1], [7, 8]])
    scores = torch.tensor([[0.9, 0.2], [0.5, -torch.inf], [-0.0, -0.5]])
    owners = torch.tensor([2, 0, 0, 1, 0])
    touched, lost = merge_candidates(
        indices, scores, owners, torch.tensor([10, 11, 12, 13, 14]),
        torch.tensor([0.0, 0.2, 0.95, -0.7, 0.9]),
    )
    assert touched.tolist() == [0, 1, 2]
    assert indices.tolist() == [[12, 3], [4, 13], [7, 10]]
    torch.testing.assert_close(scores, torch.tensor([[0.95, 0.9], [0.5, -0.7], [0.0, 0.0]]))
    # no room for: 0.9 of 14 (a tie with 3, which came first); nobody; -0.5 of 8
    torch.testing.assert_close(lost, torch.tensor([0.9, -torch.inf, -0.5]))
