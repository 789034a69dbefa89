"""Filters, one by one, and their counts."""

import pytest

from tandem.corpora.clean import Cleaning, clean, first_occurrences, markup_share
from tandem.corpora.text import collapse, key, word_count

LOOSE = Cleaning(min_words=1, max_words=1000, max_ratio=1000, max_markup=1.0, copies=True)


def removed(pairs, **settings):
    """Return (pairs kept, the filters that removed any, with their counts)."""
    kept, counts = clean(pairs, Cleaning(**(vars(LOOSE) | settings)))
    assert counts["read"] == len(pairs)
    assert counts["kept"] == len(kept)
    return kept, {name: count for name, count in counts["removed"].items() if count}


@pytest.mark.parametrize(
    ("settings", "good", "bad", "name"),
    [
        ({}, ("a", "b"), ("a", " \u2028 "), "empty"),
        ({"min_words": 2}, ("a b", "c d"), ("a b", "c"), "short"),
        ({"max_words": 2}, ("a b", "c d"), ("a b c", "d"), "long"),
        ({"max_ratio": 2.0}, ("abcd", "ab"), ("ab", "abcde"), "ratio"),
        ({"copies": False}, ("Wi-Fi", "WLAN"), ("Wi-Fi  on", "wi-fi on"), "copy"),
        ({"max_markup": 0.5}, ("Hello {you}", "abc"), ("{you} x", "abc"), "markup"),
        ({}, ("a", "b"), ("a", "b"), "duplicate"),
    ],
)
def test_each_filter_removes_what_it_is_for(settings, good, bad, name):
    assert removed([good, bad], **settings) == ([good], {name: 1})
    # an empty side and an exact repetition have no bound to loosen
    if name not in ("empty", "duplicate"):
        assert removed([bad], **{})[1] == {}


def test_repetitions_may_be_kept():
    assert removed([("a", "b")] * 3, duplicates=True) == ([("a", "b")] * 3, {})


def test_a_pair_is_counted_once_in_the_order_of_the_filters():
    pairs = [("", ""), ("x", "x"), ("x", "x"), ("a  b\n", "c d")]
    kept, counts = removed(pairs, min_words=2, copies=False)
    assert kept == [("a b", "c d")]
    assert counts == {"empty": 1, "short": 2}


def test_a_10_mb_line_is_removed_though_it_is_one_word():
    assert removed([("x" * 10_000_000, "y" * 10_000_000)])[1] == {"long": 1}


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


@pytest.mark.parametrize(
    ("text", "words"), [("one two-three, four", 3), ("", 0), ("我爱你们", 2), ("用Python写", 3)]
)
def test_word_count(text, words):
    assert word_count(text) == words


def test_keys_ignore_case_and_white_space():
    assert key("Straße  A") == key("STRASSE\u2028a")
    assert key("ab") != key("a b")
    assert collapse(" a\u2028\x85b\t\n") == "a b"


def test_first_occurrences():
    import numpy as np

    keys = np.array([7, 3, 7, 3, 9], dtype=np.uint64)
    assert first_occurrences(keys).tolist() == [True, True, False, False, True]
    assert first_occurrences(keys[:0]).tolist() == []
