"""Approximate search: nearly the exact lists, with exact scores, the same on every run."""

from __future__ import annotations

import faiss
import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.search import approximate, exact
from tandem.search.approximate import Approximation, Kind, index_bytes

KINDS = [
    Approximation(Kind.IVF, lists=16, probes=16),
    Approximation(Kind.HNSW, links=16, effort_build=100, effort_search=64),
]


@pytest.fixture(scope="module")
def sides() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    source = rng.standard_normal((400, 24)).astype(np.float32)
    target = np.concatenate([source + 0.2 * rng.standard_normal((400, 24)), source[:50]])
    return source, target.astype(np.float32)


@pytest.mark.parametrize("how", KINDS, ids=lambda how: how.kind.value)
def test_recall_and_exact_scores(sides: tuple, how: Approximation) -> None:
    near, true = approximate.search(*sides, 3, how), exact.search(*sides, 3)
    for ours, theirs in ((near.forward, true.forward), (near.backward, true.backward)):
        same = ours.indices.whole() == theirs.indices.whole()
        assert same.mean() > 0.97
        np.testing.assert_array_equal(ours.scores.whole()[same], theirs.scores.whole()[same])


def test_ivf_over_all_clusters_is_exact(sides: tuple) -> None:
    near, true = approximate.search(*sides, 3, KINDS[0]), exact.search(*sides, 3)
    np.testing.assert_array_equal(near.forward.indices.whole(), true.forward.indices.whole())


def test_fewer_probes_find_less(sides: tuple) -> None:
    narrow = approximate.search(*sides, 3, Approximation(Kind.IVF, lists=64, probes=1))
    true = exact.search(*sides, 3)
    assert (narrow.forward.indices.whole() != true.forward.indices.whole()).mean() > 0.05
    # a cluster of fewer than three leaves places empty
    empty = narrow.forward.indices.whole() == -1
    assert (narrow.forward.scores.whole()[empty] == -np.inf).all()


@pytest.mark.parametrize("how", KINDS, ids=lambda how: how.kind.value)
def test_the_same_seed_gives_the_same_bytes(sides: tuple, how: Approximation) -> None:
    one, two = (approximate.search(*sides, 3, how) for _ in range(2))
    assert one.forward.indices.whole().tobytes() == two.forward.indices.whole().tobytes()
    assert one.backward.scores.whole().tobytes() == two.backward.scores.whole().tobytes()


def test_stated_memory_is_that_of_the_index(sides: tuple) -> None:
    target = np.ascontiguousarray(sides[1])
    for how in KINDS:
        index = approximate._build(approximate.open_pair(*sides, 1)[1], how)
        real = faiss.serialize_index(index).nbytes
        assert real * 0.9 < index_bytes(*target.shape, how) < real * 1.1


def test_clusters_grow_with_the_corpus_unless_told(sides: tuple) -> None:
    assert [Approximation(Kind.IVF).clusters(rows) for rows in (1, 5, 10_000)] == [1, 5, 400]
    assert Approximation(Kind.IVF, lists=7).clusters(10_000) == 7


@pytest.mark.parametrize("how", KINDS, ids=lambda how: how.kind.value)
def test_progress_grows_to_the_whole(sides: tuple, how: Approximation) -> None:
    shares: list[float] = []
    approximate.search(*sides, 3, how, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_more_clusters_than_sentences_are_refused(sides: tuple) -> None:
    with pytest.raises(TandemError, match="Set lists to 400"):
        approximate.search(sides[1], sides[0], 3, Approximation(Kind.IVF, lists=440))
