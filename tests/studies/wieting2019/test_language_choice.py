"""Choosing languages and the sentences that they share."""

import numpy as np
import pytest

from tandem.errors import TandemError
from wieting2019.methods.choice import choose_languages, share_sentences, shared_share


def test_the_languages_with_most_text_and_what_all_of_them_have() -> None:
    counts = {"cs": 30, "de": 50, "pl": 30, "fr": 40, "mt": 2}
    chosen = choose_languages(counts, 3)
    assert chosen == (("de", "fr", "cs"), 30)  # cs before pl: a tie goes by code
    reordered = dict(reversed(counts.items()))
    assert choose_languages(reordered, 3) == chosen


def test_too_few_languages_is_an_error() -> None:
    with pytest.raises(TandemError, match="3 languages were asked for, and 2 of 3 have at least 5"):
        choose_languages({"cs": 30, "de": 50, "mt": 2}, 3, least=5)


def test_every_language_with_enough_and_a_size_given() -> None:
    counts = {"cs": 30, "de": 50, "mt": 2}
    assert choose_languages(counts, None, least=5) == (("de", "cs"), 30)
    assert choose_languages(counts, 2, pairs=20) == (("de", "cs"), 20)
    assert choose_languages(counts, None, pairs=20) == (("de", "cs"), 20)
    with pytest.raises(TandemError, match="1 languages were asked for, and 0 of 3"):
        choose_languages(counts, None, pairs=51)


def keys(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.uint64)


def test_sentences_in_most_languages_come_first() -> None:
    english = {"cs": keys(1, 2, 3, 4), "de": keys(3, 2, 9), "fr": keys(9, 3, 8)}
    chosen = share_sentences(english, pairs=2, seed=1)
    assert [int(own[0]) for own in chosen.values()] == [3, 3, 3]
    assert int(chosen["cs"][1]) == 2  # in two languages, the others in one
    assert int(chosen["de"][1]) in (2, 9)
    assert int(chosen["fr"][1]) == 9


def test_languages_that_share_enough_get_the_same_sentences() -> None:
    common = range(100, 150)
    english = {"cs": keys(*common, *range(40)), "de": keys(*common, *range(40, 90))}
    chosen = share_sentences(english, pairs=50, seed=3)
    assert np.array_equal(chosen["cs"], chosen["de"])
    assert sorted(chosen["cs"].tolist()) == list(common)
    assert shared_share(chosen) == 1.0


def test_the_choice_depends_on_the_sets_and_the_seed_alone() -> None:
    english = {"cs": keys(*range(50)), "de": keys(*range(60))}
    turned = {code: own[::-1] for code, own in reversed(english.items())}
    first = share_sentences(english, pairs=20, seed=3)
    again = share_sentences(turned, pairs=20, seed=3)
    assert all(np.array_equal(first[code], again[code]) for code in english)
    other = share_sentences(english, pairs=20, seed=4)
    assert not np.array_equal(first["cs"], other["cs"])


def test_share_of_sentences_in_another_language_by_hand() -> None:
    # cs-de share 1 of 2, cs-fr and de-fr none of 2
    chosen = {"cs": keys(1, 2), "de": keys(2, 3), "fr": keys(4, 5)}
    assert shared_share(chosen) == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert shared_share({"cs": keys(1)}) == 1.0


def test_too_few_sentences_name_the_language() -> None:
    with pytest.raises(TandemError, match="de has 1 English sentences, and 2 are asked"):
        share_sentences({"cs": keys(1, 2), "de": keys(1)}, pairs=2, seed=1)
