"""Splits that share no text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.corpora.split import PLACES, split_pairs
from tandem.errors import TandemError


def keys(*values):
    return np.array(values, dtype=np.uint64)


def test_every_pair_is_placed_or_counted():
    left, right = np.arange(100, dtype=np.uint64), np.arange(100, 200, dtype=np.uint64)
    splits = split_pairs(left, right, 10, 20, seed=1, max_train=50)
    report = {"train": 50, "valid": 10, "test": 20}
    assert splits.report() == report | {"dropped_overlapping": 0, "dropped_surplus": 20}
    together = np.concatenate([splits.train, splits.valid, splits.test])
    assert len(set(together.tolist())) == 80


def test_a_seed_gives_one_order_and_a_smaller_train_begins_a_larger():
    left, right = np.arange(100, dtype=np.uint64), np.arange(100, 200, dtype=np.uint64)
    small = split_pairs(left, right, 10, 10, seed=1, max_train=5)
    large = split_pairs(left, right, 10, 10, seed=1, max_train=None)
    other = split_pairs(left, right, 10, 10, seed=2, max_train=None)
    assert small.train.tolist() == large.train[:5].tolist()
    assert small.test.tolist() == large.test.tolist()
    assert other.test.tolist() != large.test.tolist()


def test_pairs_that_must_be_in_a_split_are_in_no_other():
    left, right = np.arange(100, dtype=np.uint64), np.arange(100, 200, dtype=np.uint64)
    right[50] = right[0]  # outside, with a text of a pair that is held out
    places = np.zeros(100, np.uint8)
    places[:10], places[10:14] = PLACES["test"], PLACES["valid"]
    splits = split_pairs(left, right, 8, 6, 1, None, places=places)
    assert len(splits.test) == 6
    assert set(splits.test.tolist()) < set(range(10))
    assert sorted(splits.valid.tolist()) == [10, 11, 12, 13]
    assert sorted(splits.train.tolist()) == [*range(14, 50), *range(51, 100)]
    assert (splits.overlapping, splits.surplus) == (1, 4)
    # a split without such pairs is drawn from those that need be in none
    places[10:14] = 0
    drawn = split_pairs(left, right, 8, 6, 1, None, places=places)
    assert len(drawn.valid) == 8
    assert min(drawn.valid) >= 10


def test_what_means_the_same_is_held_out_once():
    same = np.repeat(np.arange(20, dtype=np.uint64), 5)
    splits = split_pairs(same, same, 4, 6, 1, None, once=True)
    chosen = [same[part].tolist() for part in (splits.valid, splits.test)]
    assert [len(set(part)) for part in chosen] == [len(part) for part in chosen] == [4, 6]
    assert not set(same[splits.train]) & {*chosen[0], *chosen[1]}
    assert len(splits.train) == 50


def test_text_shared_by_a_side_is_dropped_from_train():
    # all pairs but the last share the left text 1: only one of them and the last can be apart
    left, right = keys(1, 1, 1, 1, 2), keys(10, 11, 12, 13, 14)
    for seed in range(20):
        try:
            splits = split_pairs(left, right, 0, 1, seed, None)
        except TandemError:
            continue
        sides = {int(left[n]) for n in splits.test}, {int(left[n]) for n in splits.train}
        assert sides in (({1}, {2}), ({2}, {1}))
        assert splits.overlapping == (3 if sides[0] == {1} else 0)


def test_text_is_compared_across_the_sides():
    # the second pair's right side is the first one's left: never in different splits
    with pytest.raises(TandemError):
        split_pairs(keys(1, 2), keys(3, 1), 0, 1, 0, None)


def test_too_few_pairs_are_refused():
    few = "30 pairs are too few for 10 validation and 20 test.*tandem train: --held-out.*more text$"
    with pytest.raises(TandemError, match=few):
        split_pairs(
            np.arange(30, dtype=np.uint64), np.arange(30, 60, dtype=np.uint64), 10, 20, 0, None
        )


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(20, 50)), min_size=1, max_size=60),
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(0, 3),
)
def test_splits_share_no_text(pairs, valid, test, seed):
    left, right = (np.array(side, dtype=np.uint64) for side in zip(*pairs, strict=True))
    try:
        splits = split_pairs(left, right, valid, test, seed, None)
    except TandemError:
        return
    texts = [
        set(left[part].tolist()) | set(right[part].tolist())
        for part in (splits.train, splits.valid, splits.test)
    ]
    assert not (texts[0] & texts[1] or texts[0] & texts[2] or texts[1] & texts[2])
    assert (len(splits.valid), len(splits.test)) == (valid, test)
    assert len(splits.train) + splits.overlapping + valid + test == len(pairs)
