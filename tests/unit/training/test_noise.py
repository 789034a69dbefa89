"""Keys, scrambling and dropout masks."""

import numpy as np
import pytest
import torch

from tandem.kernels.sums import number_types
from tandem.segmentation import ragged
from tandem.training.noise import DropoutPool, generator, scramble
from tandem.training.pairs import Pairs, sentence_keys


def test_keys_tell_order_and_length_apart():
    rows = ragged.from_rows([[1, 2], [2, 1], [1, 2], [1], [], [1, 2, 0], [0], []])
    keys = sentence_keys(rows)
    assert keys[0] == keys[2]
    assert keys[4] == keys[7]
    assert len(set(keys.tolist())) == 6


def test_keys_do_not_depend_on_the_neighbours():
    rows = ragged.from_rows([[5, 6, 7], [9], [5, 6, 7]])
    assert sentence_keys(rows)[2] == sentence_keys(rows.gather(np.array([2])))[0]


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


def test_pairs_with_an_empty_side_are_not_used():
    pairs = Pairs(ragged.from_rows([[1], [], [2]]), ragged.from_rows([[1], [3], []]), False)
    assert pairs.usable.tolist() == [0]


def test_types_are_numbered_as_they_first_occur():
    scratch = np.full(10, -1)
    types, places = number_types(np.array([7, 3, 7, 9, 3], np.int32), scratch)
    assert types.tolist() == [7, 3, 9]
    assert places.tolist() == [0, 1, 0, 2, 1]
    assert (scratch == -1).all()  # as it was


def repeated(passes):
    sides = ragged.from_rows([[number] for number in range(len(passes))])
    return Pairs(sides, sides, False, passes=np.array(passes, np.float32))


def test_an_epoch_draws_pairs_as_often_as_is_asked():
    pairs = repeated([0.25] * 400 + [1.0] * 100 + [2.5] * 100)
    counts = np.zeros(600)
    for epoch in range(40):
        drawn = pairs.epoch(generator(1, epoch))
        assert 449 <= len(drawn) <= pairs.longest == 451
        counts += np.bincount(drawn, minlength=600)
    assert set(counts[400:500]) == {40}
    assert counts[500:].min() >= 80 and counts[500:].mean() == pytest.approx(100, rel=0.02)
    assert counts[:400].mean() == pytest.approx(10, rel=0.02)
    assert counts[:400].min() > 0


def test_an_epoch_without_passes_draws_every_pair_once():
    rows = ragged.from_rows([[1], [2], [], [4]])
    drawn = Pairs(rows, rows, False).epoch(generator(1))
    assert sorted(drawn) == [0, 1, 3]


def test_pairs_that_say_the_same_have_one_key():
    left, right = ragged.from_rows([[1], [1], [2]]), ragged.from_rows([[3], [4], [5]])
    pairs = Pairs(left, right, False, keys=np.array([7, 7, 8]))
    rows = np.array([2, 0, 1])
    assert pairs.sentence_keys(rows, pairs.take(rows)).tolist() == [8, 7, 7, 8, 7, 7]
