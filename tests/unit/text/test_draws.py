"""Some of many texts, drawn in one pass."""

import numpy as np

from tandem.text.draws import reservoir


def test_all_are_equally_likely_and_stay_in_their_order():
    counts = np.zeros(30, int)
    for seed in range(2000):
        kept, size = reservoir(iter(range(30)), 6, seed)
        assert size == 30 and len(kept) == 6 and kept == sorted(kept)
        counts[kept] += 1
    assert abs(counts / 2000 - 0.2).max() < 0.04  # four standard errors
    assert reservoir(range(30), 6, 1) == reservoir(range(30), 6, 1)


def test_few_are_all_drawn():
    assert reservoir("cab", 3, 1) == (["c", "a", "b"], 3)
    assert reservoir("", 3, 1) == ([], 0)
