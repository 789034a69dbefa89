"""The library's own calls: similarity, scoring, filtering, retrieval, calibration, export."""

import math

import numpy as np
import pytest

import tandem
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.exporting.card import Card, model_card
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter

TABLE = np.array([[1, 0], [0, 1], [3, 4], [1, 0], [0, 2]], np.float32)
TOKENS = ["cat", "dog", "bird", "katze", "hund"]
LANGUAGES = ("en", "de")


@pytest.fixture
def encoder():
    segmenter = Segmenter(Words(size=5), TOKENS, dict.fromkeys(LANGUAGES))
    return SentenceEncoder(segmenter, Averaging(dimension=2), TABLE)


def test_one_sentence_has_one_vector(encoder):
    assert encoder.encode("cat dog", "en").tolist() == [0.5, 0.5]
    assert encoder.encode(["cat dog"], "en").tolist() == [[0.5, 0.5]]
    assert [part.tolist() for part in encoder.encode_stream("bird", "en")] == [[[3, 4]]]
    assert encoder.encode("", "en").tolist() == [0, 0]


@pytest.mark.parametrize("wrong", [None, math.nan, 3, b"cat", ["cat"]])
def test_what_is_no_text_is_named_with_its_place(encoder, wrong):
    lines = ["cat"] * 5 + [wrong, "dog"]
    pairs = [("cat", "katze"), ("dog", wrong)]
    for name, call in {
        "sentences[5] is": lambda: encoder.encode(lines, "en"),
        "sentences[1] is": lambda: tandem.similarity(encoder, ["cat"] * 2, pairs[1], LANGUAGES),
        "queries[5] is": lambda: tandem.retrieve(encoder, lines, ["katze"], LANGUAGES),
        "corpus[5] is": lambda: tandem.retrieve(encoder, ["cat"], lines, LANGUAGES),
        "first[5] is": lambda: tandem.mine(encoder, lines, ["katze"], LANGUAGES, at_least=0),
        "second[5] is": lambda: tandem.mine(encoder, ["cat"], lines, LANGUAGES, at_least=0),
        "pairs[1] is": lambda: list(tandem.score(encoder, pairs, LANGUAGES)),
        "pairs[1] is (": lambda: list(tandem.filter(pairs, {"ratio": {}}, LANGUAGES)),
        "pairs[1] is ('dog'": lambda: tandem.calibrate(encoder, pairs, LANGUAGES),
    }.items():
        with pytest.raises(TandemError) as caught:
            call()
        assert str(caught.value).startswith(name)


@pytest.mark.parametrize("text", ["katze hund", b"katze", None])
def test_a_text_is_no_list_of_texts(encoder, text):
    for name, call in {
        "queries": lambda: tandem.retrieve(encoder, text, ["katze"], LANGUAGES),
        "corpus": lambda: tandem.retrieve(encoder, ["cat"], text, LANGUAGES),
        "first": lambda: tandem.mine(encoder, text, ["katze"], LANGUAGES, at_least=0),
        "second": lambda: tandem.mine(encoder, ["cat"], text, LANGUAGES, at_least=0),
    }.items():
        with pytest.raises(TandemError, match=f"^{name} is .*, no list of texts"):
            call()


@pytest.mark.parametrize("pair", ["ab", ("cat",), ("cat", "katze", "1"), None])
def test_what_is_no_pair_is_named_with_its_place(encoder, pair, tmp_path):
    pairs = [("cat", "katze"), pair]
    with pytest.raises(TandemError, match=r"^pairs\[1\] is .*, not two texts"):
        list(tandem.score(encoder, pairs, LANGUAGES))
    with pytest.raises(TandemError, match=r"^pairs\[1\] is .*, not two texts"):
        tandem.train(pairs, LANGUAGES, tmp_path / "model")


def test_similarity_of_two_sentences_and_of_two_lists(encoder):
    assert tandem.similarity(encoder, "bird", "katze", LANGUAGES) == pytest.approx(0.6)
    both = tandem.similarity(encoder, ["bird", "cat"], ("hund", "hund"), LANGUAGES)
    np.testing.assert_allclose(both, [0.8, 0], atol=1e-7)
    assert tandem.similarity(encoder, [], [], LANGUAGES).shape == (0,)
    for first, second in ((["cat"], ["katze", "hund"]), ("cat", ["katze"])):
        with pytest.raises(TandemError, match="are no pairs"):
            tandem.similarity(encoder, first, second, LANGUAGES)


def test_pairs_are_scored_as_they_are_read(encoder):
    pairs = [("cat", "katze"), ("bird", "katze"), ("cat", "hund")]
    scored = list(tandem.score(encoder, iter(pairs), LANGUAGES))
    assert [(row.first, row.second) for row in scored] == pairs
    np.testing.assert_allclose([row.score for row in scored], [1, 0.6, 0], atol=1e-7)
    assert [r.first for r in tandem.score(encoder, pairs, LANGUAGES, at_least=0.5)] == [
        "cat", "bird",
    ]  # fmt: skip
    with pytest.raises(TandemError, match="no calibrated threshold"):
        list(tandem.score(encoder, pairs, LANGUAGES, at_least=None))


def test_pairs_are_filtered(encoder, tmp_path):
    encoder.save(tmp_path / "model")
    pairs = [("a  cat", "die katze"), ("cat", "hund"), ("cat", ""), ("dog\there", "hund")]
    words = {"words": {"minimum": 2}}
    assert list(tandem.filter(pairs, words, LANGUAGES)) == [("a cat", "die katze")]
    near = {"near": {"kind": "cosine", "model": str(tmp_path / "model"), "minimum": 0.9}}
    assert list(tandem.filter(pairs, near, LANGUAGES)) == [
        ("a cat", "die katze"), ("dog here", "hund"),
    ]  # fmt: skip
    with pytest.raises(TandemError, match="ratio"):
        list(tandem.filter(pairs, {"ratio": {"maximum": "x"}}, LANGUAGES))


def test_the_nearest_of_a_corpus(encoder):
    corpus = ["hund", "katze", "katze hund"]
    hits = tandem.retrieve(encoder, ["cat", "", "dog"], corpus, LANGUAGES, k=2)
    assert [[(hit.place, hit.text) for hit in row] for row in hits] == [
        [(1, "katze"), (2, "katze hund")], [], [(0, "hund"), (2, "katze hund")],
    ]  # fmt: skip
    assert hits[0][1].score == pytest.approx(1 / math.sqrt(5))
    assert [len(row) for row in tandem.retrieve(encoder, ["cat"], corpus, LANGUAGES, k=9)] == [3]
    assert tandem.retrieve(encoder, [], corpus, LANGUAGES) == []
    with pytest.raises(TandemError, match="the corpus is empty"):
        tandem.retrieve(encoder, ["cat"], [], LANGUAGES)


def test_thresholds_are_calibrated_and_kept(encoder, tmp_path):
    weights = [f"{'cat ' * a}{'dog ' * b}" for a in range(9) for b in range(9) if a + b]
    pairs = [(text, text.replace("cat", "katze").replace("dog", "hund")) for text in weights]
    quality = tandem.calibrate(encoder, iter(pairs), LANGUAGES)
    assert 0.9 < quality["thresholds"]["cosine"] <= 1
    assert quality["languages"] == list(LANGUAGES)
    assert not any(text in repr(quality) for pair in pairs for text in pair)  # it may be private
    encoder.save(tmp_path / "model")
    again = SentenceEncoder.load(tmp_path / "model")
    kept = list(tandem.score(again, pairs, LANGUAGES, at_least=None))
    assert 0.8 * len(pairs) < len(kept) <= len(pairs)
    with pytest.raises(TandemError, match="2 different pairs are too few"):
        tandem.calibrate(encoder, pairs[:2] * 9, LANGUAGES)


def test_the_card_of_a_calibrated_encoder_names_the_calibrations_languages(encoder):
    pairs = [(f"{'katze ' * a}hund", f"{'cat ' * a}dog") for a in range(1, 40)]
    assert "languages" not in encoder.metadata  # it was not trained by `train`
    tandem.calibrate(encoder, pairs, ("de", "en"))
    assert "held-out pairs, de-en |" in model_card(encoder, Card("Cats"), "")
    encoder.metadata["languages"] = ["en", "de"]
    assert "held-out pairs, de-en |" in model_card(encoder, Card("Cats"), "")
    del encoder.metadata["quality"]["languages"]  # those of training, as `train` stores them
    assert "held-out pairs, en-de |" in model_card(encoder, Card("Cats"), "")
    del encoder.metadata["languages"]
    assert "held-out pairs |" in model_card(encoder, Card("Cats"), "")


def test_export_writes_what_sentence_transformers_loads(encoder, tmp_path):
    folders = tandem.export(encoder, tmp_path / "out", name="Cats", corpora=[("mine", "CC0-1.0")])
    assert folders == {"de": tmp_path / "out", "en": tmp_path / "out"}
    card = (tmp_path / "out" / "README.md").read_text()
    assert "Cats" in card and "CC0-1.0" in card
    with pytest.raises(TandemError, match="is there already"):
        tandem.export(encoder, tmp_path / "out")
    tandem.export(encoder, tmp_path / "out", precision="float16", overwrite=True)


def test_the_lowest_cosine_may_be_that_of_the_calibration(encoder):
    pairs = [("cat", "katze"), ("cat", "hund")]
    with pytest.raises(TandemError, match="no calibrated threshold for the cosine"):
        list(tandem.score(encoder, pairs, LANGUAGES, at_least="auto"))
    encoder.metadata["languages"] = ["en", "de"]
    encoder.metadata["quality"] = {"thresholds": {"cosine": 0.5, "ratio": 1.85}}
    for least, count in (("auto", 1), (None, 1), (0.5, 1), (-1, 2)):
        kept = list(tandem.score(encoder, pairs, LANGUAGES, at_least=least))
        assert [pair[1:] for pair in kept] == pairs[:count]
    sides = ["cat", "dog", "bird"], ["katze", "hund"]
    mined = [tandem.mine(encoder, *sides, LANGUAGES, at_least=x) for x in ("auto", None, 1.85)]
    assert mined[0] == mined[1] == mined[2] == tandem.mine(encoder, *sides, LANGUAGES)
    assert [pair.first for pair in mined[0]] == ["cat"]
    for wrong in ("best", math.nan):
        with pytest.raises(TandemError, match='Give a number, or "auto"'):
            tandem.mine(encoder, *sides, LANGUAGES, at_least=wrong)
        with pytest.raises(TandemError, match='Give a number, or "auto"'):
            list(tandem.score(encoder, pairs, LANGUAGES, at_least=wrong))


def test_blank_sides_are_not_scored_and_not_calibrated_on(encoder):
    pairs = [("", ""), ("cat", "katze"), (" ", "hund"), ("dog", "\u3000"), ("bird", "?")]
    scored = list(tandem.score(encoder, pairs, LANGUAGES))
    assert scored == [(1.0, "cat", "katze"), (0.0, "bird", "?")]
    texts = [("cat " * n + "dog", "katze " * n + "hund") for n in range(1, 40)]
    quality = tandem.calibrate(encoder, texts, LANGUAGES)
    blank = [("", f"{'katze ' * n}") for n in range(1, 40)]
    assert tandem.calibrate(encoder, [*blank, *texts], LANGUAGES) == quality


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"languages": ["en", "fr"]}, "those that it has are for en fr"),
        ({"languages": ["en", "fr"], "dimension_before": 9}, "those that it has are for en fr"),
        ({"languages": ["en", "fr"], "empty": 1}, "it was not trained by tandem train"),
        ({"languages": ["en", "de"], "empty": 1}, "of the pairs to calibrate on too many had no"),
    ],
)
def test_why_there_is_no_threshold_is_said(encoder, metadata, reason):
    limits = {} if metadata.pop("empty", None) else {"cosine": 0.5}
    encoder.metadata |= metadata | {"quality": {"thresholds": limits}}
    with pytest.raises(TandemError, match=f"for the cosine.*: {reason}"):
        list(tandem.score(encoder, [("cat", "katze")], LANGUAGES, at_least="auto"))
