import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.tasks.hits import hit_draws, read_hits, write_hits
from tandem.tasks.retrieval import first_hits
from tandem.tasks.retrieval_scores import score_retrieval

SOURCE = np.eye(3, dtype=np.float32)
TARGET = np.array([[1, 0, 0], [0, 1, 0.5], [0, 1, 0]], np.float32)
# source 1's nearest is target 2, source 2's is target 1; target 1's and target 2's are source 1


class Fixed:
    """Gives each language its vectors."""

    def encode(self, sentences, language=None, batch_size=1024):
        assert list(sentences) == {"en": ["a", "b", "c"], "cs": ["x", "y", "z"]}[language]
        return {"en": SOURCE, "cs": TARGET}[language]


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "test.en").write_text("a\nb\nc\n", encoding="utf-8")
    (tmp_path / "test.cs").write_text("x\ny\nz\n", encoding="utf-8")
    return tmp_path


def test_tells_who_found_its_translation():
    forward, backward = first_hits(SOURCE, TARGET)
    assert forward.tolist() == [True, False, False]
    assert backward.tolist() == [True, True, False]


def test_refuses_sides_of_different_lengths():
    with pytest.raises(TandemError, match="3 sources, 2 targets"):
        first_hits(SOURCE, TARGET[:2])


def test_scores_both_directions_under_their_names(corpus):
    scores, hits = score_retrieval(Fixed(), corpus, ("en", "cs"), resamples=500, seed=1)
    assert scores["sentences"] == 3
    assert scores["directions"]["en-cs"]["p_at_1"] == pytest.approx(33.3333)
    assert scores["directions"]["cs-en"]["p_at_1"] == pytest.approx(66.6667)
    assert scores["directions"]["en-cs"]["low"] == 0.0
    assert scores["directions"]["cs-en"]["high"] == 100.0
    assert hits["cs-en"].tolist() == [True, True, False]


def test_draws_are_the_same_in_one_call_and_in_two():
    one, other = np.arange(40) % 2 == 0, np.arange(40) % 3 == 0
    together = hit_draws([one, other], 300, seed=5)
    np.testing.assert_array_equal(together[0], hit_draws([one], 300, seed=5)[0])
    np.testing.assert_array_equal(together[1], hit_draws([other], 300, seed=5)[0])
    assert together[0].mean() == pytest.approx(0.5, abs=0.02)
    assert together[0].std() == pytest.approx(np.sqrt(0.25 / 40), abs=0.02)


def test_hits_are_read_as_written_and_written_alike(tmp_path):
    hits = {"en-cs": np.array([True, False]), "cs-en": np.array([False, False])}
    for name in ("one.npz", "two.npz"):
        write_hits(tmp_path / name, hits)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    read = read_hits(tmp_path / "one.npz")
    assert {name: array.tolist() for name, array in read.items()} == {
        "en-cs": [True, False], "cs-en": [False, False],
    }  # fmt: skip
