"""Negatives are mined among all second sentences, each counted once."""

import numpy as np
import pytest

from tandem.own_bitext import hard_negatives
from tandem.own_bitext.hard_negatives import mined


class Angles:
    """Encodes a text that ends in an angle: sentences of like angles are similar."""

    device = "cpu"

    def encode(self, sentences, language=None):
        turned = np.radians([float(text.rsplit("@")[-1]) for text in sentences])
        return np.stack([np.cos(turned), np.sin(turned)], 1).astype(np.float32)


def negatives(pairs, number=1, margin=0.05):
    result = mined(Angles(), pairs, ("en", "en"), number, margin)
    texts = [pairs[place][1] for place in result.negatives]
    return [(row, text) for row, text in zip(result.pairs.tolist(), texts, strict=True)], result


def test_copies_of_what_is_too_near_hide_no_negative():
    near = [(f"q{n}@{180 + n}", "near@5") for n in range(30)]
    rows, _ = negatives([("q@0", "answer@1"), *near, ("p@170", "valid@60")])
    assert rows[0] == (0, "valid@60")


@pytest.mark.parametrize("cells", [1 << 24, 7])
def test_what_is_too_near_hides_no_negative(monkeypatch, cells):
    """Also where hundreds of different sentences are too near."""
    monkeypatch.setattr(hard_negatives, "_CELLS", cells)
    near = [(f"q{n}@{n / 200}", f"near{n}@{n / 200}") for n in range(300)]
    far = [("p@90", "valid@89"), ("r@91", "other@92")]
    rows, _ = negatives([*near, *far], 2)
    assert [text for row, text in rows if row < 300] == ["valid@89", "other@92"] * 300
    cosines = negatives([*near, *far], 2)[1].cosines
    assert (cosines[::2][:300] >= cosines[1::2][:300]).all()


def test_a_pair_that_is_unlike_itself_has_no_negatives():
    pairs = [("a@0", "b@120"), ("c@10", "d@12"), ("e@200", "f@110"), ("g@0", "h@90.01")]
    rows, result = negatives(pairs, 3, 0.05)
    assert result.unlike == 3 and {row for row, _ in rows} == {1}
    rows, result = negatives(pairs[:1] + pairs[2:], 3, 0.05)
    assert rows == [] and result.unlike == 3 and result.cosines.shape == (0,)
