"""Vectors by blocks, at length 1."""

from pathlib import Path

import numpy as np
import pytest

from tandem.errors import InputError
from tandem.search.rows import UnitRows


@pytest.mark.parametrize("in_file", [False, True])
def test_blocks_hold_every_row_at_length_one(tmp_path: Path, in_file: bool) -> None:
    values = 1e-3 * np.random.default_rng(0).standard_normal((30, 77))
    values[4] = 0
    np.save(tmp_path / "x.npy", values)
    rows = UnitRows(tmp_path / "x.npy" if in_file else values)
    assert (len(rows), rows.dimension) == (30, 77)
    blocks = list(rows.blocks(7, 2, 25))
    assert [(first, len(block)) for first, block in blocks] == [(2, 7), (9, 7), (16, 7), (23, 2)]
    found = np.concatenate([block for _, block in blocks])
    assert found.dtype == np.float32
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    expected = values / np.where(lengths > 0, lengths, 1)
    np.testing.assert_allclose(found, expected[2:25], atol=1e-7)
    assert not found[2].any()
    alone = np.concatenate([block for _, block in rows.blocks(1)])
    np.testing.assert_array_equal(alone[2:25], found)


def test_a_slice_of_a_mapped_file_gives_its_own_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(5))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    ((_, block),) = UnitRows(mapped[2:4]).blocks(9)
    np.testing.assert_array_equal(block, np.eye(5)[2:4])


def test_what_is_no_matrix_file_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "fortran.npy", np.asfortranarray(np.ones((3, 4))))
    np.savez(tmp_path / "many.npz", a=np.ones((2, 2)))
    (tmp_path / "text.npy").write_bytes(b"no array")
    np.save(tmp_path / "short.npy", np.ones((30, 4)))
    content = (tmp_path / "short.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-8])
    for name in ("fortran.npy", "many.npz", "text.npy", "short.npy"):
        with pytest.raises(InputError, match=name):
            UnitRows(tmp_path / name)
