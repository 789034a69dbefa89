"""Which language a code stands for, and how messages list codes."""

import pytest

from tandem.text.languages import listed, meant, remedy, spoken

CODES = ["de", "en", "en-GB", "en-paraphrase", "nb", "pa", "pt-BR", "tr", "zh", "zh-Hant"]


@pytest.mark.parametrize(
    ("code", "other"),
    [
        ("EN", "en"), ("en-US", "en"), ("en_gb", "en-GB"), ("zh-Hans", "zh"), ("no", "nb"),
        ("zh-Hant-TW", "zh-Hant"), ("zh-TW", "zh-Hant"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"),
        ("zh-CN", "zh"), ("cmn-Hant", "zh-Hant"), ("fil-PH", None), ("nb-NO", "nb"),
        ("nds", None), ("en-paraphrase", "en-paraphrase"), ("", None), ("spa", None), ("e", None),
    ],
)  # fmt: skip
def test_a_code_stands_for_a_language_of_other_case_or_region(code, other):
    assert meant(code, CODES) == other


def test_no_code_stands_for_another_script():
    assert meant("zh-CN", ["zh-Hant"]) is meant("sr-Latn", ["sr-Cyrl"]) is None
    assert meant("zh-TW", ["zh-Hant"]) == meant("zh", ["zh-Hant"]) == "zh-Hant"


def test_a_message_gives_a_code_and_a_bounded_list_without_special_text():
    assert "en-paraphrase" not in spoken(CODES)
    many = [f"{a}{b}" for a in "abcd" for b in "wxyz"]
    assert listed(many).endswith("cz and 4 others") and listed(["en-paraphrase"]) != ""
    assert remedy("EN", CODES).endswith(". Give en, which EN stands for")
    assert remedy("tur", CODES).endswith(". Is tr meant?")
    assert remedy("spa", CODES).endswith("tr, zh, zh-Hant. Give one of these")
