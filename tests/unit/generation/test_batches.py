"""Batches of pairs: groups of like lengths, and sentences as decoders write them."""

import numpy as np
import pytest

from tandem.generation.batches import Text, batches, groups
from tandem.segmentation.ragged import from_rows

LENGTHS = np.random.default_rng(1).integers(1, 30, 500)


def random(seed=2):
    return np.random.default_rng(seed)


def test_every_pair_is_in_one_group_of_at_most_so_many_tokens_filled_up():
    parts = groups(LENGTHS, 200, random())
    assert sorted(np.concatenate(parts)) == list(range(500))
    for part in parts:
        assert len(part) * (LENGTHS[part].max() + 1) <= 200
    # like lengths are together: all filled up take little more than they have
    filled = sum(len(part) * (LENGTHS[part].max() + 1) for part in parts)
    assert filled < 1.1 * (LENGTHS + 1).sum()


def test_their_number_is_that_of_every_draw_and_their_order_is_not():
    drawn = [groups(LENGTHS, 200, random(seed)) for seed in range(20)]
    assert len({len(parts) for parts in drawn}) == 1
    assert len({tuple(parts[0]) for parts in drawn}) > 10


def test_a_pair_longer_than_a_batch_is_one():
    (first, second) = sorted(groups(np.array([3, 500]), 10, random()), key=len, reverse=True)
    assert {*first, *second} == {0, 1}
    assert [len(first), len(second)] == [1, 1]
    assert [len(part) for part in groups(np.array([3, 4]), 10, random())] == [2]


@pytest.mark.parametrize("parts", [1, 3])
def test_a_batch_is_made_of_parts(parts):
    made_of = batches(LENGTHS, 300, parts, random())
    assert sorted(np.concatenate([p for batch in made_of for p in batch])) == list(range(500))
    assert {len(batch) for batch in made_of[:-1]} == {parts}
    for batch in made_of:
        assert sum(len(p) * (LENGTHS[p].max() + 1) for p in batch) <= 300


def test_no_pairs_are_no_batches():
    assert batches(np.zeros(0, np.int64), 100, 2, random()) == []


def test_a_sentence_is_written_from_the_edge_to_the_edge():
    text = Text.of(from_rows([[5, 6, 7], [], [8]]), 99)
    assert text.inputs.tolist() == [[99, 5, 6, 7], [99, 99, 99, 99], [99, 8, 99, 99]]
    assert text.labels.tolist() == [5, 6, 7, 99, 99, 8, 99]
    assert text.rows.tolist() == [0, 0, 0, 0, 1, 2, 2]
    # what stands at a label's place is what comes before it
    assert text.inputs.ravel()[text.places].tolist() == [99, 5, 6, 7, 99, 99, 8]
    assert text.ids.tolist() == [5, 6, 7, 8]
    assert text.offsets.tolist() == [0, 3, 3, 4]
