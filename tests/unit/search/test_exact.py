"""Exact search: equal to brute force on any shape, whatever the blocks, shards and threads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tandem
import tandem.search.exact as exact
from tandem.errors import TandemError
from tandem.search.exact import search
from tandem.search.lists import Neighbours
from tandem.search.rows import open_rows, pair_scores, read_normalised
from tandem.search.strips import Plan


def lists(found: Neighbours) -> list[np.ndarray]:
    """Return the four arrays of a result."""
    return [
        np.array(rows.whole())
        for side in (found.forward, found.backward)
        for rows in (side.indices, side.scores)
    ]


def brute_force(source: np.ndarray, target: np.ndarray, k: int) -> list[np.ndarray]:
    """Sort every list whole: by score, then by index."""
    left, right = (read_normalised(open_rows(x), 0, len(x)) for x in (source, target))
    rows, columns = (grid.flatten() for grid in torch.meshgrid(
        torch.arange(len(left)), torch.arange(len(right)), indexing="ij"
    ))
    scores = pair_scores(left, right, rows, columns).view(len(left), len(right)).numpy()
    result = []
    for grid in (scores, scores.T):
        order = np.argsort(-grid, axis=1, kind="stable")[:, :k]
        result += [order, np.take_along_axis(grid, order, axis=1)]
    return result


def assert_same(found: Neighbours, expected: list[np.ndarray]) -> None:
    """Compare byte for byte."""
    for ours, theirs in zip(lists(found), expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)


def crowded(seed: int, n: int, m: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors of few values: many equal rows, rows of zeros and ties of every size."""
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(-1, 2, (size, d)).astype(np.float32) for size in (n, m))


def test_two_by_three_by_hand() -> None:
    source = np.array([[3.0, 4.0], [0.0, 2.0]], np.float32)
    target = np.array([[0.0, 1.0], [5.0, 0.0], [0.0, 9.0]], np.float32)
    found = search(source, target, 2)
    indices, scores, back, back_scores = lists(found)
    # cosines: [[.8, .6, .8], [1, 0, 1]]
    assert indices.tolist() == [[0, 2], [0, 2]]
    np.testing.assert_allclose(scores, [[0.8, 0.8], [1, 1]], rtol=1e-7)
    assert back.tolist() == [[1, 0], [0, 1], [1, 0]]
    np.testing.assert_allclose(back_scores, [[1, 0.8], [0.6, 0], [1, 0.8]], rtol=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 90), st.integers(1, 90), st.integers(1, 7),
    st.integers(1, 100),
)
def test_equals_brute_force_with_ties(seed: int, n: int, m: int, d: int, k: int) -> None:
    source, target = crowded(seed, n, m, d)
    assert_same(search(source, target, k), brute_force(source, target, k))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 200), st.integers(1, 20),
    st.integers(30, 90), st.integers(30, 90), st.integers(1, 3),
)
def test_blocks_tiles_and_threads_change_nothing(
    seed: int, n: int, m: int, k: int, source_block: int, target_block: int, workers: int
) -> None:
    source, target = crowded(seed, n, m, 4)
    plan = Plan(source_block, target_block, 64, 2, workers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "plan_blocks", lambda *_: plan)
        assert_same(search(source, target, k), brute_force(source, target, k))


def test_real_vectors_over_many_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    source = rng.standard_normal((700, 50)).astype(np.float32)
    target = np.concatenate([source[::2] + 0.3, source[:200], source[:200]]).astype(np.float32)
    expected = brute_force(source, target, 4)
    assert_same(search(source, target, 4), expected)
    monkeypatch.setattr(exact, "plan_blocks", lambda *_: Plan(150, 130, 64, 1, 2))
    assert_same(search(source, target, 4), expected)


def test_more_equal_rows_than_spare_places_are_looked_at_again() -> None:
    rng = np.random.default_rng(6)
    one = rng.standard_normal((1, 64))
    near = one + 1e-7 * rng.standard_normal((300, 64))  # all within float32 rounding
    target = np.concatenate([rng.standard_normal((100, 64)), near]).astype(np.float32)
    source = np.concatenate([one, near[:70]]).astype(np.float32)
    assert_same(search(source, target, 3), brute_force(source, target, 3))


def test_files_give_what_arrays_give_and_lists_go_to_files(tmp_path: Path) -> None:
    source, target = crowded(1, 40, 60, 5)
    for name, values in (("s.npy", source), ("t.npy", target)):
        np.save(tmp_path / name, values)
    found = search(tmp_path / "s.npy", tmp_path / "t.npy", 3, folder=tmp_path)
    assert_same(found, brute_force(source, target, 3))
    assert_same(Neighbours.open(tmp_path), brute_force(source, target, 3))
    assert np.load(tmp_path / "forward.indices.npy").shape == (40, 3)


def test_float64_and_float16_embeddings_are_read() -> None:
    source, target = crowded(2, 20, 30, 6)
    expected = brute_force(source, target, 2)
    for dtype in (np.float16, np.float64):
        assert_same(search(source.astype(dtype), target.astype(dtype), 2), expected)


def test_scores_are_those_of_exact_arithmetic() -> None:
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal((5, 300)).astype(np.float32) for _ in range(2))
    scores = lists(search(x, y, 5))[1]
    wide = [v.astype(np.longdouble) for v in (x, y)]
    unit = [v / np.sqrt((v * v).sum(1, keepdims=True)) for v in wide]
    expected = -np.sort(-(unit[0] @ unit[1].T), axis=1)
    np.testing.assert_allclose(scores, expected.astype(np.float64), atol=1e-7)


def test_progress_ends_at_one() -> None:
    seen: list[float] = []
    search(*crowded(4, 300, 900, 3), 2, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_threads_and_precision_are_put_back() -> None:
    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    search(*crowded(4, 5, 5, 3), 2)
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == before


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


def test_a_bound_too_small_is_refused_with_the_need() -> None:
    sides = np.ones((4, 3)), np.ones((4, 3))
    with pytest.raises(TandemError, match="Raise memory_bytes") as caught:
        search(*sides, 1, memory_bytes=1 << 20)
    need = int(re.search(r"needs (\d+) MiB", str(caught.value))[1])
    search(*sides, 1, memory_bytes=(need + 20) << 20)  # what is held may have grown a little


def test_tasks_cover_the_product_once_and_each_row_and_column_in_order() -> None:
    tasks = list(exact._tasks(150, 330, 64, 128))
    seen = np.zeros((150, 330), int)
    for top, bottom, left, right in tasks:
        # what is left of a task and above it comes before it
        assert seen[top:bottom, :left].all() and seen[:top, left:right].all()
        seen[top:bottom, left:right] += 1
    assert (seen == 1).all()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"no array")
    with pytest.raises(TandemError, match=r"x\.npy"):
        search(tmp_path / "x.npy", np.ones((2, 2)), 1)


_MEASURE = r"""
import re, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from tandem.search.exact import search
search(sys.argv[1], sys.argv[2], 4, folder=Path(sys.argv[3]), memory_bytes=int(sys.argv[4]))
# of this program alone: ru_maxrss would count the parent's memory before the exec
status = Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_resident_memory_stays_under_the_bound(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = [tmp_path / "s.npy", tmp_path / "t.npy"]
    for path, count in zip(paths, (500, 60_000), strict=True):
        np.save(path, rng.standard_normal((count, 1024), np.float32))  # the larger: 246 MB
    bound = 380 << 20
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *map(str, paths), str(tmp_path), str(bound)],
        env=os.environ | {"PYTHONPATH": str(Path(tandem.__file__).parents[1])},
        capture_output=True, text=True, check=True,
    )
    assert 200 << 20 < int(done.stdout) < bound
