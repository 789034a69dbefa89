"""Alignment and uniformity, against their definitions word for word."""

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.statistics import uniformity
from tandem.statistics.uniformity import nearness, squared_distances


def test_distances_are_those_of_directions():
    first, second = np.array([[3.0, 0], [0, 1]]), np.array([[0, 2.0], [0, 5]])
    np.testing.assert_allclose(squared_distances(first, second), [2, 0], atol=1e-15)


def test_nearness_leaves_a_sentence_itself_out(monkeypatch):
    vectors = np.random.default_rng(1).standard_normal((7, 3))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    apart = np.square(units[:, None] - units[None]).sum(-1)
    expected = [np.mean([np.exp(-2 * apart[i, j]) for j in range(7) if j != i]) for i in range(7)]
    np.testing.assert_allclose(nearness(vectors), expected)
    monkeypatch.setattr("tandem.statistics.blocks.BLOCK_ELEMENTS", 14)  # two rows at a time
    np.testing.assert_allclose(nearness(vectors), expected)


def test_sentences_on_one_spot_are_as_near_as_can_be():
    np.testing.assert_allclose(nearness(np.ones((4, 2))), 1)
    assert uniformity.SHARPNESS == 2


def test_one_sentence_is_refused():
    with pytest.raises(TandemError, match="1 sentences: uniformity compares at least two"):
        nearness(np.ones((1, 2)))
