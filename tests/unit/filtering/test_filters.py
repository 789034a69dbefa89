"""Filters, one by one: what they keep, bounds, and what is refused."""

import pytest

from tandem.filtering import FILTERS, parse_filters
from tandem.filtering.markup import markup_share
from tandem.registry import ConfigurationError


@pytest.mark.parametrize(
    ("name", "settings", "good", "bad"),
    [
        ("words", {"minimum": 2}, ("a b", "c d"), ("a b", "c")),
        ("words", {"maximum": 2}, ("a b", "c d"), ("a b c", "d")),
        ("ratio", {"maximum": 2.0}, ("abcd", "ab"), ("ab", "abcde")),
        ("identical", {}, ("Wi-Fi", "WLAN"), ("Wi-Fi on", "wi-fi on")),
        ("markup", {"maximum": 0.5}, ("go {a}", "abc"), ("{you} x", "abc")),
    ],
)
def test_each_filter_keeps_what_is_within_its_bounds(name, settings, good, bad):
    kind = parse_filters({name: settings})[name]
    assert kind.keeps(*good) and kind.keeps(*good[::-1])
    assert not kind.keeps(*bad) and not kind.keeps(*bad[::-1])


def test_every_kind_is_one_of_these():
    assert sorted(FILTERS.modules()) == ["identical", "markup", "ratio", "words"]


def test_filters_keep_their_order():
    names = ["ratio", "words", "identical"]
    assert list(parse_filters({name: {} for name in names})) == names


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"wrods": {}}, "no filter 'wrods' \\(did you mean 'words'\\?\\); there are identical"),
        ({"words": {"min": 1}}, "words: unknown key 'min' \\(did you mean 'minimum'"),
        ({"words": {"minimum": 3, "maximum": 2}}, "words: minimum is over maximum"),
        ({"words": {"minimum": 0}}, "words.minimum: "),
        ({"ratio": {"maximum": 0.5}}, "ratio.maximum: "),
        ({"markup": {"maximum": 1.5}}, "markup.maximum: "),
        ({"identical": True}, "identical: "),
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
