"""What cleaning removes whatever the filters, and how it counts."""

from collections import Counter

from tandem.filtering.clean import filter_pairs, report
from tandem.filtering.filter import parse_filters

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
