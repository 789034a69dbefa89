"""What counts as the same text, as a word, a plain line and a language."""

import pytest

from tandem.errors import InputError
from tandem.text import language_of
from tandem.text.spelling import bare_key, collapse, exact_key, key, plain, word_count


@pytest.mark.parametrize(
    ("text", "words"), [("one two-three, four", 3), ("", 0), ("我爱你们", 2), ("用Python写", 3)]
)
def test_word_count(text, words):
    assert word_count(text) == words


def test_white_space_of_every_kind_collapses():
    assert collapse(" a\u2028\x85b\t\n") == "a b"


def test_keys_ignore_case_and_white_space():
    assert key("Straße  A") == key("STRASSE\u2028a")
    assert key("ab") != key("a b")
    assert key("a, b") != key("a b")


def test_bare_keys_ignore_punctuation_too():
    assert bare_key("“Straße”, a!") == bare_key("strasse A") == bare_key("STRASSE--A")
    assert bare_key("ab") != bare_key("a b")
    assert bare_key("कि") != bare_key("क")  # a vowel sign is no punctuation


def test_exact_keys_ignore_nothing():
    assert len({exact_key(text) for text in ("a b", "A b", "a  b", "a b.")}) == 4
    assert 0 <= exact_key("a") < 2**64


@pytest.mark.parametrize("text", ["a\0b", "a\ud800"])
def test_what_no_text_file_can_hold_is_refused(text):
    with pytest.raises(InputError, match="memory.tmx"):
        plain(text, "memory.tmx")
    assert plain(" a\n b", "memory.tmx") == "a b"


@pytest.mark.parametrize(
    ("code", "language"), [("pt-BR", "pt"), ("sr-Latn", "sr"), ("en-kjv", "en"), ("en", "en")]
)
def test_language_of_a_code(code, language):
    assert language_of(code) == language
