"""Margins and retrieval by hand: two sources, three targets, k = 2."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.search import neighbours as module
from tandem.search.margins import (
    MinedPairs,
    Retrieval,
    Score,
    mean_cosines,
    mine,
    score_pairs,
)
from tandem.search.neighbours import Lists, Neighbours, search

# cosines        y0   y1   y2
#          x0 [ .8   .6   .5 ]
#          x1 [ .9   .2   .4 ]
FORWARD = ([[0, 1], [0, 2]], [[0.8, 0.6], [0.9, 0.4]])
BACKWARD = ([[1, 0], [0, 1], [0, 1]], [[0.9, 0.8], [0.6, 0.2], [0.5, 0.4]])
# means: x0 .7, x1 .65; y0 .85, y1 .4, y2 .45


def lists(indices: list, scores: list) -> Lists:
    return Lists(np.array(indices, np.int64), np.array(scores, np.float32))


@pytest.fixture
def neighbours() -> Neighbours:
    return Neighbours(lists(*FORWARD), lists(*BACKWARD))


def as_rows(pairs: MinedPairs) -> list[tuple[int, int, float]]:
    return [
        (i, j, round(s, 6))
        for i, j, s in zip(
            pairs.source.tolist(), pairs.target.tolist(), pairs.score.tolist(), strict=True
        )
    ]


def test_means(neighbours: Neighbours) -> None:
    np.testing.assert_allclose(mean_cosines(neighbours.forward), [0.7, 0.65], rtol=1e-6)
    np.testing.assert_allclose(mean_cosines(neighbours.backward), [0.85, 0.4, 0.45], rtol=1e-6)


def test_a_mean_counts_only_neighbours_that_exist() -> None:
    short = lists([[0, -1], [-1, -1]], [[0.5, -np.inf], [-np.inf, -np.inf]])
    assert mean_cosines(short).tolist() == [0.5, 0]


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        # the pair (x0, y1): a = .6, means .7 and .4, b = .35 + .2 = .55
        (Score.COSINE, 0.6),
        (Score.DISTANCE, 0.05),
        (Score.RATIO, 0.6 / 0.55),
        (Score.YANG_9, 0.6 / 0.55 + 0.6),
        (Score.YANG_10, 0.6 / 0.7 + 0.6),
    ],
)
def test_formulas(score: Score, expected: float) -> None:
    values = score_pairs(np.array([0.6]), np.array([0.7]), np.array([0.4]), score)
    np.testing.assert_allclose(values, [expected], rtol=1e-12)


def test_a_ratio_to_nothing_is_no_proposal() -> None:
    values = score_pairs(np.array([0.1, 0.1]), np.array([0.0, -0.5]), np.zeros(2), Score.RATIO)
    assert (values == -np.inf).all()
    nothing = Neighbours(lists([[0]], [[0.0]]), lists([[0]], [[0.0]]))
    assert len(mine(nothing, Score.RATIO, Retrieval.FORWARD)) == 0
    assert as_rows(mine(nothing, Score.COSINE, Retrieval.MAX)) == [(0, 0, 0.0)]


def test_cosine_in_four_ways(neighbours: Neighbours) -> None:
    found = {way: as_rows(mine(neighbours, Score.COSINE, way)) for way in Retrieval}
    assert found[Retrieval.FORWARD] == [(1, 0, 0.9), (0, 0, 0.8)]
    assert found[Retrieval.BACKWARD] == [(1, 0, 0.9), (0, 1, 0.6), (0, 2, 0.5)]
    assert found[Retrieval.INTERSECTION] == [(1, 0, 0.9)]
    # (0, 0) loses: y0 is taken by the better (1, 0)
    assert found[Retrieval.MAX] == [(1, 0, 0.9), (0, 1, 0.6)]


def test_a_margin_changes_the_choice(neighbours: Neighbours) -> None:
    # x0: .8 / .775 = 1.032 for y0, .6 / .55 = 1.091 for y1; x1: .9 / .75 = 1.2, .4 / .55 = .727
    assert as_rows(mine(neighbours, Score.RATIO, Retrieval.FORWARD)) == [
        (1, 0, 1.2),
        (0, 1, round(0.6 / 0.55, 6)),
    ]


def test_equation_10_takes_the_mean_of_the_query(neighbours: Neighbours) -> None:
    # forward, x0: .8 / .7 + .8; backward, y1: .6 / .4 + .6
    forward = as_rows(mine(neighbours, Score.YANG_10, Retrieval.FORWARD))
    assert (0, 0, round(0.8 / 0.7 + 0.8, 6)) in forward
    backward = as_rows(mine(neighbours, Score.YANG_10, Retrieval.BACKWARD))
    assert (0, 1, round(0.6 / 0.4 + 0.6, 6)) in backward


def test_ties_go_to_the_lower_target_and_sort_by_source() -> None:
    tied = Neighbours(
        lists([[2, 1], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]),
        lists([[0], [0], [0]], [[0.5], [0.5], [0.5]]),
    )
    assert as_rows(mine(tied, Score.COSINE, Retrieval.FORWARD)) == [(0, 1, 0.5), (1, 0, 0.5)]


def test_above_includes_the_threshold() -> None:
    pairs = MinedPairs(np.arange(4), np.arange(4), np.array([0.9, 0.5, 0.5, 0.1]))
    assert [len(pairs.above(t)) for t in (1.0, 0.9, 0.5, 0.3, 0.0)] == [0, 1, 3, 3, 4]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 8),
    st.sampled_from(list(Score)),
)
def test_invariants(seed: int, n: int, m: int, k: int, score: Score) -> None:
    rng = np.random.default_rng(seed)
    found = search(rng.standard_normal((n, 4)), rng.standard_normal((m, 4)), k)
    ways = {way: mine(found, score, way) for way in Retrieval}
    keys = {
        way: set(zip(p.source.tolist(), p.target.tolist(), strict=True)) for way, p in ways.items()
    }
    assert keys[Retrieval.INTERSECTION] == keys[Retrieval.FORWARD] & keys[Retrieval.BACKWARD]
    assert keys[Retrieval.MAX] <= keys[Retrieval.FORWARD] | keys[Retrieval.BACKWARD]
    for way, pairs in ways.items():
        order = list(
            zip((-pairs.score).tolist(), pairs.source.tolist(), pairs.target.tolist(), strict=True)
        )
        assert order == sorted(order)
        if way in (Retrieval.MAX, Retrieval.INTERSECTION, Retrieval.FORWARD):
            assert len(set(pairs.source.tolist())) == len(pairs)
        if way in (Retrieval.MAX, Retrieval.INTERSECTION, Retrieval.BACKWARD):
            assert len(set(pairs.target.tolist())) == len(pairs)


@pytest.mark.parametrize("score", Score)
def test_blocks_of_rows_change_nothing(score: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    found = search(rng.normal(size=(57, 5)), rng.normal(size=(43, 5)), 7)
    whole = mine(found, score, Retrieval.MAX)
    monkeypatch.setattr(module, "_CELLS", 20)
    parts = mine(found, score, Retrieval.MAX)
    for one, other in zip(vars(whole).values(), vars(parts).values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_beside_the_lists_little_is_held() -> None:
    shape = 40_000, 100
    lists = Lists(np.zeros(shape, np.int64), np.ones(shape, np.float32))
    tracemalloc.start()
    mine(Neighbours(lists, lists), Score.RATIO, Retrieval.MAX)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # a float64 for each of the 4,000,000 neighbours would be 32 MB, and there were seven
    assert peak < module._WORK_BYTES
