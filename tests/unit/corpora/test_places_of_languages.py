"""Two languages are two places: no text is paired with itself."""

import pytest
from reading import make_zip

from tandem.corpora.files import read_bitext
from tandem.corpora.languages import closest, sides
from tandem.errors import InputError

TEXTS = {"en": "Hello", "en-GB": "Lorry", "en-US": "Truck", "fr": "Salut", "pt-BR": "Trem",
         "pt-PT": "Comboio"}  # fmt: skip


def tmx(folder, marks):
    tuvs = "".join(f'<tuv xml:lang="{m}"><seg>{TEXTS[m]}</seg></tuv>' for m in marks)
    (folder / "t").write_text(f"<tmx><body><tu>{tuvs}</tu></body></tmx>")
    return folder / "t"


def xliff(folder, marks):
    source, target = marks
    (folder / "t").write_text(
        f'<xliff><file source-language="{source}" target-language="{target}"><body><trans-unit>'
        f"<source>{TEXTS[source]}</source><target>{TEXTS[target]}</target></trans-unit></body>"
        "</file></xliff>"
    )
    return folder / "t"


def moses(folder, marks):
    return make_zip(folder / "t", {f"a.{mark}": f"{TEXTS[mark]}\n" for mark in marks})


def table(folder, marks):
    (folder / "t").write_text("\t".join(marks) + "\n" + "\t".join(TEXTS[m] for m in marks) + "\n")
    return folder / "t"


@pytest.mark.parametrize("write", [tmx, xliff, moses, table])
@pytest.mark.parametrize(
    ("marks", "languages", "pair"),
    [
        (("en-GB", "en-US"), ("en", "en-GB"), ("Truck", "Lorry")),
        (("pt-BR", "pt-PT"), ("pt", "pt-BR"), ("Comboio", "Trem")),
        (("pt-BR", "pt-PT"), ("pt-BR", "pt"), ("Trem", "Comboio")),
        (("en-US", "en-GB"), ("en", "en"), ("Truck", "Lorry")),
        (("en-US", "en"), ("en", "en-US"), ("Hello", "Truck")),
        (("fr", "en-GB"), ("en", "fr"), ("Lorry", "Salut")),
    ],
)
def test_each_language_has_a_place_of_its_own(tmp_path, write, marks, languages, pair):
    assert list(read_bitext(write(tmp_path, marks), languages=languages)) == [pair]


@pytest.mark.parametrize("write", [tmx, xliff, moses])
@pytest.mark.parametrize("languages", [("en-GB", "en"), ("en", "en-GB"), ("en", "en")])
def test_a_text_is_not_its_own_translation(tmp_path, write, languages):
    with pytest.raises(InputError, match=r"no unit has en|0 members end in \.en"):
        list(read_bitext(write(tmp_path, ("en-GB", "fr")), languages=languages))


def test_one_member_is_no_two_sides(tmp_path):
    with pytest.raises(InputError, match=r"a\.en is its only member in en and en. Give an archive"):
        list(read_bitext(moses(tmp_path, ("en", "fr")), languages=("en", "en")))


def test_a_member_of_the_spelling_asked_for_is_taken(tmp_path):
    path = make_zip(tmp_path / "t", {"a.EN": "No\n", "a.de": "Eins\n", "a.en": "One\n"})
    assert list(read_bitext(path, languages=("en", "de"))) == [("One", "Eins")]


@pytest.mark.parametrize(
    ("header", "languages", "pair"),
    [
        ("en_GB", ("en", "en-GB"), ("Truck", "Lorry")),
        ("en_GB", ("en-GB", "en"), ("Lorry", "Truck")),
        ("sr@latin", ("en", "sr"), ("Truck", "Lorry")),
        ("sr", ("sr@latin", "en"), ("Lorry", "Truck")),
    ],
)
def test_a_catalogue_s_header_names_the_side_of_its_code(tmp_path, header, languages, pair):
    lines = ['msgid ""', 'msgstr ""', f'"Language: {header}\\n"', "", 'msgid "Truck"']
    (tmp_path / "t.po").write_text("\n".join([*lines, 'msgstr "Lorry"', ""]))
    assert list(read_bitext(tmp_path / "t.po", languages=languages)) == [pair]


def test_places_are_two_or_none():
    assert closest(["en", "en"], ("en", "en")) == (0, 1)
    assert closest(["en"], ("en", "en")) == (0, None)
    assert closest(["en-GB"], ("en", "en-GB")) == (None, 0)
    assert sides(["en-GB", "text"], ("en", "en-GB")) is None
