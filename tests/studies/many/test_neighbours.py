"""The nearest English sentences of sentences in other languages."""

import numpy as np
import pytest

from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.files.io import write_lines

VALUES = {
    "experiment": "sp.joint", "source": "bible", "languages": ["de"], "sentences": 2, "k": 3,
}  # fmt: skip
PAIRS = [("a | b", "A"), ("c", "C"), ("d", "D"), ("e", "E")]
VECTORS = {"a | b": 0.0, "c": 0.3, "d": 1.0, "e": 2.0, "A": 0.1, "C": 0.2, "D": 1.0, "E": 0.9}
"""Angles on a circle: A is next to its translation, E to the translation of D."""


class OnACircle:
    def encode(self, sentences, language):
        assert {"en": str.islower, "de": str.isupper}[language](sentences[0])
        angles = np.array([VECTORS[sentence] for sentence in sentences])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture
def neighbours(made, plan, monkeypatch):
    monkeypatch.setattr(SentenceEncoder, "load", lambda folder: OnACircle())
    lines = (f"{n}\t{english}\t{german}" for n, (english, german) in enumerate(PAIRS))
    write_lines("results/toy/corpora/c/test/bible.en.de.tsv", lines)
    return lambda **values: made("neighbours", VALUES | values)


def test_the_nearest_first_and_which_is_the_translation(neighbours):
    table, _, report = neighbours(sentences=4)
    rows = report.frame.set_index(["sentence", "rank"])
    assert list(rows.loc["A", "neighbour"]) == ["a | b", "c", "d"]
    assert list(rows.loc["E", "neighbour"]) == ["d", "c", "a | b"]
    assert list(rows.loc["A", "found"]) == [True, False, False]
    assert not rows.loc["E", "found"].any()
    assert rows.loc[("D", 1), "cosine"] == pytest.approx(1)
    assert rows.loc[("A", 2), "cosine"] == pytest.approx(np.cos(0.2), abs=1e-6)
    assert set(rows["language"]) == {"de"}
    assert table.figures("neighbours") == []


def test_a_page_to_be_read(neighbours):
    page = neighbours(sentences=4)[2].markdown
    assert "## de\n" in page
    assert "E = e\n\n1. 1.00 d\n" in page
    assert "D = d\n\n1. 1.00 **d**\n" in page


def test_so_many_sentences_drawn_by_the_seed(neighbours):
    drawn = {
        seed: tuple(neighbours(seed=seed)[2].frame["sentence"].unique()) for seed in range(1, 9)
    }
    assert all(len(sentences) == 2 for sentences in drawn.values())
    assert len(set(drawn.values())) > 1
    assert drawn[1] == tuple(neighbours(seed=1)[2].frame["sentence"].unique())


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"languages": ["sw"]}, "nothing of bible in sw. Correct tables.neighbours"),
        ({"sentences": 9}, "only 4 held-out sentences"),
    ],
)
def test_too_little_text_is_refused(neighbours, values, said):
    with pytest.raises(TandemError, match=said):
        neighbours(**values)
