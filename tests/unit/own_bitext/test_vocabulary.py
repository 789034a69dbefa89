"""Pairs without tokens that are warned of."""

import numpy as np

from tandem.own_bitext.vocabulary import unknown
from tandem.segmentation.ragged import from_rows
from tandem.training.pairs import Pairs


def pairs(*lengths):
    return Pairs(*(from_rows([1] * n for n in lengths) for _ in range(2)), monolingual=False)


def test_unknown_tokens_of_ones_text_are_not_lost_among_text_beside_it():
    train, valid = pairs(0, *[1] * 999), pairs(1, 1)
    beside = np.arange(1000) >= 10
    (line,) = unknown(train, valid, beside)
    assert line.startswith("warning: 1 of 10 training pairs have a side of unknown tokens only")
    assert not list(unknown(train, valid, np.zeros(1000, bool)))
    (line,) = unknown(pairs(1, 0), valid, np.array([False, True]))
    assert line.startswith("warning: 1 of 1 training pairs beside yours have")
    (line,) = unknown(pairs(1, 1), pairs(0, 1), np.zeros(2, bool))
    assert line.startswith("warning: 1 of 2 held-out pairs have")
