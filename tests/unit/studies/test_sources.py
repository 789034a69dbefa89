"""Corpora that a study names by patterns."""

from tandem.studies.sources import matched, with_sources

NAMES = ["verses", "freedict-eng-tur", "freedict-tur-eng", "wordnet"]


def test_patterns_add_and_leave_out():
    assert matched(["verses"], NAMES) == ["verses"]
    assert matched(["wordnet", "freedict-*"], NAMES) == [NAMES[3], *NAMES[1:3]]
    assert matched(["!freedict-*"], NAMES) == ["verses", "wordnet"]
    assert matched(["*", "!wordnet", "!*-eng"], NAMES) == NAMES[:2]
    assert matched(["freedict-*", "freedict-tur-eng"], NAMES) == NAMES[1:3]


def test_what_matches_nothing_stays_to_be_refused():
    assert matched(["quran-*"], NAMES) == ["quran-*"]
    assert matched(["!quran"], NAMES) == [*NAMES, "!quran"]


def test_settings_choose_from_their_collection():
    values = {
        "title": "kept",
        "collections": {"many": {"sources": ["*", "!wordnet"], "whole": {"train": ["freedict-*"]}}},
        "settings": {
            "without": {"corpus": "many", "sources": ["!freedict-*"]},
            "all": {"corpus": "many"},
        },
    }
    filled = with_sources(values, NAMES)
    assert filled["title"] == "kept"
    assert filled["collections"]["many"]["sources"] == NAMES[:3]
    assert filled["collections"]["many"]["whole"] == {"train": NAMES[1:3]}
    assert filled["settings"] == {
        "without": {"corpus": "many", "sources": ["verses"]},
        "all": {"corpus": "many"},
    }


def test_what_is_no_list_of_names_is_left_to_validation():
    for values in ({"collections": 3}, {"collections": {"many": None}, "settings": {"a": 1}}):
        assert with_sources(values, NAMES) == values
    odd = {"collections": {"many": {"sources": [1]}}, "settings": {}}
    assert with_sources(odd, NAMES) == odd
