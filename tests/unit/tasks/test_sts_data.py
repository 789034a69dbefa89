"""Files of STS tasks, and the correlation of a cosine with human scores."""

import numpy as np
import pytest

from tandem.errors import InputError
from tandem.statistics.correlation import pearson
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks import sts_data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5\ta\tb\n1\ta\n", "line 2: 2 columns"),
        ("5\ta\tb\tc\n", "line 1: 4 columns"),
        ("five\ta\tb\n", "line 1: the score 'five'"),
        ("nan\ta\tb\n", "line 1: the score 'nan'"),
        ("5.5\ta\tb\n", "line 1: the score '5.5'"),
        ("2\ta\tb\n2\tc\td\n", "no two different scores"),
        ("", "the file is empty"),
    ],
)
def test_a_faulty_task_is_refused(tmp_path, text, message):
    path = tmp_path / "2012.bad.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        sts_data.read_task(path)


def test_the_correlation_of_cosines_with_scores():
    table = np.array([[1.0, 0.0], [0.5, np.sqrt(0.75)], [0.0, 1.0]])
    gold = np.array([5.0, 3.0, 0.0])
    cosine = cosine_similarity(table[[0, 0, 0]], table)
    assert cosine == pytest.approx([1, 0.5, 0])
    assert sts_data.correlation(gold, cosine) == pytest.approx(pearson(gold, [1, 0.5, 0]))
    # A collapsed model scores 0: it must neither stop training nor be selected
    assert sts_data.correlation(gold, np.ones(3)) == 0
