"""Choosing languages and the sentences that they share."""

import pytest

from tandem.errors import TandemError
from tandem.languages.selection import choose_languages, paired_rows


def test_the_languages_with_most_text_and_what_all_of_them_have() -> None:
    counts = {"cs": 30, "de": 50, "pl": 30, "fr": 40, "mt": 2}
    chosen = choose_languages(counts, 3)
    assert chosen.languages == ("de", "fr", "cs")  # cs before pl: a tie goes by code
    assert chosen.pairs == 30
    reordered = dict(reversed(counts.items()))
    assert choose_languages(reordered, 3) == chosen


def test_too_few_languages_is_an_error() -> None:
    with pytest.raises(TandemError, match="3 languages were asked for, and 2 of 3 have at least 5"):
        choose_languages({"cs": 30, "de": 50, "mt": 2}, 3, least=5)


def test_paired_rows_point_at_the_same_sentences() -> None:
    english = {"cs": ["b", "a", "c", "a", "d"], "de": ["d", "x", "c", "b", "a"]}
    paired = paired_rows(english, seed=1)
    assert sorted(paired.sentences) == ["a", "b", "c", "d"]
    for code, rows in paired.rows.items():
        assert [english[code][row] for row in rows] == list(paired.sentences)
    position = paired.sentences.index("a")
    assert paired.rows["cs"][position] == 1  # the first of two


def test_paired_rows_depend_on_the_set_and_the_seed_alone() -> None:
    english = {"cs": [f"s{i}" for i in range(50)], "de": [f"s{i}" for i in range(60)]}
    turned = {code: sentences[::-1] for code, sentences in reversed(english.items())}
    first = paired_rows(english, seed=3, limit=20)
    assert first.sentences == paired_rows(turned, seed=3, limit=20).sentences
    assert first.sentences != paired_rows(english, seed=4, limit=20).sentences
    assert first.sentences == paired_rows(english, seed=3, limit=30).sentences[:20]


def test_too_few_shared_sentences_is_an_error() -> None:
    with pytest.raises(TandemError, match="share 1 English sentences, and 2 are needed"):
        paired_rows({"cs": ["a", "b"], "de": ["a", "c"]}, seed=1, limit=2)
    with pytest.raises(TandemError, match="share 0 English sentences, and 1 are needed"):
        paired_rows({}, seed=1)
