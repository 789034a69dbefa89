"""Means of rows, compiled and not."""

import numpy as np
import torch
from torch.nn import functional

from tandem.encoders import means


def test_both_ways_give_the_bits_that_pytorch_gives(monkeypatch):
    random = np.random.default_rng(1)
    table = random.standard_normal((50, 30), np.float32)
    lengths = random.integers(0, 40, 60)
    ids, offsets = random.integers(0, 50, lengths.sum()), np.append(0, np.cumsum(lengths))
    assert len(lengths) <= means.FEW
    plain = means.mean_rows(table, ids, offsets)
    monkeypatch.setattr(means, "FEW", 0)
    compiled = means.mean_rows(table, ids, offsets)
    given = (torch.from_numpy(array) for array in (ids, table, offsets[:-1]))
    sums = functional.embedding_bag(*given, mode="sum")
    wanted = sums / torch.from_numpy(np.maximum(lengths, 1)).float().unsqueeze(1)
    np.testing.assert_array_equal(compiled, wanted.numpy())
    np.testing.assert_array_equal(plain, compiled)
    assert not plain[lengths == 0].any() and plain.dtype == np.float32
