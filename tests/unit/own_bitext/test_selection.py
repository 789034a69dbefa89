import numpy as np
import pytest

from tandem.segmentation import ragged
from tandem.tasks.selection import by_retrieval_and_margin


def folder_of(path, right):
    for side, rows in (("en", [[0], [1], [2]]), ("de", right)):
        ragged.save_stream(path / f"valid.{side}", [ragged.from_rows(rows)], 3)
    return path


def scores(folder, *tables):
    """Return the score of each table, whose rows are the vectors of the types."""
    select = by_retrieval_and_margin(folder, ("en", "de"))
    return [select(lambda rows, t=t: np.array(t)[rows.ids]) for t in tables]


def test_it_is_the_mean_of_both_directions(tmp_path):
    # forward only the first finds its translation, backward the first two
    table = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0.5]]
    (score,) = scores(folder_of(tmp_path, [[0], [3], [1]]), table)
    assert score == pytest.approx(50, abs=0.002)


def test_the_margin_decides_between_equals_and_nothing_else(tmp_path):
    near = [[1, 0, 0], [0.9, 0.4, 0], [0.9, 0, 0.4]]
    apart = np.eye(3)
    same = np.ones((3, 3))
    lower, higher, none = scores(folder_of(tmp_path, [[0], [1], [2]]), near, apart, same)
    assert 100 < lower < higher < 100.01
    assert none == 0
