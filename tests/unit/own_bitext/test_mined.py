"""Mining text in which sentences are repeated, blank, unknown or not translated."""

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.own_bitext.mined import mine
from tandem.search.margins import Retrieval

LANGUAGES = ("en", "de")
ENGLISH, GERMAN = ([f"{language}{n}" for n in range(60)] for language in LANGUAGES)


def rows(found, *columns):
    return [tuple(getattr(pair, column) for column in columns) for pair in found]


@pytest.mark.parametrize("copies", [2, 4, 9])
def test_a_repeated_pair_scores_what_it_scores_once(words, copies):
    once = {pair.first: pair for pair in mine(words, ENGLISH, GERMAN, LANGUAGES, at_least=1.2)}
    # the variants of a sentence that are one to every encoder of Tandem
    variants = ["EN7", " en7", "en7"]
    repeated = [*ENGLISH, *(variants[n % 3] for n in range(copies - 1))]
    german = [*GERMAN, *["de7"] * (copies - 1)]
    found = mine(words, repeated, german, LANGUAGES, at_least=1.2)
    assert {pair.first.strip().lower() for pair in found} == once.keys()
    of_seven = [pair for pair in found if pair.second == "de7"]
    assert {pair.score for pair in of_seven} == {once["en7"].score}
    places = [7, *range(60, 60 + copies - 1)]
    assert rows(of_seven, "source", "target") == [*zip(places, places, strict=True)]
    assert all(repeated[pair.source] == pair.first for pair in found)
    assert all(german[pair.target] == pair.second for pair in found)


@pytest.mark.parametrize("retrieval", [*Retrieval])
def test_all_places_of_one_side_come_back(words, retrieval):
    found = mine(words, [*ENGLISH, "en7", "en7"], GERMAN, LANGUAGES, at_least=1.2,
                 retrieval=retrieval)  # fmt: skip
    times = [(7, 7)] if retrieval is Retrieval.BACKWARD else [(7, 7), (60, 7), (61, 7)]
    assert rows([p for p in found if p.second == "de7"], "source", "target") == times


def test_texts_may_be_arrays_and_generators(words):
    usual = mine(words, ENGLISH, GERMAN, LANGUAGES, at_least=1.2)
    arrays = mine(words, np.array(ENGLISH), np.array(GERMAN), LANGUAGES, at_least=1.2)
    assert usual and arrays == mine(words, iter(ENGLISH), iter(GERMAN), LANGUAGES, at_least=1.2)
    assert rows(arrays, "score", "first", "second") == rows(usual, "score", "first", "second")
    with pytest.raises(TandemError, match="one of the texts is empty"):
        mine(words, np.array([], str), GERMAN, LANGUAGES, at_least=1.2)


def test_blank_and_unknown_sentences_are_in_no_pair(words):
    usual = mine(words, ENGLISH, GERMAN, LANGUAGES, at_least=-9, score="cosine")
    more = ["", "unheard of", "  "]
    found = mine(words, [*more, *ENGLISH, ""], [*GERMAN, *more], LANGUAGES, at_least=-9,
                 score="cosine")  # fmt: skip
    assert rows(found, "score", "first", "second") == rows(usual, "score", "first", "second")
    with pytest.raises(TandemError, match="no sentence of the text has a word that the model"):
        mine(words, ENGLISH, more, LANGUAGES, at_least=0)


def test_a_copy_takes_a_translations_place_unless_copies_are_dropped(words):
    english, german = [*ENGLISH, "name"], [*GERMAN, "Name", "name"]
    found = mine(words, english, german, LANGUAGES, at_least=1)
    assert rows([p for p in found if p.first == "name"], "source", "target") == [(60, 60), (60, 61)]
    kept = mine(words, english, german, LANGUAGES, at_least=1, drop_copies=True)
    assert [pair for pair in kept if pair.second.lower() == "name"] == []
    assert {(p.first, p.second) for p in kept} >= {*zip(ENGLISH, GERMAN, strict=True)}


def test_with_one_candidate_there_is_a_cosine_and_no_margin(words):
    for sides in ((["en1"], ["de1"]), (["en1"], GERMAN), (ENGLISH, ["de1", "DE1", ""])):
        with pytest.raises(TandemError, match="text has one sentence only.*--score cosine"):
            mine(words, *sides, LANGUAGES, at_least=0)
    found, *others = mine(words, ["en1"], ["de1"], LANGUAGES, at_least=0, score="cosine")
    assert not others and 0.5 < found.score < 1


@pytest.mark.parametrize(
    ("asked", "problem"),
    [({"memory_bytes": "2GiB"}, "memory_bytes is '2GiB'"), ({"k": 2.5}, "k is 2.5. Give a whole")],
)
def test_what_is_no_whole_number_is_refused(words, asked, problem):
    with pytest.raises(TandemError, match=problem):
        mine(words, ENGLISH, GERMAN, LANGUAGES, at_least=0, **asked)


def test_half_a_surrogate_pair_is_text_like_another(words):
    found = mine(words, [f"{ENGLISH[0]} \ud800", *ENGLISH[1:]], GERMAN, LANGUAGES, at_least=1.2)
    assert (f"{ENGLISH[0]} \ud800", GERMAN[0]) in rows(found, "first", "second")
