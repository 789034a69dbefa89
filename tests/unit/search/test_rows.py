"""Matrices by blocks; vectors on a grid, so that their inner products are exact."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from tandem.errors import InputError
from tandem.search.rows import create_rows, open_rows, pair_scores, read_normalised


def test_vectors_lie_on_the_grid_at_length_one() -> None:
    values = np.random.default_rng(0).standard_normal((50, 301)) * 1e-3
    vectors = read_normalised(open_rows(values), 0, 50).double()
    steps = vectors * 2**26
    assert torch.equal(steps, steps.round())
    torch.testing.assert_close(vectors.norm(dim=1), torch.ones(50).double(), atol=1e-7, rtol=0)


def test_scores_are_exact_sums_rounded_once() -> None:
    values = np.random.default_rng(1).standard_normal((8, 300))
    vectors = read_normalised(open_rows(values), 0, 8)
    every = torch.arange(8)
    scores = pair_scores(vectors, vectors.flip(0), every, every)
    for left, right, score in zip(vectors, vectors.flip(0), scores.tolist(), strict=True):
        exact = sum(Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(),
                                                              strict=True))
        assert Fraction(float(exact)) == exact  # float64 holds it
        assert score == np.float32(float(exact))


def test_norms_do_not_depend_on_the_block() -> None:
    values = np.random.default_rng(2).standard_normal((30, 77)).astype(np.float32)
    whole = read_normalised(open_rows(values), 0, 30)
    parts = [read_normalised(open_rows(values), start, start + 1) for start in range(30)]
    assert torch.equal(whole, torch.cat(parts))


@pytest.mark.parametrize("in_file", [False, True])
def test_a_block_can_be_read_and_written(tmp_path: Path, in_file: bool) -> None:
    path = tmp_path / "x.npy" if in_file else None
    rows = create_rows(path, (5, 2), np.dtype(np.float32), -1)
    rows.block(1, 3, writable=True)[:] = [[1, 2], [3, 4]]
    expected = [[-1, -1], [1, 2], [3, 4], [-1, -1], [-1, -1]]
    assert rows.whole().tolist() == expected
    assert rows.block(2, 4).tolist() == expected[2:4]
    if path:
        assert np.load(path).tolist() == expected


def test_what_is_no_matrix_file_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "vector.npy", np.ones(3))
    np.save(tmp_path / "fortran.npy", np.asfortranarray(np.ones((3, 4))))
    np.savez(tmp_path / "many.npz", a=np.ones((2, 2)))
    for name in ("vector.npy", "fortran.npy", "many.npz"):
        with pytest.raises(InputError, match=name):
            open_rows(tmp_path / name)
    np.save(tmp_path / "short.npy", np.ones((30, 4)))
    content = (tmp_path / "short.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-8])
    with pytest.raises(InputError, match=r"short\.npy"):
        open_rows(tmp_path / "short.npy")
