"""Intervals of labelled pairs: those that share sentences are drawn as one; and thresholds."""

import numpy as np
import pytest

from tandem.corpora.labelled_files import LabelledText
from tandem.own_bitext.identification import calibrated, measured
from tandem.own_bitext.labelled_division import group_numbers
from tandem.own_bitext.quality import wilson


class Marked:
    """Gives a sentence, `<number> <angle>`, a vector in the direction of the angle."""

    def encode(self, sentences, language=None):
        angles = np.array([float(text.split()[1]) for text in sentences])
        return np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)


def pairs_of(angle, copies=1):
    """Pairs of which some are told wrong; each has its first sentence with several others."""
    random = np.random.default_rng(1)
    pairs = []
    for n in range(120):
        label = int(random.random() < 0.5)
        turned = (angle if label else 1.0) * random.random() + (0 if label else angle)
        pairs += [LabelledText(f"{n} 0", f"{n}-{copy} {turned}", label) for copy in range(copies)]
    return pairs


def width(figures, name):
    return figures[f"{name}_x100"]["high"] - figures[f"{name}_x100"]["low"]


def test_pairs_that_share_sentences_are_drawn_together():
    once, thrice = (measured(Marked(), pairs_of(0.8, n), ("en", "en"), 0.9) for n in (1, 3))
    assert once["groups"] == thrice["groups"] == 120 and thrice["pairs"] == 360
    for name in ("accuracy", "f1", "auc", "average_precision", "equal_error"):
        assert width(thrice, name) == pytest.approx(width(once, name), rel=0.02)
        assert 0 <= once[f"{name}_x100"]["low"] <= once[f"{name}_x100"]["high"] <= 100
    assert 10 < width(once, "accuracy") < 25


def test_where_all_are_right_the_interval_is_of_as_many_groups():
    figures = measured(Marked(), pairs_of(0.2, 3), ("en", "en"), np.cos(0.2))
    low, high = wilson(1.0, 120)
    assert figures["accuracy_x100"] == {"estimate": 100, "low": 100 * low, "high": 100 * high}


def test_negatives_that_were_mined_do_not_make_one_group_of_all():
    pairs = [LabelledText(f"a{n}", f"b{(n + shift) % 40}", int(not shift))
             for n in range(40) for shift in (0, 1)]  # fmt: skip
    assert group_numbers(pairs).tolist() == [n // 2 for n in range(80)]
    assert group_numbers(pairs[::2] + [LabelledText("A3", "c", 0)])[[3, -1]].tolist() == [3, 3]


def test_where_nothing_is_the_same_equal_pairs_are_not_taken():
    class Same:
        def encode(self, sentences, language=None):
            return np.random.default_rng(1).normal(size=(len(sentences), 50)).astype(np.float32)

    pairs = [LabelledText(f"a{n}", f"a{n}", 0) for n in range(30)]
    threshold = calibrated(Same(), pairs, ("en", "en"))
    assert 1 < threshold < 1 + 1e-5
    some = [LabelledText("a", "a", 1), *pairs[:3]]
    assert calibrated(Same(), some[:1], ("en", "en")) <= 1
