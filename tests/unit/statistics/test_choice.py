"""Choosing by the rule of one standard error."""

import numpy as np

from tandem.statistics.choice import within_one_error


def test_what_seeds_do_not_tell_from_the_best_is_as_good():
    best, behind = [80.0, 81.0, 82.0], [79.0, 80.0, 81.0]
    near = [79.0, 81.5, 81.9]  # 0.2 behind, now above and now below
    assert within_one_error(np.array([behind, near, best])).tolist() == [False, True, True]


def test_of_one_seed_only_the_best_is_told():
    assert within_one_error(np.array([[1.0], [3.0], [2.9]])).tolist() == [False, True, False]
