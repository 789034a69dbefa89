"""Ragged arrays: rows in memory and on disk."""

import hashlib
import random
from pathlib import Path

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


def test_concatenate_and_part():
    rows = ragged.from_rows(ROWS)
    joined = ragged.concatenate([rows.part(0, 2), rows.gather(np.array([2]))])
    assert as_lists(joined) == [[1, 2], [], [3, 4, 5]]
    assert as_lists(rows.part(0, 3)) == [[1, 2], [], [3, 4, 5]]
    assert as_lists(rows.part(2, 3)) == [[3, 4, 5]]


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


def written(stem, rows):
    ragged.save_stream(stem, [ragged.from_rows(rows)], 70_000)
    return [Path(f"{stem}.{part}.npy") for part in ("ids", "offsets")]


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    written(tmp_path / "a", ROWS)
    written(tmp_path / "b", ROWS[:1])[1].replace(tmp_path / "a.offsets.npy")
    with pytest.raises(InputError, match=r"a\.ids\.npy.*contradicts.*Delete it"):
        ragged.load(tmp_path / "a")


@pytest.mark.parametrize("part", [0, 1])
def test_a_missing_array_is_named_with_what_makes_it_again(tmp_path, part):
    path = written(tmp_path / "a", ROWS)[part]
    path.unlink()
    with pytest.raises(InputError, match=f"{path.name}: missing.*run what made it"):
        ragged.load(tmp_path / "a")


@pytest.mark.parametrize("part", [0, 1])
def test_every_flipped_bit_and_every_cut_is_found(tmp_path, part):
    path = written(tmp_path / "a", ROWS)[part]
    whole = path.read_bytes()
    draw = random.Random(5)
    for bit in draw.sample(range(8 * len(whole)), 800):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=path.name):
            ragged.load(tmp_path / "a")
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match=path.name):
            ragged.load(tmp_path / "a")
    path.write_bytes(whole)
    assert as_lists(ragged.load(tmp_path / "a")) == ROWS


def resealed(path, array, **options):
    """Put another array in the place of one, with a checksum that fits."""
    np.save(path, array, **options)
    path.write_bytes(path.read_bytes() + hashlib.sha256(path.read_bytes()).digest())


@pytest.mark.parametrize(
    ("part", "array"),
    [
        (1, np.array([0, 2, 1, 5, 6])),
        (1, np.array([1, 2, 2, 5, 6])),
        (1, np.array([0, 2, 2, 5, 7])),
        (1, np.array([0, 2, 2, 5, -6])),
        (1, np.array([0.0, 2, 2, 5, 6])),
        (1, np.array([0, 2, 2, 5, 6], ">i8")),
        (1, np.array([0, 2, 2, 5, 6], np.int32)),
        (1, np.array([[0, 2], [2, 6]])),
        (1, np.array(6)),
        (1, np.zeros(0, np.int64)),
        (1, np.array(["0", "6"])),
        (0, np.arange(5, dtype=np.int32)),
        (0, np.arange(6, dtype=np.float32)),
        (0, np.arange(6)),
        (0, np.arange(6, dtype=np.int32)[:, None]),
        (0, np.zeros(6, bool)),
        (0, np.array([{}] * 6)),
    ],
)
def test_arrays_that_are_no_ids_and_offsets_are_refused(tmp_path, part, array):
    resealed(written(tmp_path / "a", ROWS)[part], array)
    with pytest.raises(InputError, match=r"a\.(ids|offsets)\.npy.*Delete it"):
        ragged.load(tmp_path / "a")


@pytest.mark.parametrize("ids", [[3, 4], [-1, 2]])
def test_ids_of_another_vocabulary_are_refused(tmp_path, ids):
    written(tmp_path / "a", [[0, 1], ids])
    loaded = ragged.load(tmp_path / "a")
    loaded.part(0, 1).check_below(4)
    with pytest.raises(InputError, match=r"a\.ids\.npy: ids from .* in a vocabulary of 4"):
        loaded.check_below(4)


def test_sides_of_unequal_length_are_refused(tmp_path):
    written(tmp_path / "train.en", ROWS)
    written(tmp_path / "train.cs", ROWS[:3])
    with pytest.raises(InputError, match=r"train\.en.*en and cs have 4 and 3.*Delete it"):
        ragged.load_sides(tmp_path, "train", ("en", "cs"))
