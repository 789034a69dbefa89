"""Copies of a sentence are one candidate, and all their places come back."""

import numpy as np
import pytest

from tandem.search.candidates import candidates, spread, spread_in_parts, without_copies
from tandem.search.margins import MinedPairs, Retrieval
from tandem.search.neighbours import NOBODY, Lists, Neighbours


def items(*keys):
    return candidates(np.array(keys, np.uint64))


def test_equal_keys_are_one_item_in_the_order_of_their_first_places():
    found = items(9, 4, 9, 7, 4, 9)
    assert found.keys.tolist() == [9, 4, 7]
    assert (found.firsts.tolist(), found.counts.tolist()) == ([0, 1, 3], [3, 2, 1])
    assert found.places.tolist() == [0, 2, 5, 1, 4, 3]
    some = found.take(np.array([True, False, True]))
    assert (some.keys.tolist(), some.places.tolist()) == ([9, 7], [0, 2, 5, 3])
    assert some.starts.tolist() == [0, 3, 4]
    assert len(items()) == 0


@pytest.mark.parametrize(
    ("retrieval", "places"),
    [
        # item 0 stands at 0, 2, 5 of the source and at 0, 1 of the target
        (Retrieval.MAX, [(0, 0), (2, 1), (5, 0)]),
        (Retrieval.INTERSECTION, [(0, 0), (2, 1), (5, 0)]),
        (Retrieval.FORWARD, [(0, 0), (2, 1), (5, 0)]),
        (Retrieval.BACKWARD, [(0, 0), (2, 1)]),
    ],
)
def test_pairs_of_items_become_pairs_of_places(retrieval, places):
    source, target = items(9, 4, 9, 7, 4, 9), items(1, 1, 2)
    pairs = MinedPairs(np.array([2, 0]), np.array([1, 0]), np.array([1.5, 1.2]))
    found = spread(pairs, source, target, retrieval)
    assert [*zip(found.source.tolist(), found.target.tolist(), strict=True)] == [(3, 2), *places]
    assert found.score.tolist() == [1.5] + [1.2] * len(places)
    parts = list(spread_in_parts(pairs, source, target, retrieval, 2))
    assert {len(part) for part in parts[:-1]} == {2} and len(parts[-1]) in (1, 2)
    rows = [*zip(*(np.concatenate([getattr(part, name) for part in parts]).tolist()
                   for name in ("source", "target", "score")), strict=True)]  # fmt: skip
    assert rows == [(3, 2, 1.5), *((i, j, 1.2) for i, j in places)]
    nothing = pairs.take(slice(0))
    assert len(spread(nothing, source, target, retrieval)) == 0


def test_places_grow_no_faster_than_the_texts():
    side = items(*[1] * 20_000, *[2] * 20_000)
    pairs = MinedPairs(np.array([0, 1]), np.array([0, 1]), np.array([2.0, 1.0]))
    assert len(spread(pairs, side, side, Retrieval.MAX)) == 40_000


def test_a_copy_leaves_the_lists_and_the_next_neighbour_comes_in():
    source, target = items(5, 6), items(6, 7, 8)
    forward = Lists(
        np.array([[2, 1, 0], [0, 2, 1]]), np.array([[0.9, 0.8, 0.7], [1.0, 0.5, 0.4]], np.float32)
    )
    backward = Lists(
        np.array([[1, 0], [0, 1], [0, 1]]),
        np.array([[1.0, 0.7], [0.8, 0.4], [0.9, 0.5]], np.float32),
    )
    found = without_copies(Neighbours(forward, backward), source, target, 2)
    assert found.forward.indices.tolist() == [[2, 1], [2, 1]]
    np.testing.assert_allclose(found.forward.scores, [[0.9, 0.8], [0.5, 0.4]])
    assert found.backward.indices.tolist() == [[0, NOBODY], [0, 1], [0, 1]]
    assert found.backward.scores[0].tolist() == [pytest.approx(0.7), -np.inf]
