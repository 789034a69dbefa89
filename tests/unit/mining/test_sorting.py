"""Pairs of numbers sorted on disk."""

import numpy as np
import pytest

from tandem.mining.sorting import Sorter, in_order


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


def test_no_pairs_have_no_blocks(tmp_path):
    assert list(Sorter(tmp_path, 1000).blocks()) == []
