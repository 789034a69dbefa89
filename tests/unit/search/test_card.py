"""Exact search of a GPU, on PyTorch's processor in its place: what FAISS finds, in any parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tandem.search.neighbours as module
from tandem.errors import TandemError
from tandem.search import card
from tandem.search.neighbours import IndexKind, Neighbours, search
from tandem.search.rows import UnitRows

PROCESSOR = torch.device("cpu")
FREE = 1 << 30


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let the processor stand in for a GPU that has 1 GiB free."""
    monkeypatch.setattr(module, "_gpu", lambda _: PROCESSOR)
    monkeypatch.setattr(card, "free_bytes", lambda _: FREE)
    return monkeypatch


def assert_same(ours: Neighbours, theirs: Neighbours) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_allclose(one.scores, other.scores, rtol=2e-7, atol=1e-9)


def on_processor(source: np.ndarray, target: np.ndarray, k: int) -> Neighbours:
    """Search with FAISS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_gpu", lambda _: None)
        return search(source, target, k)


@pytest.fixture(scope="module")
def sides() -> tuple[np.ndarray, np.ndarray]:
    """Return sides with duplicates, rows of zeros, and translations."""
    rng = np.random.default_rng(0)
    source = rng.standard_normal((200, 24)).astype(np.float32)
    noise = 0.2 * rng.standard_normal((200, 24))
    target = np.concatenate([source + noise, source[:40], source[:20], 2 * source[:20]])
    source[13] = target[17] = target[270] = 0
    return source, target.astype(np.float32)


@pytest.mark.parametrize("k", [1, 4, 30, 250])
@pytest.mark.parametrize(
    ("columns", "queries", "block"), [(1 << 16, 8192, 8 << 20), (90, 41, 3000), (577, 9, 1500)]
)
def test_it_finds_what_faiss_finds(
    sides: tuple, gpu: pytest.MonkeyPatch, k: int, columns: int, queries: int, block: int
) -> None:
    gpu.setattr(card, "_COLUMNS", columns)
    gpu.setattr(card, "_QUERIES", queries)
    gpu.setattr(card, "_BLOCK_BYTES", block)
    assert_same(search(*sides, k), on_processor(*sides, k))


@pytest.mark.parametrize("rows", [40, 279, 479, 480])
@pytest.mark.parametrize("k", [1, 4, 120])
def test_a_side_is_divided_as_the_card_can_hold_it(
    sides: tuple, gpu: pytest.MonkeyPatch, rows: int, k: int
) -> None:
    expected = on_processor(*sides, k)
    read: list[int] = []
    copy = UnitRows.copy
    gpu.setattr(card, "_LEAST_ROWS", 1)
    gpu.setattr(card, "_WORK_BYTES", 1 << 20)
    # three quarters are used: half for vectors, as many rows as said, and half for scores
    gpu.setattr(card, "free_bytes", lambda _: 2 * 4 * 24 * rows * 4 // 3 + 2)
    gpu.setattr(
        UnitRows, "copy", lambda side, *how: read.append(len(how[1])) or copy(side, *how)
    )
    assert_same(search(*sides, k), expected)
    parts = [-(-size // rows) for size in (280, 200)]
    again = 200 * (1 + parts[0]) + 280 * (1 + parts[1])
    assert sum(read) == (480 if rows == 480 else again)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 50), st.integers(1, 700), st.integers(1, 7),
    st.integers(1, 2),
)
def test_ties_are_ordered_as_by_faiss(seed: int, n: int, m: int, d: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    # of few values: equal rows and rows of zeros; as many ties as there are spare neighbours
    source, target = (rng.integers(-1, 2, (size, d)).astype(np.float32) for size in (n, m))
    target[5:] = rng.standard_normal((max(0, m - 5), d))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_gpu", lambda _: PROCESSOR)
        patch.setattr(card, "free_bytes", lambda _: FREE)
        ours = search(source, target, k).forward
    theirs = on_processor(source, target, k).forward
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-7)
    if source.any(1).all() and d > 2:
        np.testing.assert_array_equal(ours.indices, theirs.indices)


@pytest.mark.parametrize("width", [1, 5, 9, 300, 2100])
@pytest.mark.parametrize("columns", [64, 512, 1000, 1 << 16])
def test_the_nearest_are_among_the_highest_groups(width: int, columns: int) -> None:
    rng = np.random.default_rng(width)
    queries = torch.from_numpy(rng.standard_normal((7, 5)).astype(np.float32))
    corpus = torch.from_numpy(rng.standard_normal((2100, 5)).astype(np.float32)) - 3
    space = torch.full((7 * card._padded(2100),), torch.nan)
    near = card.nearest(queries, corpus, width, columns, space)
    products = queries @ corpus.T
    expected = products.topk(width).values
    torch.testing.assert_close(products.gather(1, near).sort(descending=True).values, expected)
    assert all(len(set(row)) == width for row in near.tolist())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f4", "int8"])
@pytest.mark.parametrize("whole", [False, True])
def test_rows_are_those_of_the_processor(
    tmp_path: Path, gpu: pytest.MonkeyPatch, dtype: str, whole: bool
) -> None:
    values = (9 * np.random.default_rng(0).standard_normal((50, 12))).astype(dtype)
    values[4] = 0
    np.save(tmp_path / "x.npy", values)
    gpu.setattr(card, "_BLOCK_BYTES", 700)
    for source in (values, tmp_path / "x.npy"):
        rows = UnitRows(source)
        side = card.Side(rows, PROCESSOR, whole)
        expected = np.concatenate([block for _, block in rows.blocks(9)])
        for start, stop in ((0, 20), (20, 21), (21, 50), (0, 50)):
            np.testing.assert_allclose(side.take(start, stop), expected[start:stop], rtol=2e-7)
        assert side.unsound == 50


@pytest.mark.parametrize("block", [8 << 20, 100])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_its_row(
    sides: tuple, gpu: pytest.MonkeyPatch, value: float, block: int
) -> None:
    gpu.setattr(card, "_BLOCK_BYTES", block)
    for place, row in ((0, 199), (1, 31)):
        damaged = [side.copy() for side in sides]
        damaged[place][[row, 199], 3] = value
        with pytest.raises(TandemError, match=f"row {row} .* not finite"):
            search(*damaged, 2)


def test_progress_grows_to_the_whole(sides: tuple, gpu: pytest.MonkeyPatch) -> None:
    shares: list[float] = []
    gpu.setattr(card, "_QUERIES", 100)
    search(*sides, 3, progress=shares.append)
    assert len(shares) == 1 + 2 + 1 + 3
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_an_approximate_index_stays_on_the_processor(sides: tuple, gpu: object) -> None:
    assert search(*sides, 1, index=IndexKind.IVF).forward.indices.shape == (200, 1)


def test_a_card_without_memory_is_told(sides: tuple, gpu: pytest.MonkeyPatch) -> None:
    gpu.setattr(card, "free_bytes", lambda _: 1000)
    with pytest.raises(TandemError, match="lacks 1 MiB of free memory .*--device cpu"):
        search(*sides, 1)


def test_what_pytorch_keeps_on_the_card_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (5, 80))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: 70)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda _: 30)
    assert card.free_bytes(PROCESSOR) == 45


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB\nSee the manual"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    ],
)
def test_a_card_that_fills_up_is_told(
    sides: tuple, gpu: pytest.MonkeyPatch, error: Exception
) -> None:
    def full(*_: object) -> None:
        raise error

    gpu.setattr(card, "nearest", full)
    remedy = r"is full .*\)\. Compute on the CPU \(--device cpu, .*\), end what else runs"
    with pytest.raises(TandemError, match=remedy):
        search(*sides, 1)


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        ("CUDA error: unspecified launch failure", TandemError),  # the card is lost
        ("CUDA error: an illegal memory access was encountered", RuntimeError),
        ("CUDA error: device-side assert triggered", RuntimeError),
    ],
)
def test_an_error_of_the_program_stays_what_it_is(
    sides: tuple, gpu: pytest.MonkeyPatch, problem: str, kind: type[Exception]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(problem)

    gpu.setattr(card, "nearest", fail)
    with pytest.raises(kind, match=problem) as raised:
        search(*sides, 1)
    assert raised.type is kind


def test_a_small_bound_of_the_host_is_enough(sides: tuple, gpu: pytest.MonkeyPatch) -> None:
    gpu.setattr(module, "_resident_bytes", lambda: 4 << 30)
    with pytest.raises(TandemError, match="memory_bytes"):
        search(*sides, 1, memory_bytes=64 << 20)
    gpu.setattr(module, "cuda_works", lambda: True)
    search(*sides, 1, memory_bytes=65 << 20)  # lists of a few thousand bytes are counted
    with pytest.raises(TandemError, match="memory_bytes"):
        search(*sides, 1, memory_bytes=32 << 20)
