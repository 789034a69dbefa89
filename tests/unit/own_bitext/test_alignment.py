"""Whether the lines of two texts belong together."""

import numpy as np
import pytest

from tandem.own_bitext.alignment import doubts, parted, parting, usual


def lengths(count, seed=1):
    """Return the lengths of sentences and of their translations."""
    draw = np.random.default_rng(seed)
    first = draw.lognormal(4, 0.5, count).astype(int) + 1
    return first, (first * draw.lognormal(0.1, 0.2, count)).astype(int) + 1


def inserted(side, line, value=0):
    return np.insert(side, line, value)[:-1]


@pytest.mark.parametrize("line", [0, 1, 700, 1800])
@pytest.mark.parametrize("value", [0, 40], ids=["blank", "another"])
@pytest.mark.parametrize("side", [0, 1])
def test_an_inserted_line_parts_the_lengths(line, value, side):
    sides = [*lengths(2000)]
    sides[side] = inserted(sides[side], line, value)
    place = parting(*sides)
    assert place.shift == (1 if side else -1)
    assert abs(place.line - line) <= 3


def test_two_missing_lines_part_them_by_two():
    first, second = lengths(1500)
    place = parting(np.delete(first, [600, 601]), second[:-2])
    assert (abs(place.line - 600) <= 3, place.shift) == (True, 2)


@pytest.mark.parametrize("seed", range(20))
def test_lengths_that_belong_together_do_not_part(seed):
    first, second = lengths(3000, seed)
    assert parting(first, second) is None
    # nor do those that tell nothing: shuffled lines, or all of one length
    assert parting(first, np.random.default_rng(seed).permutation(second)) is None
    assert parting(np.full(90, 30), np.full(90, 30)) is None
    assert parting(first[:2], second[:2]) is None
    assert parting(first[:0], second[:0]) is None


def test_the_lines_where_they_part_are_shown():
    draw = np.random.default_rng(2)
    first = ["w" * size for size in draw.integers(5, 90, 400).tolist()]
    second = [line.replace("w", "vv") for line in first]
    pairs = [*zip([*first[:100], "", *first[100:-1]], second, strict=True)]
    shown = parted(lambda: pairs, "a and b")
    assert shown[:2] == [
        "a and b: line 101 is the first that is blank on one side only",
        "warning: a and b: from about line 101 on, lines have the lengths of those 1 earlier on "
        "the other side:",
    ]
    assert shown[2:] == [f"  {n}: {' | '.join(pairs[n - 1])}" for n in (101, 102, 103)]
    assert parted(lambda: zip(first, second, strict=True), "a") == []


def test_a_low_p_at_1_is_doubted():
    assert usual(999) is None
    assert [usual(n) for n in (1000, 10_000, 10**7)] == [25, 80.2, 80.2]
    quality = {"retrieval": {"p_at_1_x100": 3.9, "low": 2, "high": 7, "pairs": 500}}
    assert (
        "a P@1 of 3.9 is far below the 80 or more that 20,000 pairs" in doubts(quality, 20_000)[0]
    )
    assert doubts(quality, 900) == []
    quality["retrieval"]["high"] = 54
    assert doubts(quality, 20_000) == []
