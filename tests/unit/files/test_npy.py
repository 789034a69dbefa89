"""Arrays written part by part are those that NumPy reads."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tandem.files.npy import write_npy


@pytest.mark.parametrize("sizes", [[], [3], [2, 5, 1]])
@pytest.mark.parametrize("columns", [4, None])
def test_an_array_written_in_parts_is_one_npy_file(sizes, columns):
    random = np.random.default_rng(1)
    shape = () if columns is None else (columns,)
    parts = [random.random((size, *shape), np.float32) for size in sizes]
    out = io.BytesIO(b"before")
    out.seek(6)
    assert write_npy(out, iter(parts), np.float32, columns) == sum(sizes)
    assert out.tell() == len(out.getvalue())
    out.seek(6)
    expected = np.concatenate([np.zeros((0, *shape), np.float32), *parts])
    np.testing.assert_array_equal(np.load(out), expected)


def test_numbers_are_written_as_the_type_asked_for():
    out = io.BytesIO()
    write_npy(out, [np.array([1, 2])], np.uint16)
    out.seek(0)
    assert np.load(out).dtype == np.uint16
