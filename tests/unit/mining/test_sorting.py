"""Records of numbers sorted on disk."""

import contextlib
import errno

import numpy as np
import pytest

from tandem.files.atomic import atomic_path
from tandem.mining.sorting import Sorter, in_order, scratch_folder, sorted_on_disk, write_numbers


@pytest.mark.parametrize("memory", [1, 64 * 700, 1 << 24])
def test_whatever_the_memory_all_pairs_come_back_in_order(tmp_path, memory):
    random = np.random.default_rng(0)
    # few different first numbers, so that those with one of them are more than a block
    records = np.stack([random.integers(9, size=5000), random.permutation(5000)], 1)
    records = records.astype(np.uint64) + np.uint64(1 << 63)
    sorter = Sorter(tmp_path, memory)
    for start in range(0, 5000, 50):
        sorter.add(*records[start : start + 50].T)
    blocks = list(sorter.blocks())
    assert np.array_equal(np.concatenate(blocks), in_order(records))
    if memory < 1 << 24:
        assert max(map(len, blocks)) < 3000
    assert not list(tmp_path.iterdir())


def test_records_of_more_numbers_are_sorted_by_all_in_turn(tmp_path):
    records = np.random.default_rng(1).integers(3, size=(3000, 4)).astype(np.uint64)
    blocks = list(sorted_on_disk(iter(np.split(records, 60)), 4, tmp_path, 128 * 200))
    assert np.concatenate(blocks).tolist() == sorted(records.tolist())
    assert len(blocks) > 5 and not list(tmp_path.iterdir())


def test_no_records_have_no_blocks(tmp_path):
    assert list(Sorter(tmp_path, 1000).blocks()) == []
    assert list(sorted_on_disk([], 4, tmp_path, 1000)) == []


def test_no_number_is_lost_on_a_full_disk(tmp_path):
    with pytest.raises(OSError, match="No space left"), open("/dev/full", "wb") as full:
        write_numbers(full, np.zeros(10, np.int64))  # few wait in memory until it is closed
    (tmp_path / "run0").symlink_to("/dev/full")
    sorter = Sorter(tmp_path, 1)
    with pytest.raises(OSError, match="No space left") as raised:
        sorter.add(*np.zeros((2, 100_000), np.uint64))
    assert raised.value.errno == errno.ENOSPC


def test_a_scratch_folder_goes_and_so_does_what_a_killed_run_has_left(tmp_path):
    left = tmp_path / ".scratch.t.0123abcd.tandem"
    left.mkdir()
    (tmp_path / "t").touch()
    for error in (None, RuntimeError):
        with contextlib.suppress(RuntimeError), scratch_folder(tmp_path / "t") as folder:
            assert folder.parent == tmp_path and not left.exists()
            (folder / "run").touch()
            with atomic_path(tmp_path / "t"):
                assert (folder / "run").exists()
            if error:
                raise error
        assert [path.name for path in tmp_path.iterdir()] == ["t"]
