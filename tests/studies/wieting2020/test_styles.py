"""Styles: versions of verses, triples to restyle, and the scores of outputs."""

from pathlib import Path

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from wieting2020.methods import styles, transfer
from wieting2020.methods.styles import Classifier, Styles, Triple, draw_triples

WORDS = "king house river people word son city hand day land servant field".split()


class Bags:
    """Vectors that count words."""

    def encode(self, sentences, language=None, batch_size=1024):
        return np.array([[text.split().count(word) for word in WORDS] for text in sentences], float)


def verses(count=120, versions=("en", "en-kjv", "en-basic")):
    """Verses of ten a book, five a chapter; a version has its own words around the same nouns."""
    rng, made = np.random.default_rng(1), {}
    around = {
        "en": "and the {} saw {}", "en-kjv": "lo the {} beheld {}", "en-basic": "so a {} has {}",
    }  # fmt: skip
    for n in range(count):
        nouns = rng.choice(WORDS, 2).tolist()
        place = f"{n // 10 + 1}.{n % 10 // 5 + 1}.{n % 5 + 1}"
        made[place] = {version: around[version].format(*nouns) for version in versions}
    return made


def settings(**changes):
    how = {"dataset": "x", "versions": ["en", "en-kjv", "en-basic"], "triples": 60, "training": 60}
    return Styles(**how | {"sections": {"valid": ("3",), "test": ("5", "7")}} | changes)


@pytest.fixture(scope="module")
def classifier():
    labels, texts = styles._labelled(verses().values())
    return Classifier.learn(texts, labels, 1)


def test_a_book_is_in_one_split():
    sections = settings().sections
    places = ("3.1.1", "5.2.9", "53.1.1", "1.5.3")
    assert [styles.split_of(p, sections) for p in places] == ["valid", "test", "train", "train"]


def test_triples_are_of_every_ordered_pair_and_of_different_places():
    text = verses()
    triples = draw_triples(text, settings())
    pairs = [(triple.source_version, triple.style_version) for triple in triples]
    assert {pairs.count(pair) for pair in pairs} == {10}
    assert len(set(pairs)) == 6
    for triple in triples:
        assert triple.source == text[triple.place][triple.source_version]
        assert triple.reference == text[triple.place][triple.style_version]
        manner = next(v for v in text.values() if triple.style == v[triple.style_version])
        third = {"en", "en-kjv", "en-basic"} - {triple.source_version, triple.style_version}
        assert triple.other == manner[third.pop()]
    assert triples == draw_triples(text, settings())
    assert triples != draw_triples(text, settings(seed=2))


def test_of_two_versions_the_third_is_the_source():
    text = verses(versions=("en", "en-kjv"))
    for triple in draw_triples(text, settings(versions=["en", "en-kjv"])):
        assert triple.other in {verse[triple.source_version] for verse in text.values()}


def test_a_verse_with_the_same_words_in_both_versions_is_no_triple():
    text = {place: {"en": "a b", "en-kjv": "A  b"} for place in verses()}
    with pytest.raises(TandemError, match="120 held-out verses give 0 triples en-en-kjv, not 30"):
        draw_triples(text, settings(versions=["en", "en-kjv"]))


def test_the_classifier_tells_versions_and_is_stored(classifier, tmp_path):
    texts = ["And the KING saw house", "lo the word beheld day", "so a son has hand"]
    assert classifier.told(texts) == ["en", "en-kjv", "en-basic"]
    assert np.allclose(classifier.probabilities(texts).sum(1), 1)
    classifier.save(tmp_path / "c.npz")
    stored = Classifier.load(tmp_path / "c.npz")
    assert stored.versions == classifier.versions
    assert np.array_equal(stored.probabilities(texts), classifier.probabilities(texts))


def test_two_versions_have_the_probability_of_one_logistic_function():
    from sklearn.linear_model import LogisticRegression

    labels, texts = styles._labelled(verses(40, ("en", "en-kjv")).values())
    two = Classifier.learn(texts, labels, 1)
    model = LogisticRegression(C=3, max_iter=200, tol=1e-3).fit(styles._features(texts), labels)
    expected = model.predict_proba(styles._features(texts))
    assert np.allclose(two.probabilities(texts), expected, atol=1e-5)


def test_copies_are_the_floor_and_true_verses_the_ceiling(classifier):
    triples = draw_triples(verses(), settings())
    scored = {
        name: transfer.score(outputs, triples, classifier, Bags())
        for name, outputs in transfer.controls(triples).items()
    }
    figures = {
        name: {unit: transfer.estimate(items, unit) for unit in transfer.UNITS}
        for name, items in scored.items()
    }
    assert figures["copy"]["style"] == 0
    assert figures["copy"]["meaning"] == pytest.approx(100)
    assert figures["style"]["style"] == figures["reference"]["style"] == 100
    assert figures["style"]["meaning"] < figures["reference"]["meaning"] == pytest.approx(100)
    # another source is as near to a copy as the style is to the source, and says what chance is
    assert figures["copy"]["mismatch"] < 40 < figures["copy"]["meaning"]
    assert figures["reference"]["bleu"] == pytest.approx(100)
    assert figures["copy"]["bleu"] < 50


def test_bleu_is_that_of_sacrebleu():
    import sacrebleu

    outputs = ["the king saw the house .", "a word , and a day", "lo"]
    references = ["the king saw a house .", "a word and the day was good", "so be it"]
    places = ("1.1.1", "1.1.2", "1.1.2")
    pairs = zip(places, references, strict=True)
    triples = [Triple(place, "en", "en", "x", "y", text, "z") for place, text in pairs]
    only = Classifier(["en"], np.zeros((1, 1 << 17)), np.zeros(1))
    items = transfer.score(outputs, triples, only, Bags())
    whole = sacrebleu.BLEU(tokenize="none").corpus_score(outputs, [references]).score
    assert transfer.estimate(items, "bleu") == pytest.approx(whole)


def test_draws_are_around_the_figure_and_the_same_items_for_all(classifier):
    triples = draw_triples(verses(), settings())
    mixed = [triple.source if n % 3 else triple.reference for n, triple in enumerate(triples)]
    items = transfer.score(mixed, triples, classifier, Bags())
    for unit in transfer.UNITS:
        drawn = transfer.draws([items, items], unit, 200, 1)
        assert np.array_equal(drawn[0], drawn[1])
        assert drawn[0].min() < transfer.estimate(items, unit) <= drawn[0].max()
        assert not np.array_equal(drawn[0], transfer.draws([items], unit, 200, 2)[0])


def test_an_output_for_each_triple(classifier):
    with pytest.raises(TandemError, match="1 outputs for 2 triples"):
        triples = [Triple("1.1.1", "en", "en", "x", "y", "z", "y")] * 2
        transfer.score(["x"], triples, classifier, Bags())


def test_what_is_written_is_read(tmp_path):
    text, triples = verses(), draw_triples(verses(), settings())
    styles.write_verses(tmp_path / "v", text)
    assert styles.read_verses(tmp_path / "v") == text
    styles.write_triples(tmp_path / "t", triples)
    assert styles.read_triples(tmp_path / "t") == triples
    Path(tmp_path / "t").write_text("1.1.1\ta\n")
    with pytest.raises(InputError, match="line 1: 2 columns, not 7"):
        styles.read_triples(tmp_path / "t")


class Dataset:
    def sections(self, path, source, targets):
        for target in targets:
            rows = [(p, v[source], v[target]) for p, v in verses().items() if p != "1.1.1" or
                    target == "en-kjv"]  # fmt: skip
            yield target, [*rows, ("2.1.1", "long " * 30, "long")]


def test_the_folder_of_styles(tmp_path):
    about = styles.build(Dataset(), Path("x"), settings(triples=30), tmp_path)
    train, valid, test = (
        styles.read_verses(tmp_path / f"{split}.tsv") for split in ("train", "valid", "test")
    )
    # what a version lacks, and what is too long, is left out
    assert [len(split) for split in (train, valid, test)] == [88, 10, 20]
    assert {place.split(".")[0] for place in test} == {"5", "7"}
    assert about["training"] == 180
    assert about["test"]["accuracy_x100"] == 100
    places = {triple.place for triple in styles.read_triples(tmp_path / "triples.tsv")}
    assert places <= set(test)


def test_another_source_is_always_of_another_verse():
    groups = np.array([0, 0, 1, 1, 1, 2, 0])
    others = transfer._elsewhere(groups)
    assert others.tolist() == [2, 2, 5, 5, 5, 6, 2]
    with pytest.raises(TandemError, match="all triples are of one verse"):
        transfer._elsewhere(np.zeros(3, int))


def test_triples_of_one_verse_are_drawn_together(classifier):
    """What six triples of a verse have in common is there once."""
    triples = draw_triples(verses(10), settings(triples=60))
    places = sorted({triple.place for triple in triples})
    right = {place: n % 2 == 0 for n, place in enumerate(places)}
    mixed = [t.reference if right[t.place] else t.source for t in triples]
    items = transfer.score(mixed, triples, classifier, Bags())
    drawn = transfer.draws([items], "style", 2000, 1)[0]
    assert drawn.std() == pytest.approx(50 / len(places) ** 0.5, rel=0.1)
    bleu = transfer.draws([items, items], "bleu", 20, 1)
    assert np.array_equal(bleu[0], bleu[1]) and bleu.std() > 0
