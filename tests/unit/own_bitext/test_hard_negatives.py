"""Negatives are mined among all second sentences, each counted once."""

import tracemalloc

import numpy as np
import pytest

from tandem.own_bitext import hard_negatives
from tandem.own_bitext.hard_negatives import StoredPairs, mined
from tandem.search.neighbours import search
from tandem.statistics.cosine import unit_length


class Angles:
    """Encodes a text that ends in an angle: sentences of like angles are similar."""

    device = "cpu"

    def encode_stream(self, sentences, language=None):
        for text in sentences:
            turned = np.radians(float(text.rsplit("@")[-1]))
            yield np.array([[np.cos(turned), np.sin(turned)]], np.float32)


def negatives(pairs, number=1, margin=0.05):
    result = mined(Angles(), pairs, ("en", "en"), number, margin)
    texts = [pairs[place][1] for place in result.negatives]
    return [(row, text) for row, text in zip(result.pairs.tolist(), texts, strict=True)], result


def test_copies_of_what_is_too_near_hide_no_negative():
    near = [(f"q{n}@{180 + n}", "near@5") for n in range(30)]
    rows, _ = negatives([("q@0", "answer@1"), *near, ("p@170", "valid@60")])
    assert rows[0] == (0, "valid@60")


@pytest.mark.parametrize("rows", [1 << 12, 7])
def test_what_is_too_near_hides_no_negative(monkeypatch, rows):
    """Also where hundreds of different sentences are too near."""
    monkeypatch.setattr(hard_negatives, "_ROWS", rows)
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


class Drawn:
    """Encodes a text that is a number by a vector drawn with it, some alike."""

    device = "cpu"

    def __init__(self, dimension=6):
        self.dimension = dimension

    def encode(self, text):
        shared, own = (np.random.default_rng(n) for n in (int(text) % 100, int(text)))
        return (shared.normal(size=self.dimension) + own.normal(size=self.dimension)).astype("f4")

    def encode_stream(self, sentences, language=None):
        for text in sentences:
            yield self.encode(text)[None]


@pytest.mark.parametrize(("number", "margin"), [(1, 0.05), (3, 0.5), (500, 0.0)])
def test_negatives_are_those_of_a_plain_search(monkeypatch, number, margin):
    monkeypatch.setattr(hard_negatives, "_ROWS", 50)
    rng, encoder = np.random.default_rng(5), Drawn()
    pairs = [(str(n), str(rng.choice([n + 100, n + 200]))) for n in range(200)]
    found = mined(encoder, pairs, ("en", "en"), number, margin)
    left, right = (
        unit_length(np.array([encoder.encode(pair[side]) for pair in pairs], np.float64))
        for side in (0, 1)
    )
    same = [{*pair} for pair in pairs]
    for _ in pairs:  # what shares a sentence with it, and with these
        same = [some.union(*(s for s in same if not s.isdisjoint(some))) for some in same]
    expected = []
    for n, (vector, pair) in enumerate(zip(left, pairs, strict=True)):
        cosines, seen, own = right @ vector, {pair[1]}, right[n] @ vector
        for place in np.argsort(-cosines, kind="stable"):
            fit = own > 0 and cosines[place] <= (1 - margin) * own
            if fit and pairs[place][1] not in seen and same[n].isdisjoint(pairs[place]):
                expected.append((n, pairs[place][1]))
                seen.add(pairs[place][1])
            if len(seen) > number:
                break
    told = zip(found.pairs.tolist(), found.negatives.tolist(), strict=True)
    assert [(row, pairs[place][1]) for row, place in told] == expected
    assert len(expected) > 100


def test_vectors_are_not_held_in_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(hard_negatives, "_ROWS", 64)
    pairs = [(str(n), str(n + 5000)) for n in range(500)]
    with open(tmp_path / "pairs", "w+b") as file:
        stored = StoredPairs(iter(pairs), file)
        assert list(stored) == pairs
        search(np.eye(2), np.eye(2), 1)  # what it loads
        tracemalloc.start()
        found = mined(Drawn(16000), stored, ("en", "en"), 2, 0.05)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(found.pairs) and peak < 500 * 16000 * 4, peak


def test_what_says_the_same_is_no_negative():
    class Fixed:
        device = "cpu"

        def encode_stream(self, sentences, language=None):
            angles = {"a": 0.0, "A": 0.0, "b": 0.1, "c": 0.3, "d": 0.6, "e": 0.7}
            turned = np.array([angles[text] for text in sentences])
            yield np.stack([np.cos(turned), np.sin(turned)], 1).astype(np.float32)

    # a and b say the same, and b and c: c is no negative of a
    pairs = [("a", "b"), ("b", "c"), ("d", "e"), ("A", "e")]
    found = mined(Fixed(), pairs[:3], ("en", "en"), 2, 0.0)
    assert list(zip(found.pairs.tolist(), found.negatives.tolist(), strict=True)) == [
        (0, 2), (1, 2), (2, 1), (2, 0),
    ]  # fmt: skip
    # by way of A, which is a but for its case, all are the same
    assert not len(mined(Fixed(), pairs, ("en", "en"), 2, 0.0).pairs)
