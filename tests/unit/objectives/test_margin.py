"""The margin objective: how its mega-batches grow."""

import pytest

from tandem.objectives.margin import Margin


@pytest.mark.parametrize(
    ("step", "expected"), [(0, 1), (149, 1), (150, 2), (299, 2), (300, 3), (10**6, 60)]
)
def test_the_megabatch_grows_by_one_every_150_batches(step, expected):
    assert Margin(megabatch=60, anneal=150).batches(step) == expected


def test_without_annealing_it_is_full_from_the_start():
    assert Margin(megabatch=60, anneal=0).batches(0) == 60
