"""A difference between two parts of one training is taken seed by seed."""

from types import SimpleNamespace

import numpy as np
import pytest

from tandem.reporting.claim_test import Evidence
from tandem.reporting.claim_tests.difference import Difference
from tandem.reporting.scores import Cell

SIDES = {
    "better": {"experiment": "meaning.fr", "task": "sts", "unit": "2013"},
    "worse": {"experiment": "language.fr", "task": "sts", "unit": "2013"},
}
VALUES = {"meaning.fr": [50.0, 52.0, 57.0], "language.fr": [43.0, 40.0, 34.0]}


def measured(whole):
    cells = {name: Cell(np.array(values), np.full((3, 9), 50.0), 200, (1, 2, 3), "r")
             for name, values in VALUES.items()}  # fmt: skip
    plan = SimpleNamespace(
        experiments=lambda *_: [], scores=lambda *_: [], pretrained=lambda _: None,
        single_translator=lambda _: None, whole=whole,
    )  # fmt: skip
    scores = SimpleNamespace(cell=lambda experiment, *_: cells[experiment])
    return Difference.model_validate(SIDES).measure(Evidence(scores, {}, plan), 0.0)


def test_parts_of_one_training_are_paired_by_their_seeds():
    # where the one part does well the other does badly: the difference varies more than either
    differences = np.subtract(*VALUES.values())
    paired, apart = measured(lambda _: "whole.fr"), measured(str)
    assert paired.statistic == apart.statistic == pytest.approx(differences.mean())
    error = differences.std(ddof=1) / np.sqrt(3)
    assert paired.high - paired.statistic == pytest.approx(4.3027 * error, rel=1e-3)
    assert paired.p > 2 * apart.p
