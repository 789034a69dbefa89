"""Search: exact lists equal a dense product on any shape and in any blocks, within its memory."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tandem
import tandem.search.neighbours as module
from tandem.errors import TandemError
from tandem.search.neighbours import NOBODY, IndexKind, Lists, nearest, search

APPROXIMATE = [IndexKind.IVF, IndexKind.HNSW]


def cosines(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return all cosines; 0 for rows of zeros."""
    sides = [side.astype(np.float64) for side in (source, target)]
    lengths = [np.linalg.norm(side, axis=1, keepdims=True) for side in sides]
    left, right = (s / np.where(n > 0, n, 1) for s, n in zip(sides, lengths, strict=True))
    return left @ right.T


def assert_nearest(found: Lists, grid: np.ndarray, k: int) -> None:
    """Hold lists against all cosines: indices wherever cosines differ by more than rounding."""
    k = min(k, grid.shape[1])
    order = np.argsort(-np.round(grid, 6), axis=1, kind="stable")
    scores = np.take_along_axis(grid, order, axis=1)
    assert found.indices.shape == (len(grid), k)
    np.testing.assert_allclose(found.scores, scores[:, :k], atol=1e-6)
    # what is listed has the score that is told
    told = np.take_along_axis(grid, found.indices, axis=1)
    np.testing.assert_allclose(found.scores, told, atol=1e-6)
    assert all(len(set(row)) == k for row in found.indices.tolist())
    # ties to the lower index, where no more than four beyond k share the k-th score
    padded = np.pad(scores, ((0, 0), (0, 5)), constant_values=-2)
    few = padded[:, k + 4] < padded[:, k - 1] - 1e-6
    np.testing.assert_array_equal(found.indices[few], order[few, :k])


def crowded(seed: int, n: int, m: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors of few values: many equal rows, rows of zeros and ties of every size."""
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(-1, 2, (size, d)).astype(np.float32) for size in (n, m))


def test_one_direction_is_that_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = crowded(1, 30, 50, 4)
    both, shares = search(source, target, 7), list[float]()
    empty, shapes = module._empty, list[tuple[int, ...]]()
    monkeypatch.setattr(module, "_empty", lambda *shape: (shapes.append(shape), empty(*shape))[1])
    lists = nearest(source, target, 7, progress=shares.append)
    for one, of_both in zip(lists, both.forward, strict=True):
        assert one.tobytes() == of_both.tobytes()
    assert shapes == [(30, 7)] and shares[-1] == 1 and sorted(shares) == shares


def test_two_by_three_by_hand() -> None:
    source = np.array([[3.0, 4.0], [0.0, 2.0]], np.float32)
    target = np.array([[0.0, 1.0], [5.0, 0.0], [0.0, 9.0]], np.float32)
    found = search(source, target, 2)
    # cosines: [[.8, .6, .8], [1, 0, 1]]
    assert found.forward.indices.tolist() == [[0, 2], [0, 2]]
    np.testing.assert_allclose(found.forward.scores, [[0.8, 0.8], [1, 1]], rtol=1e-6)
    assert found.backward.indices.tolist() == [[1, 0], [0, 1], [1, 0]]
    np.testing.assert_allclose(found.backward.scores, [[1, 0.8], [0.6, 0], [1, 0.8]], atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 90),
    st.integers(1, 90),
    st.integers(1, 7),
    st.integers(1, 100),
)
def test_equals_a_dense_product_with_ties(seed: int, n: int, m: int, d: int, k: int) -> None:
    source, target = crowded(seed, n, m, d)
    found, grid = search(source, target, k), cosines(source, target)
    assert_nearest(found.forward, grid, k)
    assert_nearest(found.backward, grid.T, k)


@pytest.fixture(scope="module")
def sides() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    source = rng.standard_normal((700, 24)).astype(np.float32)
    target = np.concatenate([source + 0.2 * rng.standard_normal((700, 24)), source[:50]])
    return source, target.astype(np.float32)


def in_blocks(patch: pytest.MonkeyPatch, rows: int, dimension: int) -> int:
    """Make blocks small; return a bound on memory that holds so many rows of the corpus."""
    patch.setattr(module, "_BLOCK_BYTES", 300 * dimension)
    patch.setattr(module, "_LEAST_ROWS", 1)
    patch.setattr(module, "_WORK_BYTES", 0)
    patch.setattr(module, "_NEIGHBOUR_BYTES", 0)
    patch.setattr(module, "_resident_bytes", lambda: 1 << 30)
    return (1 << 30) + rows * 8 * (dimension + 36)


@pytest.mark.parametrize("rows", [1, 100, 333, 750])
def test_blocks_change_nothing(sides: tuple, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = search(*sides, 4)
    parts = search(*sides, 4, memory_bytes=in_blocks(monkeypatch, rows, 24))
    for ours, theirs in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-7)


def test_equal_rows_in_different_blocks_go_to_the_lower_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = np.random.default_rng(1).standard_normal((1, 64)).astype(np.float32)
    other = np.random.default_rng(2).standard_normal((200, 64)).astype(np.float32)
    other[[5, 50, 120, 199]] = 2 * one
    bound = in_blocks(monkeypatch, 40, 64)
    found = search(one, other, 3, memory_bytes=bound).forward
    assert found.indices.tolist() == [[5, 50, 120]]
    assert len(set(found.scores[0].tolist())) == 1


def test_zero_vectors_are_at_right_angles_to_everything() -> None:
    source = np.array([[0, 0], [1, 0]], np.float32)
    target = np.array([[-1, 0], [0, 0], [1, 1]], np.float32)
    found = search(source, target, 3).forward
    assert found.indices.tolist() == [[0, 1, 2], [2, 1, 0]]
    np.testing.assert_allclose(found.scores, [[0, 0, 0], [0.5**0.5, 0, -1]], atol=1e-7)


def test_files_and_other_floats_give_the_same(tmp_path: Path) -> None:
    source, target = crowded(1, 40, 60, 5)
    expected = search(source, target, 3)
    for dtype in (np.float16, np.float32, np.float64):
        for name, values in (("s.npy", source), ("t.npy", target)):
            np.save(tmp_path / name, values.astype(dtype))
        found = search(tmp_path / "s.npy", tmp_path / "t.npy", 3)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours.indices, theirs.indices)
            np.testing.assert_array_equal(ours.scores, theirs.scores)


def test_scores_are_those_of_exact_arithmetic() -> None:
    rng = np.random.default_rng(3)
    x, y = (1e30 * rng.standard_normal((5, 300)).astype(np.float32) for _ in range(2))
    scores = search(x, y, 5).forward.scores
    np.testing.assert_allclose(scores, -np.sort(-cosines(x, y), axis=1), atol=1e-7)


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_approximate_lists_are_nearly_exact(sides: tuple, kind: IndexKind) -> None:
    near, true = search(*sides, 3, index=kind), search(*sides, 3)
    for ours, theirs in zip(near, true, strict=True):
        same = ours.indices == theirs.indices
        assert same.mean() > 0.9
        np.testing.assert_allclose(ours.scores[same], theirs.scores[same], atol=1e-6)


def test_a_small_cluster_leaves_places_empty() -> None:
    rng = np.random.default_rng(4)
    source, target = rng.standard_normal((3, 8)), rng.standard_normal((1500, 8))
    found = search(source, target, 1200, index=IndexKind.IVF).forward
    empty = found.indices == NOBODY
    assert empty.any()
    assert (found.scores[empty] == -np.inf).all()
    assert np.isfinite(found.scores[~empty]).all()


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_the_same_vectors_give_the_same_bytes(sides: tuple, kind: IndexKind) -> None:
    one, two = (search(*sides, 3, index=kind) for _ in range(2))
    assert one.forward.indices.tobytes() == two.forward.indices.tobytes()
    assert one.backward.scores.tobytes() == two.backward.scores.tobytes()


@pytest.mark.parametrize("kind", IndexKind)
def test_progress_grows_to_the_whole(
    sides: tuple, kind: IndexKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float] = []
    bound = in_blocks(monkeypatch, 800, 24)
    search(*sides, 3, index=kind, memory_bytes=bound, progress=shares.append)
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_threads_are_put_back(sides: tuple) -> None:
    before = faiss.omp_get_max_threads()
    search(*sides, 3, index=IndexKind.HNSW)
    assert faiss.omp_get_max_threads() == before


@pytest.mark.parametrize(
    ("source", "target", "k", "words"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), 1, "one model"),
        (np.ones((2, 3)), np.ones((2, 3)), 0, "at least one"),
        (np.ones((0, 3)), np.ones((2, 3)), 1, "empty"),
        (np.ones(3), np.ones((2, 3)), 1, "no matrix"),
        (np.array([[1.0, 2], [np.nan, 1]]), np.ones((2, 2)), 1, "row 1"),
        (np.array([[np.inf, 2]]), np.ones((2, 2)), 1, "row 0"),
    ],
)
def test_what_is_refused(source: np.ndarray, target: np.ndarray, k: int, words: str) -> None:
    with pytest.raises(TandemError, match=words):
        search(source, target, k)


@pytest.mark.parametrize("kind", IndexKind)
def test_a_bound_too_small_is_refused_with_what_is_missing(
    kind: IndexKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = np.random.default_rng(0).normal(size=(5000, 24))  # of which not all need be held
    monkeypatch.setattr(module, "_resident_bytes", lambda: 100 << 20)
    with pytest.raises(TandemError, match="memory_bytes") as caught:
        search(many[:500], many, 5000, index=kind, memory_bytes=1 << 20)
    told = str(caught.value)
    assert "lower k (--k): lists of 5,000 neighbours take 57 MiB" in told
    assert ("or search exactly" in told) == (kind is not IndexKind.EXACT)
    missing = int(re.search(r"by (\d+) MiB", told)[1])
    search(many[:500], many, 5000, index=kind, memory_bytes=(1 + missing) << 20)


def test_who_asks_for_no_bound_may_hold_much_already() -> None:
    held = np.ones(300_000_000)  # 2.4 GB
    sides = np.eye(3), np.eye(3)
    assert search(*sides, 1).forward.indices.tolist() == [[0], [1], [2]]
    with pytest.raises(TandemError, match="memory_bytes"):
        search(*sides, 1, memory_bytes=1 << 30)
    assert held[-1] == 1


def test_lists_that_the_bound_has_no_room_for_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_empty", lambda *_: pytest.fail("made"))
    one = np.ones((20_000, 2), np.float32)
    problem = "lower k .--k.: lists of 9,000 neighbours take 4,119 MiB"
    with pytest.raises(TandemError, match=problem):
        search(one, one, 9000, memory_bytes=1 << 30)


@pytest.mark.parametrize("kind", IndexKind)
def test_what_cuda_holds_is_not_counted(
    sides: tuple, kind: IndexKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_resident_bytes", lambda: 4 << 30)
    with pytest.raises(TandemError, match="memory_bytes"):
        search(*sides, 1, index=kind, memory_bytes=1 << 30)
    monkeypatch.setattr(module, "cuda_works", lambda: True)
    search(*sides, 1, index=kind, memory_bytes=1 << 30)
    grown = itertools.count(4 << 30, 1 << 30)  # what is added counts
    monkeypatch.setattr(module, "_resident_bytes", lambda: next(grown))
    with pytest.raises(TandemError, match="memory_bytes"):
        search(*sides, 1, index=kind, memory_bytes=1 << 30)


_MEASURE = r"""
import re, sys
from pathlib import Path
from tandem.search import neighbours
import faiss, torch  # what the program holds before it begins differs between machines
bound = neighbours._resident_bytes() + int(sys.argv[3])
neighbours.search(sys.argv[1], sys.argv[2], 4, memory_bytes=bound, device="cpu")
# of this program alone: ru_maxrss would count the parent's memory before the exec
status = Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 - bound)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_resident_memory_stays_under_the_bound(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = [tmp_path / "s.npy", tmp_path / "t.npy"]
    for path, count in zip(paths, (500, 30_000), strict=True):
        np.save(path, rng.standard_normal((count, 1024), np.float32))  # the larger: 123 MB
    room = 100 << 20
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *map(str, paths), str(room)],
        env=os.environ | {"PYTHONPATH": str(Path(tandem.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert -room < int(done.stdout) < 0
