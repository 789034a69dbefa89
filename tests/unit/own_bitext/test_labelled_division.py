"""Labelled pairs in parts without a sentence in common."""

from tandem.corpora.labelled_files import LabelledText
from tandem.own_bitext.labelled_division import divided


def test_no_sentence_is_in_two_parts():
    pairs = [LabelledText(f"a{n}", f"a{n + 1}" if n % 5 else f"b{n}", n % 2) for n in range(400)]
    parts = divided(pairs, 40, 1)
    texts = [{text for pair in part for text in pair[:2]} for part in parts.values()]
    for number, some in enumerate(texts):
        assert all(some.isdisjoint(other) for other in texts[number + 1 :])
    assert sum(map(len, parts.values())) == 400
    assert all(len(part) <= 40 for name, part in parts.items() if name != "train")


def test_what_shares_sentences_widely_is_held_out_by_its_first_sentences():
    """As negatives that are mined: each second sentence is also the negative of another pair."""
    pairs = [LabelledText(f"a{n}", f"{'B' if shift else 'b'}{(n + shift) % 400}", int(not shift))
             for n in range(400) for shift in (0, 1, 7)]  # fmt: skip
    parts = divided(pairs, 40, 1)
    firsts = [{pair.first for pair in part} for part in parts.values()]
    for number, some in enumerate(firsts):
        assert all(some.isdisjoint(other) for other in firsts[number + 1 :])
    some = ("valid", "calibration", "test")
    held = {text.lower() for name in some for pair in parts[name] for text in pair[:2]}
    assert held.isdisjoint(text.lower() for pair in parts["train"] for text in pair[:2])
    assert all(30 < len(parts[name]) <= 40 for name in some)
    assert len(parts["train"]) > 600
