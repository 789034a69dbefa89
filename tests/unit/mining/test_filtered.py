"""Neighbours that filters refuse, in both directions."""

import numpy as np
import pytest

from tandem.mining.filtered import refuse, refusing
from tandem.mining.sentences import Sentences, cut
from tandem.search.neighbours import NOBODY, Lists

TEXTS = (["a sheep", "Name", "two cows here"], ["ein Schaf", "NAME ", "zwei", "a  Sheep"])
RULES = {"identical": {}, "words": {"minimum": 2}}
KEPT = {(0, 0), (2, 0), (2, 3)}
"""Pairs of numbers that no rule refuses."""


@pytest.fixture
def sides(tmp_path):
    both = []
    for name, lines in zip("ab", TEXTS, strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text").write_text("".join(f"{line}\n" for line in lines))
        cut([str(tmp_path / name / "text")], None, tmp_path / name, 10, 1 << 13)
        both.append(Sentences(tmp_path / name))
    return both


@pytest.mark.parametrize("backward", [False, True])
def test_rules_see_the_first_side_first(sides, backward):
    refuses = refusing(RULES, ["en", "de"], sides, backward, "cpu")
    rows = np.arange(4 if backward else 3)
    everybody = np.append(np.arange(3 if backward else 4), NOBODY)
    indices = np.tile(everybody, (len(rows), 1))
    lists = Lists(indices, np.zeros(indices.shape, np.float32))
    refused = refuse(rows, lists, refuses)
    kept = {tuple(pair) for pair in np.argwhere(~refused[:, :-1]).tolist()}
    assert kept == ({(j, i) for i, j in KEPT} if backward else KEPT)
    assert not refused[:, -1].any()
