"""The definition of a token, in every script, over every code point."""

from __future__ import annotations

import unicodedata

import pytest

from tandem.segmentation.stock_tokenizer import normalizer, spaced, splitter
from tandem.text.tokens import Roles, normalised, split, tokens

ASSIGNED = [
    chr(code)
    for code in range(0x110000)
    if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn"
]
# of Unicode 12.1 to 14; the tables of the `tokenizers` library are of Unicode 12
YOUNG = {0x32FF, 0xA7F2, 0xA7F3, 0xA7F4, 0xAB69, 0x1F16C}
YOUNG |= {*range(0x10781, 0x107BB), *range(0x1FBF0, 0x1FBFA)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't STOP:  it's 3.5%", "don ' t stop : it ' s 3 . 5 %"),
        ("snake_case, e-mail: a@b.c", "snake_case , e - mail : a @ b . c"),
        ("ΟΔΥΣΣΕΥΣ Σ", "οδυσσευσ σ"),  # no final sigma: a letter does not look at its neighbours
        ("İ ẞ ﬁ Ⅷ ℂ x² ½", "i̇ ß fi viii c x2 1 ⁄ 2"),
        ("e\u0301t\u00e9", "été"),
        ("परमेश्‍वर ने कहा।", "परमेश्‍वर ने कहा ।"),
        ("ঈশ্বর তাঁর পুত্রকে দান করলেন।", "ঈশ্বর তাঁর পুত্রকে দান করলেন ।"),
        ("بِسْمِ اللَّهِ، می‌خواهم", "بِسْمِ اللَّهِ ، می‌خواهم"),
        ("神爱世人，甚至把他的独生子", "神爱世人 , 甚至把他的独生子"),
        ("「いいね」と言った。", "「 いいね 」 と言った 。"),
        ("แมวนั่งอยู่บนพรม และสุนัข", "แมวนั่งอยู่บนพรม และสุนัข"),
        ("a\u00adb\u200bc\u2028d\x01e\u3000f", "a b c d e f"),  # what cannot be seen separates
        ("❤\ufe0f \u0301 \u200d =\u0301x 👨\u200d👩", "❤ = x 👨 👩"),  # so do marks without a word
        ("▁a▁", "a"),  # the sign of SentencePiece for a space
        ("", ""),
    ],
)
def test_tokens_of_each_script(text, expected):
    assert tokens(text) == unicodedata.normalize("NFKC", expected).split()


def test_lower_case_is_pythons_letter_by_letter():
    found = normalised("\n".join(ASSIGNED)).split("\n")
    plain = "".join(ASSIGNED).replace("\n", "")
    assert normalised(plain).count("\n") == 0
    for character, lowered in zip(plain, (f for f in found if f), strict=True):
        if unicodedata.is_normalized("NFKC", character):
            assert lowered == character.lower()


def test_normalising_twice_changes_nothing():
    once = normalised("\n".join(ASSIGNED))
    assert normalised(once) == once


def test_a_character_outside_the_alphabet_divides_a_word():
    known = Roles("abé.")
    assert split("abxéb .!x a\u0301b", known) == ["ab", "éb", ".", "a", "b"]


def test_a_spaced_text_is_its_tokens_for_every_code_point():
    for start in range(0, len(ASSIGNED), 500):
        text = " ".join(f"a{c}b =\u0338{c} {c}\u0301x" for c in ASSIGNED[start : start + 500])
        found = normalised(text)
        for step in spaced():
            found = step.normalize_str(found)
        assert found == " ".join(tokens(text))


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="YOUNG is of Unicode 14")
def test_every_code_point_has_the_tokens_of_the_library():
    rules, by = normalizer(), splitter()
    for around in ("a{}b", "={}\u0301x"):
        for character in ASSIGNED:
            if ord(character) not in YOUNG:
                text = around.format(character)
                theirs = by.pre_tokenize_str(rules.normalize_str(text))
                assert tokens(text) == [token for token, _ in theirs], ascii(text)


def test_a_character_newer_than_the_tables_is_a_mark():
    unassigned = "\U000e0fff"
    assert tokens(f"a{unassigned}b") == ["a", unassigned, "b"]
