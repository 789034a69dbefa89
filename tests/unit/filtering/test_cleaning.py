"""What cleaning removes whatever the filters, and how it counts."""

from collections import Counter

import pytest

from tandem.filtering.clean import filter_pairs, report
from tandem.filtering.filter import parse_filters
from tandem.text.spelling import collapse, key, word_count

FILTERS = {"words": {"minimum": 2, "maximum": 9}, "identical": {}}


def removed(pairs, filters):
    """Return (pairs kept, the reasons for which any were removed, with their counts)."""
    cleaning, counts = parse_filters(filters), Counter()
    kept = list(filter_pairs(pairs, cleaning, counts))
    said = report(len(kept), counts, cleaning)
    assert said["read"] == len(pairs)
    assert said["kept"] == len(kept)
    assert list(said["removed"]) == ["empty", "oversized", *filters, "held out", "duplicate"]
    return kept, {name: count for name, count in said["removed"].items() if count}


def test_without_filters_only_sides_without_text_are_removed():
    pairs = [("a", "b"), ("a", " \u2028 "), ("a", "a")]
    assert removed(pairs, {}) == ([("a", "b"), ("a", "a")], {"empty": 1})


def test_a_pair_is_counted_once_in_the_order_of_the_filters():
    pairs = [("", ""), ("x", "x"), ("x y", "X  y"), ("a  b\n", "c d")]
    kept, counts = removed(pairs, FILTERS)
    assert kept == [("a b", "c d")]
    assert counts == {"empty": 1, "words": 1, "identical": 1}
    turned = dict(reversed(FILTERS.items()))
    assert removed(pairs, turned) == (kept, {"empty": 1, "identical": 2})


def test_a_10_mb_line_is_removed_though_it_is_one_word():
    assert removed([("x" * 10_000_000, "y" * 10_000_000)], {})[1] == {"oversized": 1}


@pytest.mark.parametrize(
    ("text", "words"), [("one two-three, four", 3), ("", 0), ("我爱你们", 2), ("用Python写", 3)]
)
def test_word_count(text, words):
    assert word_count(text) == words


def test_keys_ignore_case_and_white_space():
    assert key("Straße  A") == key("STRASSE\u2028a")
    assert key("ab") != key("a b")
    assert collapse(" a\u2028\x85b\t\n") == "a b"
