"""Scrambling and dropout masks."""

import pytest
import torch

from tandem.segmentation import ragged
from tandem.training.noise import DropoutPool, generator, scramble


def test_scrambling_keeps_the_tokens_of_each_sentence():
    rows = ragged.from_rows([list(range(10 * i, 10 * i + 10)) for i in range(1000)])
    shuffled = scramble(rows, 0.3, generator(1))
    changed = 0
    for i in range(1000):
        assert sorted(shuffled.row(i)) == list(rows.row(i))
        changed += list(shuffled.row(i)) != list(rows.row(i))
    assert 250 < changed < 350
    assert scramble(rows, 0.0, generator(1)) is rows


def test_dropout_has_the_rate_and_keeps_the_mean():
    pool = DropoutPool(0.3, 300, seed=1, device=torch.device("cpu"))
    factors = pool.draw(5000, generator(2)).factors(300)
    assert factors.unique().tolist() == [0.0, pytest.approx(1 / 0.7)]
    assert factors.shape == (5000, 300)
    assert (factors == 0).float().mean().item() == pytest.approx(0.3, abs=0.003)
    assert factors.mean().item() == pytest.approx(1.0, abs=0.005)
    assert torch.equal(factors, pool.draw(5000, generator(2)).factors(300))
