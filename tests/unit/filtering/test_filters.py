"""Filters, one by one: what they keep, bounds, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pytest

from tandem.filtering.filter import FILTERS, parse_filters, settings_of
from tandem.filtering.kinds.bleu import sentence_bleu
from tandem.filtering.kinds.markup import markup_share
from tandem.filtering.kinds.overlap import ngram_overlap
from tandem.filtering.kinds.ratio import MEASURED, usual_ratio
from tandem.registry import ConfigurationError
from tandem.text.tokens import tokens


def test_filters_name_the_files_and_models_that_they_read():
    rules = {
        "ratio": {},
        "costs": {"kind": "numbers", "file": "costs.txt"},
        "likeness": {"kind": "cosine", "model": "many"},
        "fluency": {"kind": "language-model", "model": "lm.arpa", "side": "left"},
    }
    filters = parse_filters(rules, files=True).values()
    inputs = [kind.inputs(lambda name: Path("models", name)) for kind in filters]
    assert inputs == [[], ["costs.txt"], ["models/many"], ["lm.arpa"]]


@pytest.mark.parametrize(
    ("name", "settings", "good", "bad"),
    [
        ("words", {"minimum": 2}, ("a b", "c d"), ("a b", "c")),
        ("words", {"maximum": 2}, ("a b", "c d"), ("a b c", "d")),
        ("ratio", {"maximum": 2.0}, ("abcd", "ab"), ("ab", "abcde")),
        ("identical", {}, ("Wi-Fi", "WLAN"), ("Wi-Fi on", "wi-fi on")),
        ("markup", {"maximum": 0.5}, ("go {a}", "abc"), ("{you} x", "abc")),
        ("overlap", {"maximum": 0.5}, ("a b c", "A d"), ("a b c", "c b")),
        ("overlap", {"order": 2, "minimum": 1}, ("a b c", "b c"), ("a b c", "c b")),
        ("bleu", {"maximum": 0.5}, ("a b c", "d e f"), ("a b c", "a b c")),
    ],
)
def test_each_filter_keeps_what_is_within_its_bounds(name, settings, good, bad):
    kind = parse_filters({name: settings})[name]
    assert kind.keeps(*good) and kind.keeps(*good[::-1])
    assert not kind.keeps(*bad) and not kind.keeps(*bad[::-1])


def test_a_ratio_is_taken_relative_to_the_usual_one():
    kind = parse_filters({"ratio": {"maximum": 2.0, "usual": 0.25}})["ratio"]
    assert kind.score("abcdefgh", "ab") == (1.0,)
    assert kind.score("abcdefgh", "a") == kind.score("abcdefgh", "abcd") == (2.0,)
    assert kind.keeps("abcdefgh", "abcd") and not kind.keeps("abcdefgh", "abcde")
    assert parse_filters({"ratio": {}})["ratio"].score("", "abc") == (3.0,)


def test_the_usual_ratio_is_the_median_of_pairs_with_text():
    pairs = [("abcd", "a"), (" ", "abc"), ("abcd", "ab "), ("abcd", "abcd"), ("a", "")]
    assert usual_ratio(pairs) == 0.5
    assert usual_ratio([]) == usual_ratio([("", "a")]) == 1
    assert usual_ratio(("a", "ab" if n < MEASURED else "a") for n in range(9 * MEASURED)) == 2


def test_the_cosine_filter_loads_its_encoder_from_whoever_filters():
    asked = []

    def open_encoder(model, languages):
        asked.append((model, languages))
        vectors = {"en": [[1, 0], [1, 0]], "de": [[1, 0], [0, 1]]}
        return lambda sentences, language: np.array(vectors[language], np.float32)

    kind = parse_filters({"cosine": {"model": "many"}}, files=True)["cosine"]
    scores = kind.scorer(("en", "de"), open_encoder)
    assert scores([("a", "b"), ("c", "d")]) == [(1.0,), (0.0,)]
    assert asked == [("many", ("en", "de"))]


def test_every_kind_is_one_of_these():
    assert sorted(FILTERS.modules()) == [
        "bleu", "cosine", "identical", "language-model", "markup", "numbers", "overlap", "ratio",
        "words",
    ]  # fmt: skip


def test_one_side_can_be_counted_alone():
    right = parse_filters({"words": {"maximum": 2, "side": "right"}})["words"]
    assert right.sides == ("right",)
    assert right.keeps("a b c", "d") and not right.keeps("d", "a b c")


@pytest.mark.parametrize(
    ("left", "right", "order", "share"),
    [
        ("the cat sat on the mat", "the cat lay on the rug", 1, 4 / 6),
        ("the cat sat on the mat", "the cat lay on the rug", 2, 2 / 5),
        ("the cat sat on the mat", "The cat.", 3, 0),
        ("the the the", "the the", 1, 1),  # as often as in the side that has it less
        ("the cat", "the", 2, 0),  # no n-gram of this order
        ("", "", 1, 0),
    ],
)
def test_overlap_is_of_the_side_with_fewer_ngrams(left, right, order, share):
    assert ngram_overlap(tokens(left), tokens(right), order) == pytest.approx(share)
    assert ngram_overlap(tokens(right), tokens(left), order) == pytest.approx(share)


@pytest.mark.parametrize(
    ("reference", "translation", "bleu"),
    [
        # (4 + 1) / (5 + 1), (2 + 1) / (4 + 1), 1 / 4, 1 / 3; exp(1 - (6 + 1) / 5)
        ("a b c d e f", "a b x d e", (5 / 6 * 3 / 5 / 4 / 3) ** 0.25 * math.exp(1 - 7 / 5)),
        ("a b c", "a b c d", (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),  # no penalty: 4 = 3 + 1
        ("a b", "a b", math.exp(1 - 3 / 2)),  # the penalty is smoothed too
        ("a", "", 0),
    ],
)
def test_bleu_is_smoothed_at_every_order(reference, translation, bleu):
    assert sentence_bleu(reference.split(), translation.split()) == pytest.approx(bleu)


def test_a_filter_may_have_a_name_of_its_own():
    values = {"left": {"kind": "words", "side": "left", "maximum": 2}, "words": {"maximum": 9}}
    filters = parse_filters(values)
    assert [kind.kind for kind in filters.values()] == ["words", "words"]
    assert parse_filters(settings_of(filters)) == filters
    assert settings_of(filters)["left"]["kind"] == "words"


def test_filters_keep_their_order():
    names = ["ratio", "words", "identical"]
    assert list(parse_filters({name: {} for name in names})) == names


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"wrods": {}}, "no filter 'wrods' .did you mean 'words'.*; there are bleu, cosine, "),
        ({"words": {"min": 1}}, "words: unknown key 'min' \\(did you mean 'minimum'"),
        ({"words": {"minimum": 3, "maximum": 2}}, "words: minimum 3 is over maximum 2"),
        ({"words": {"minimum": 0}}, "words.minimum: "),
        ({"ratio": {"maximum": 0.5}}, "ratio.maximum: "),
        ({"markup": {"maximum": 1.5}}, "markup.maximum: "),
        ({"identical": True}, "identical: "),
        ({"ours": {"maximum": 3}}, "no filter 'ours'"),
        ({"cosine": {"model": "many"}}, "cosine: a filter of `tandem filter` only"),
        ({"ours": {"kind": "cosine", "model": "many"}}, "ours: a filter of `tandem filter` only"),
        ({"too short": {"kind": "words"}}, "'too short': a name is one word"),
        ({"too\tshort": {"kind": "words"}}, r"'too.tshort': a name is one word"),
        ({"": {"kind": "words"}}, "'': a name is one word"),
        (["words"], "not a mapping of filters"),
    ],
)
def test_what_is_refused_is_named(values, problem):
    with pytest.raises(ConfigurationError, match=problem):
        parse_filters(values)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("plain words", 0.0),
        ("", 0.0),
        ("{name}", 1.0),
        ("to {name}!", 0.6),
        ("{n, plural, one {# day} other {# days}}", 1.0),
        ("<b>bold</b>", 7 / 11),
        ("see https://example.org/x?y=1", 25 / 29),
        ("mail me@example.org", 14 / 19),
        ("%d of %(all)s", 9 / 13),
        ("5 < 6 and 100 % sure", 0.0),
    ],
)
def test_markup_share(text, share):
    assert markup_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["@" * 250_000, f"{'字' * 200}@" * 1_250], ids=["signs", "blobs"])
def test_the_longest_lines_are_read_in_one_pass(text):
    assert markup_share(text) == 0  # in hours where each sign is tried with every later one
