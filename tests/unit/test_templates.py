"""Templates: what they stand for, and what is refused."""

import re

import pytest

from tandem.registry import ConfigurationError
from tandem.templates import expanded, filled


def test_each_mapping_makes_an_entry_where_the_template_stands():
    entries = {
        "before": {"size": "{not} filled"},
        "to-{language}": {
            "each": [{"language": "fr", "reader": "a"}, {"language": "de", "reader": "b"}],
            "label": "To {language}, {language}",
            "readers": {"{reader}": ["{language}", 1, None]},
        },
        "after": None,
    }
    assert expanded(entries) == {
        "before": {"size": "{not} filled"},
        "to-fr": {"label": "To fr, fr", "readers": {"a": ["fr", 1, None]}},
        "to-de": {"label": "To de, de", "readers": {"b": ["de", 1, None]}},
        "after": None,
    }
    assert list(expanded(entries)) == ["before", "to-fr", "to-de", "after"]


def test_lists_make_an_entry_for_every_combination():
    template = {"each": {"language": ["fr", "de"], "pairs": [10, 20]}, "pairs": "{pairs}"}
    entries = expanded({"{language}-{pairs}": template})
    pairs = {name: entry["pairs"] for name, entry in entries.items()}
    assert pairs == {"fr-10": 10, "fr-20": 20, "de-10": 10, "de-20": 20}


def test_a_name_in_braces_alone_becomes_the_value_itself():
    values = {"none": None, "list": [1], "text": "x"}
    assert filled(["{none}", "{list}", "{text}"], values) == [None, [1], "x"]
    assert filled("{none} {list} {text}", values) == "None [1] x"


def test_braces_that_hold_no_name_stay():
    assert filled("[0-9a-f]{32} {} {x}", {"x": 1}) == "[0-9a-f]{32} {} 1"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"{x}": {"each": [{"y": 1, "z": 1}]}}, "{x}: no 'x' to put in braces; there are y, z"),
        ({"a": {"each": [{}], "b": ["{x}"]}}, "a: no 'x' to put in braces"),
        ({"a": {"each": [{}, {}]}}, "a: another entry is named a. Rename one"),
        ({"a1": {}, "a{x}": {"each": {"x": [1]}}}, "a{x}: another entry is named a1. Rename one"),
        ({"a": {"each": 3}}, "a: `each` needs a list of mappings, or a mapping of lists"),
        ({"a": {"each": {"x": "fr"}}}, "a: `each` needs a list of mappings"),
        ({"a": {"each": ["fr"]}}, "a: `each` needs a list of mappings"),
    ],
)
def test_what_is_refused_is_named(entries, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        expanded(entries)
