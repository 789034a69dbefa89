import numpy as np
import pytest

from tandem.objectives.kinds.generative import Generative
from tandem.objectives.kinds.margin import Margin
from tandem.own_bitext.selection import by_retrieval_and_margin, selection
from tandem.training.pairs import load_pairs

ENGLISH = [[0], [1], [2]]


def scores(folder, *tables):
    """Return the score of each table, whose rows are the vectors of the types."""
    select = by_retrieval_and_margin(folder, ("en", "de"))
    return [select(lambda rows, t=t: np.array(t)[rows.ids]) for t in tables]


def test_it_is_the_mean_of_both_directions(validation):
    # forward only the first finds its translation, backward the first two
    table = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0.5]]
    (score,) = scores(validation(en=ENGLISH, de=[[0], [3], [1]]), table)
    assert score == pytest.approx(50, abs=0.002)


def test_what_writes_is_chosen_by_its_loss(validation):
    folder = validation(en=ENGLISH, de=ENGLISH)
    pairs, held_out = [("en", "de")], [load_pairs(folder, "valid", ("en", "de"))]
    chosen_by = selection(Generative(), folder, pairs, held_out)
    assert chosen_by.select is None and chosen_by.held_out is held_out[0]
    assert chosen_by.score == "minus_loss_nats"
    (folder / "en de").symlink_to(folder)
    chosen_by = selection(Margin(), folder, pairs, held_out)
    assert chosen_by.select is not None and chosen_by.held_out is None
    assert chosen_by.score == "p_at_1_x100"


def test_the_margin_decides_between_equals_and_nothing_else(validation):
    near = [[1, 0, 0], [0.9, 0.4, 0], [0.9, 0, 0.4]]
    apart = np.eye(3)
    same = np.ones((3, 3))
    lower, higher, none = scores(validation(en=ENGLISH, de=ENGLISH), near, apart, same)
    assert 100 < lower < higher < 100.01
    assert none == 0
