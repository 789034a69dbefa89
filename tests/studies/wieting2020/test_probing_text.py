"""Probing sets made of held-out text."""

from collections import Counter

import pytest

from tandem.corpora.settings import Bitext
from tandem.errors import InputError, TandemError
from wieting2020.methods import held_out
from wieting2020.methods.held_out import Sentence
from wieting2020.methods.probing_text import (
    ARTICLES,
    Item,
    ProbingText,
    first_mark,
    items_of,
    length_bin,
    lines_of,
    number_of_marks,
    switched,
)


def probe(kind, **changes):
    return ProbingText(**{"kind": kind, "bitext": "x", "training": 60, "held": 15} | changes)


def rows(settings, sentences):
    return [line.split("\t") for line in lines_of(settings, items_of(settings, sentences))]


def test_marks():
    assert number_of_marks("No mark") is None
    assert number_of_marks("a, b; c.") == "3"
    assert number_of_marks("." * 10) == "10"
    assert number_of_marks("." * 12) == "11+"
    assert first_mark("a; b, c") == ";"
    assert first_mark("«a»") is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [(4, None), (5, "5-8"), (8, "5-8"), (9, "9-12"), (28, "25-28"), (29, None)],
)
def test_lengths_are_in_six_bins_of_equal_width(words, expected):
    assert length_bin("w " * words, (5, 28)) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "Le roi vit la maison, un homme.", "La roi vit le maison, une homme."),
        ("fr", "Là, l'une des choses: prends-la", "Là, l'une des choses: prends-la"),
        ("es", "El rey y las casas; los hijos", "La rey y los casas; las hijos"),
        ("es", "Él lo vio", "Él lo vio"),
    ],
)
def test_articles_are_switched_to_the_other_gender(language, text, expected):
    assert switched(text, ARTICLES[language]) == expected


def test_half_of_the_sentences_with_articles_are_incorrect():
    sentences = [Sentence(f"le mot {n}", str(n)) for n in range(40)]
    sentences += [Sentence(f"mot {n}", f"m{n}") for n in range(9)]
    items = items_of(probe("article-gender", side="fr"), sentences)
    assert Counter(item.label for item in items) == {"correct": 20, "incorrect": 20}
    assert all(item.text.startswith("le") == (item.label == "correct") for item in items)


def test_a_sentence_with_exactly_one_of_the_words_has_it_as_its_label():
    texts = ["a a a b", "A b c d", "a c d", "a d b b", "c c"]
    sentences = [Sentence(text, text) for text in texts]
    # by frequency: a, b, c, d
    items = items_of(probe("word-content", ranks=(2, 4)), sentences)
    assert [(item.text, item.label) for item in items] == [("a d b b", "d")]


def test_labels_are_balanced_and_meanings_in_one_part():
    sentences = [Sentence(f"{'w ' * (5 + n % 24)}{n}", str(n // 3)) for n in range(900)]
    lines = rows(probe("length"), sentences)
    counts = Counter((part, label) for part, label, *_ in lines)
    sizes = {part: {n for (p, _), n in counts.items() if p == part} for part in ("tr", "va", "te")}
    assert sizes == {"tr": {10}, "va": {2}, "te": {2}}
    meanings = {sentence.text: sentence.meaning for sentence in sentences}
    parts = {}
    for part, _, text, meaning in lines:
        assert meaning == meanings[text]
        parts.setdefault(meaning, set()).add(part)
    assert {len(names) for names in parts.values()} == {1}
    assert lines == rows(probe("length"), sentences)
    assert lines != rows(probe("length", seed=2), sentences)


def test_a_label_has_at_most_so_many_sentences_in_all_parts():
    sentences = [Sentence(f"{n}{'.' * (1 + n % 2 + n % 5 // 4)}", str(n)) for n in range(600)]
    lines = rows(probe("punctuation-number", training=600, held=150, most=90), sentences)
    assert max(Counter(label for _, label, *_ in lines).values()) == 90
    parts = Counter(part for part, label, *_ in lines if label == "1")
    assert parts == {"tr": 60, "va": 15, "te": 15}


def test_rare_labels_are_left_out_and_too_little_text_is_refused():
    sentences = [Sentence(f"{n},{';' * (n % 2)}", str(n)) for n in range(100)]
    lines = rows(probe("punctuation-number"), [*sentences, Sentence("a...!", "rare")])
    assert {label for _, label, *_ in lines} == {"1", "2"}
    with pytest.raises(TandemError, match="punctuation-number: .* too few"):
        rows(probe("punctuation-number"), sentences[:12])


def settings(**changes):
    how = {"sources": ["a"], "languages": ["en", "fr"], "cleaning": {"words": {"maximum": 4}}}
    return Bitext(**how | {"sections": {"test": ("5",), "valid": ("3",)}} | changes)


def test_held_out_pairs_with_what_they_mean(tmp_path):
    placed = [
        ("5", "a b", "x"), ("5", "a  c", "x"), ("3", "d", "y"), ("3", "d", "y"), ("1", "e", "z"),
        ("5", "far too many words here", "z"), ("5", "f", "w"),
    ]  # fmt: skip
    sources = {"a": placed, "b": [("5", "g", "v"), ("5", "a b", "x"), ("3", "h", "u")]}
    # sections that choose an epoch are left out
    assert held_out.gather(sources, settings(), tmp_path, tmp_path / "h") == 4
    english = held_out.read(tmp_path / "h", 0)
    assert [sentence.text for sentence in english] == ["a b", "a c", "f", "g"]
    assert english[0].meaning == english[1].meaning != english[2].meaning
    assert [sentence.text for sentence in held_out.read(tmp_path / "h", 1)] == ["x", "w", "v"]
    assert [sentence.text for sentence in held_out.read(tmp_path / "h", 0, ("b",))] == ["g"]


def test_without_sections_the_test_split_is_held_out(tmp_path):
    (tmp_path / "test.en").write_text("a\nb\na\n")
    (tmp_path / "test.fr").write_text("x\ny\nx\n")
    assert held_out.gather({}, settings(sections=None), tmp_path, tmp_path / "h") == 2
    assert [sentence.text for sentence in held_out.read(tmp_path / "h", 1)] == ["x", "y"]
    (tmp_path / "h").write_text("1\ta\n")
    with pytest.raises(InputError, match="line 1: 2 columns, not 4"):
        held_out.read(tmp_path / "h", 0)


def test_a_rare_word_bounds_no_part():
    """Words that few sentences have are left out, so that parts have the same, larger labels."""
    counts = {"sheep": 60, "house": 60, "king": 60, "river": 12}
    sentences = [Item(f"{word} {n}", word, f"{word}{n}") for word, count in counts.items()
                 for n in range(count)]  # fmt: skip
    settings = ProbingText(kind="word-content", bitext="en-fr", training=80, held=20)
    lines = [line.split("\t") for line in lines_of(settings, sentences)]
    for part, fewest in (("tr", 60), ("va", 15), ("te", 15)):
        labels = Counter(label for mark, label, *_ in lines if mark == part)
        assert set(labels) == {"sheep", "house", "king"} and labels.total() >= fewest - 6
        assert len({*labels.values()}) == 1
