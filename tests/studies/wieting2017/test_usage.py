"""Statistics of how words are used."""

import math

import numpy as np
import pytest

from wieting2017.methods import usage

ONE = [["a", "b", "a", "b"], ["c"]]
OTHER = [["a", "a"], ["a", "d", "e"]]


def test_repetition_counts_what_stood_in_its_own_sentence():
    assert usage.repeated_share(ONE, 1) == pytest.approx(2 / 5)
    assert usage.repeated_share(ONE, 2) == pytest.approx(1 / 3)
    assert math.isnan(usage.repeated_share([["a"]], 2))


def test_entropy_is_in_bits():
    assert usage.entropy([("a",), ("b",), ("c",), ("d",)]) == pytest.approx(2)
    assert usage.entropy([("a",)] * 3) == 0


def test_frequent_words_are_the_first_of_equally_frequent_ones():
    assert usage.frequent_words([["b", "a", "c", "c"]], 2) == {"c", "a"}


def test_statistics_of_both_sides():
    found = dict(zip(usage.STATISTICS, usage.measure(ONE, OTHER, frozenset("ab")), strict=True))
    assert found["length"].tolist() == [2.5, 2.5]
    assert found["vocabulary"].tolist() == [60, 60]
    assert found["rare"] == pytest.approx([20, 40])
    assert found["repeated-1"] == pytest.approx([40, 20])
    assert found["entropy-2"] == pytest.approx([usage.entropy([("a", "b"), ("b", "a"), ("a", "b")]),
                                                math.log2(3)])  # fmt: skip


def test_longer_text_is_cut_for_what_grows_with_it():
    found = usage.measure([["a", "b"]], [["a", "b", "c", "d"]], frozenset())
    assert found[list(usage.STATISTICS).index("vocabulary")].tolist() == [100, 100]
    assert found[list(usage.STATISTICS).index("entropy-1")].tolist() == [1, 1]


def test_blocks_are_consecutive_pairs():
    blocks = usage.in_blocks([["a"]] * 3 + [["a", "b"]] * 3, [["a", "b"]] * 6, 2,
                             lambda *sides: usage.measure(*sides, frozenset("a")))  # fmt: skip
    assert blocks.shape == (2, len(usage.STATISTICS), 2)
    assert np.allclose(blocks[:, 0], [[1, 2], [2, 2]])


def test_every_length_is_in_one_range():
    one, other = ([["a"] * size for size in sizes] for sizes in ((1, 5, 6, 20), (21, 30, 31, 99)))
    shares = usage.length_shares(one, other)
    assert shares[:, 0].tolist() == [50, 25, 0, 25, 0, 0]
    assert shares[:, 1].tolist() == [0, 0, 0, 0, 50, 50]
    names = [said for said, _ in usage.length_names().values()]
    assert names[0] == "1 to 5 words" and names[-1] == "over 30 words"
    assert len(names) == len(shares)
