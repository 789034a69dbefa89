"""Ragged arrays: rows in memory and on disk."""

import numpy as np
import pytest

from tandem.errors import InputError
from tandem.segmentation import ragged

ROWS = [[1, 2], [], [3, 4, 5], [70_000]]


def as_lists(rows):
    return [rows.row(index).tolist() for index in range(len(rows))]


def test_gather_repeats_and_reorders_rows():
    rows = ragged.from_rows(ROWS).gather(np.array([2, 1, 0, 2]))
    assert as_lists(rows) == [[3, 4, 5], [], [1, 2], [3, 4, 5]]


def test_concatenate_and_head():
    rows = ragged.from_rows(ROWS)
    joined = ragged.concatenate([rows.head(2), rows.gather(np.array([2]))])
    assert as_lists(joined) == [[1, 2], [], [3, 4, 5]]
    assert rows.head(3).lengths().tolist() == [2, 0, 3]


@pytest.mark.parametrize(("largest", "dtype"), [(65_535, np.uint16), (70_000, np.int32)])
def test_a_saved_stream_is_what_was_written(tmp_path, largest, dtype):
    rows = ragged.from_rows(ROWS if largest == 70_000 else ROWS[:3])
    count = ragged.save_stream(tmp_path / "train.en", [rows, rows], largest)
    loaded = ragged.load(tmp_path / "train.en")
    assert count == 2 * len(rows)
    assert loaded.ids.dtype == dtype
    assert as_lists(loaded) == as_lists(rows) * 2


def test_nothing_is_left_when_the_stream_breaks(tmp_path):
    def broken():
        yield ragged.from_rows(ROWS)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        ragged.save_stream(tmp_path / "x", broken(), 70_000)
    assert list(tmp_path.iterdir()) == []


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    ragged.save_stream(tmp_path / "a", [ragged.from_rows(ROWS)], 70_000)
    ragged.save_stream(tmp_path / "b", [ragged.from_rows(ROWS[:1])], 70_000)
    (tmp_path / "b.offsets.npy").replace(tmp_path / "a.offsets.npy")
    with pytest.raises(InputError, match=r"a\.ids\.npy.*contradicts.*Segment it again"):
        ragged.load(tmp_path / "a")
