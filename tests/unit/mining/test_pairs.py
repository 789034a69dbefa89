"""The pairs that are written, and what is refused before."""

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from tandem.mining.pairs import check_searched, counted, write_pairs
from tandem.mining.sentences import Sentences, cut
from tandem.mining.settings import Columns
from tandem.search.margins import MinedPairs, Retrieval, Score


@pytest.fixture
def sides(tmp_path):
    """A side of plain lines, one with a tab inside, and one of columns; "b" stands twice."""
    (tmp_path / "a").write_text("A\tone\nb\nB \n")
    (tmp_path / "x.tsv").write_text("7\tx\n8\tb\n")
    both = []
    for name, columns in (("a", None), ("x.tsv", Columns(text=2, id=1))):
        folder = tmp_path / f"side-{name}"
        folder.mkdir()
        cut([str(tmp_path / name)], columns, folder, 10, 1 << 13)
        both.append(Sentences(folder))
    return tuple(both)


def test_a_pair_is_written_for_all_places(sides, tmp_path):
    pairs = MinedPairs(np.array([1, 0]), np.array([1, 0]), np.array([1.25, 0.5]))
    more = MinedPairs(np.array([0]), np.array([1]), np.array([0.25]))
    out = str(tmp_path / "out")
    counts = write_pairs(out, [pairs, more], 0.5, sides, Retrieval.MAX, tmp_path, 1)
    first, second = str(tmp_path / "a"), str(tmp_path / "x.tsv")
    assert [line.split("\t") for line in (tmp_path / "out").read_text().split("\n")[:-1]] == [
        ["1.250000", "b", "b", first, "2", second, "2", "8"],
        ["1.250000", "B ", "b", first, "3", second, "2", "8"],
        ["0.500000", "A one", "x", first, "1", second, "1", "7"],
    ]
    assert counts == {"proposed": 3, "pairs": 3, "sentence_pairs": 2, "copies": 2}
    expected = {"files": 1, "lines": 3, "sentences": 2, "searched": 2, "shards": 1}
    assert counted(sides[0], 2) == expected


def test_sides_without_anything_to_compare_are_refused(sides):
    check_searched([(sides[0], "en", 2), (sides[1], "de", 2)], Score.RATIO)
    check_searched([(sides[0], "en", 1)], Score.COSINE)
    with pytest.raises(InputError, match="x.tsv: no line has a word that the model knows"):
        check_searched([(sides[0], "en", 2), (sides[1], "de", 0)], Score.COSINE)
    with pytest.raises(InputError, match="a: one sentence only, and a margin"):
        check_searched([(sides[0], "en", 1)], Score.RATIO)


def test_what_would_be_empty_is_refused(sides, tmp_path):
    pairs = MinedPairs(np.array([1, 0]), np.array([1, 0]), np.array([1.25, 0.5]))
    out = tmp_path / "out"
    problem = "scores 1.300 or more; the highest is 1.250. Lower at_least; nothing is written"
    with pytest.raises(TandemError, match=problem):
        write_pairs(str(out), [pairs], 1.3, sides, Retrieval.MAX, tmp_path, 1)
    with pytest.raises(TandemError, match="no pair has a score"):
        write_pairs(str(out), [], -np.inf, sides, Retrieval.MAX, tmp_path, 1)
    assert not out.exists()
