import numpy as np
import pytest

from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.selection import by_retrieval, by_similarity

TABLE = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0.5]])


def averages(table):
    """Return a function that averages the rows of a table."""
    return lambda rows: np.array([table[rows.row(i)].mean(0) for i in range(len(rows))])


def test_retrieval_is_the_mean_of_both_directions(validation):
    folder = validation(en=[[0], [1], [2]], cs=[[0], [3], [1]])
    # forward only the first finds its translation, backward the first two
    assert by_retrieval(folder, ("en", "cs"))(averages(TABLE)) == pytest.approx(50)


def test_of_equally_near_sentences_the_first_is_retrieved(validation):
    folder = validation(en=[[0], [1], [2]], cs=[[0], [1], [2]])
    score = by_retrieval(folder, ("en", "cs"))(averages(np.ones((3, 3))))
    assert score == pytest.approx(100 / 3)


def test_similarity_segments_the_task_as_the_encoder_would(tmp_path):
    lines = ["a cat sat", "a dog ran", "the cat ran", "dogs sat"]
    segmenter = learn(Words(size=20), {"en": lambda: lines}, tmp_path)
    task = tmp_path / "2017.x.tsv"
    task.write_text("5\ta cat\tthe cat\n1\tdog ran\tcat sat\n3\ta dog\ta cat\n", encoding="utf-8")
    average = averages(np.random.default_rng(0).normal(size=(len(segmenter), 8)))
    encode = segmenter.encoder("en")
    sides = [["a cat", "dog ran", "a dog"], ["the cat", "cat sat", "a cat"]]
    first, second = map(encode, sides)
    cosine = cosine_similarity(average(first), average(second))
    expected = 100 * np.corrcoef(cosine, [5, 1, 3])[0, 1]
    assert by_similarity(segmenter, task)(average) == pytest.approx(expected)
    # a collapsed model scores 0: it must neither stop training nor be selected
    assert by_similarity(segmenter, task)(lambda rows: np.ones((len(rows), 2))) == 0
