"""Pairs as they are loaded for training, what an epoch draws of them, and their keys."""

import numpy as np
import pytest

from tandem.segmentation import ragged
from tandem.training.noise import generator
from tandem.training.pairs import TOGETHER, Pairs, distinct, load_pairs, sentence_keys


@pytest.mark.parametrize(
    ("sides", "monolingual"),
    [(("en", "de"), False), (("en", "en-bt"), True), (("en-GB", "en"), True),
     (("pt-BR", "es"), False), (("en-kjv", "en-web"), True)],
)  # fmt: skip
def test_two_versions_of_one_language_are_monolingual(tmp_path, sides, monolingual):
    for side in sides:
        ragged.save_stream(tmp_path / f"train.{side}", [ragged.from_rows([[0], [1]])], 1)
    pairs = load_pairs(tmp_path, "train", sides)
    assert pairs.monolingual is monolingual
    # as a segmenter has them
    assert pairs.languages == tuple(side.removesuffix("-bt") for side in sides)


def test_keys_of_what_means_the_same_are_loaded_where_there_are_any(tmp_path):
    for side in ("en", "de"):
        ragged.save_stream(tmp_path / f"train.{side}", [ragged.from_rows([[0], [1]])], 1)
    assert load_pairs(tmp_path, "train", ("en", "de")).keys is None
    ragged.save_array(tmp_path / "train.keys.npy", [np.array([7, 7])], np.int64)
    assert load_pairs(tmp_path, "train", ("en", "de")).keys.tolist() == [7, 7]


def test_keys_tell_order_and_length_apart():
    rows = ragged.from_rows([[1, 2], [2, 1], [1, 2], [1], [], [1, 2, 0], [0], []])
    keys = sentence_keys(rows)
    assert keys[0] == keys[2]
    assert keys[4] == keys[7]
    assert len(set(keys.tolist())) == 6


def test_keys_do_not_depend_on_the_neighbours():
    rows = ragged.from_rows([[5, 6, 7], [9], [5, 6, 7]])
    assert sentence_keys(rows)[2] == sentence_keys(rows.gather(np.array([2])))[0]


def test_pairs_with_an_empty_side_are_not_used():
    pairs = Pairs(ragged.from_rows([[1], [], [2]]), ragged.from_rows([[1], [3], []]), False)
    assert pairs.usable.tolist() == [0]


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


def test_some_pairs_keep_all_that_is_known_of_them():
    rows = ragged.from_rows([[1], [2, 3], [4]])
    numbers = np.arange(3)
    pairs = Pairs(rows, rows, False, np.stack([numbers, numbers + 3]), numbers.astype(np.float32),
                  numbers.astype(np.int8), ("en", "fr"))  # fmt: skip
    some = pairs.some(np.array([2, 0]))
    assert [some.left.row(n).tolist() for n in range(2)] == [[4], [1]]
    assert some.keys.tolist() == [[2, 0], [5, 3]] and some.languages == ("en", "fr")
    assert some.passes.tolist() == [2, 0] and some.labels.tolist() == [2, 0]
    keys = some.sentence_keys(np.array([1, 0]), some.take(np.array([1, 0])))
    assert keys.tolist() == [0, 2, 3, 5]


def test_spellings_are_told_apart():
    rows = ragged.from_rows([[5, 6], [6, 5], [5, 6], [5], [6, 5]])
    first, numbers = distinct(rows)
    assert sorted(first) == [0, 1, 3]
    assert [first[number] for number in numbers] == [0, 1, 0, 3, 1]


def test_pairs_that_share_a_sentence_stay_together_in_an_epoch():
    # 0-1, 2-1 and 2-3 hang together, so do twenty pairs of one sentence, and others with nothing
    left = [[0], [2], [2], *([90] for _ in range(20)), *([number] for number in range(10, 40))]
    right = [[1], [1], [3], *([number] for number in range(100, 120)),
             *([number] for number in range(40, 70))]  # fmt: skip
    pairs = Pairs(ragged.from_rows(left), ragged.from_rows(right), False).grouped()
    assert len({*pairs.groups[:3]}) == 1 and len({*pairs.groups[23:]}) == 30
    assert sorted(np.bincount(pairs.groups)[np.unique(pairs.groups[3:23])]) == [4, 8, 8]
    orders = [pairs.epoch(generator(1, epoch)) for epoch in range(20)]
    for order in orders:
        assert sorted(order) == list(range(len(left)))
        of = pairs.groups[order]
        assert np.count_nonzero(np.diff(of)) == len({*of}) - 1  # each group is in one piece
    assert len({tuple(order) for order in orders}) == 20
    within = {tuple(row for row in order if row < 3) for order in orders}
    assert len(within) > 3  # and shuffled in itself
    assert pairs.some(np.array([0, 1])).groups.tolist() == pairs.groups[:2].tolist()
    assert TOGETHER == 8
