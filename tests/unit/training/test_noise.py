"""Scrambling and dropout masks."""

import numpy as np
import pytest
import torch

from tandem.segmentation import ragged
from tandem.training.noise import DropoutPool, generator, hashed, scramble, scrambled


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


def test_hashed_numbers_are_even_and_of_their_seed():
    drawn = hashed(torch.tensor([5]), 200_000)
    assert 0 <= int(drawn.min()) and int(drawn.max()) < 2**32
    counts = torch.bincount(drawn >> 28, minlength=16)
    assert abs(counts - 12_500).max() < 600  # five standard deviations
    other = hashed(torch.tensor([6]), 200_000)
    assert abs(np.corrcoef(drawn, other)[0, 1]) < 0.01
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.01
    assert torch.equal(drawn, hashed(torch.tensor([5]), 200_000))


def test_a_share_of_sentences_is_shuffled_on_its_device():
    lengths = torch.full((400,), 9)
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    ids = torch.arange(3_605)  # with some that belong to no sentence
    rows = torch.searchsorted(offsets[1:], torch.arange(len(ids)), right=True)
    shuffled = scrambled(ids, offsets, rows, 0.3, torch.tensor([11]))
    assert set(shuffled[3_600:].tolist()) == set(range(3_600, 3_605))
    before, after = ids[:3_600].view(400, 9), shuffled[:3_600].view(400, 9)
    assert torch.equal(after.sort(1).values, before)
    changed = (after != before).any(1).float().mean()
    assert 0.2 < changed < 0.4
    assert torch.equal(scrambled(ids, offsets, rows, 0.0, torch.tensor([11])), ids)
    places = (after[(after != before).any(1)] % 9).float().mean(0)
    assert abs(places - 4).max() < 1  # any token comes to stand anywhere


def test_dropout_of_a_seed_keeps_its_share():
    pool = DropoutPool(0.3, 20, 4, torch.device("cpu"))
    first, again, other = (pool.draw_there(4_000, torch.tensor([s])) for s in (3, 3, 4))
    assert torch.equal(first.places, again.places)
    assert not torch.equal(first.places, other.places)
    factors = first.factors(20)
    assert abs(float((factors == 0).float().mean()) - 0.3) < 0.01
    assert float(factors.max()) == pytest.approx(1 / 0.7)
