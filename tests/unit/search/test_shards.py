"""Shards: merged, they equal one job byte for byte; a wrong set of them is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.errors import InputError
from tandem.search.exact import search
from tandem.search.lists import Neighbours
from tandem.search.shards import merge, search_shard, shard_range


def arrays(found: Neighbours) -> list[np.ndarray]:
    return [
        np.array(rows.whole())
        for side in (found.forward, found.backward)
        for rows in (side.indices, side.scores)
    ]


def make(folder: Path, n: int, m: int, seed: int = 0) -> tuple[Path, Path]:
    rng = np.random.default_rng(seed)
    paths = folder / "source.npy", folder / "target.npy"
    for path, size in zip(paths, (n, m), strict=True):
        np.save(path, rng.integers(-1, 2, (size, 3)).astype(np.float32))  # full of ties
    return paths


def shard_all(folder: Path, sides: tuple[Path, Path], k: int, shards: int) -> list[Path]:
    paths = [folder / f"{shard}.npz" for shard in range(shards)]
    for shard, path in enumerate(paths):
        search_shard(*sides, k, shard, shards, path)
    return paths


def test_ranges_cover_the_rows_once() -> None:
    assert [shard_range(10, shard, 4) for shard in range(4)] == [(0, 2), (2, 5), (5, 7), (7, 10)]
    assert [shard_range(2, shard, 3) for shard in range(3)] == [(0, 0), (0, 1), (1, 2)]
    with pytest.raises(ValueError, match="no shard 3"):
        shard_range(10, 3, 3)


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 60), st.integers(1, 9),
    st.integers(1, 7),
)
def test_any_number_of_shards_gives_the_bytes_of_one_job(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n: int, m: int, k: int, shards: int
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    sides = make(folder, n, m, seed)
    paths = shard_all(folder, sides, k, shards)
    whole = folder / "whole"
    whole.mkdir()
    merged = merge(paths[::-1], whole)
    for ours, theirs, again in zip(
        arrays(merged), arrays(search(*sides, k)), arrays(merge(paths)), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(ours, again)


def test_a_shard_is_an_npz_with_the_same_bytes_every_time(tmp_path: Path) -> None:
    sides = make(tmp_path, 20, 30)
    for name in ("a.npz", "b.npz"):
        search_shard(*sides, 4, 1, 2, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz") as shard:
        assert shard["forward.indices"].shape == (10, 4)
        assert shard["backward.scores"].shape == (30, 4)
        assert shard["part"].tolist() == [10, 20, 20]
    assert {path.name for path in tmp_path.iterdir()} == {
        "a.npz", "b.npz", "source.npy", "target.npy",
    }


def test_a_missing_or_repeated_or_foreign_shard_is_refused(tmp_path: Path) -> None:
    sides = make(tmp_path, 20, 30)
    paths = shard_all(tmp_path, sides, 4, 3)
    for wrong in (paths[:2], paths[1:], [paths[0], paths[2]], [paths[0], *paths]):
        with pytest.raises(InputError, match="every shard"):
            merge(wrong)
    search_shard(*sides, 5, 1, 3, tmp_path / "other-k.npz")
    with pytest.raises(InputError, match="other-k"):
        merge([paths[0], tmp_path / "other-k.npz", paths[2]])


def test_a_damaged_shard_is_refused(tmp_path: Path) -> None:
    paths = shard_all(tmp_path, make(tmp_path, 5, 5), 2, 1)
    paths[0].write_bytes(paths[0].read_bytes()[:100])
    with pytest.raises(InputError, match="Make it again"):
        merge(paths)
