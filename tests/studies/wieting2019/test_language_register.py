"""The register of languages: complete, sound, and refusing what is not."""

from pathlib import Path

import pytest
import yaml

from tandem.errors import InputError, TandemError
from wieting2019.methods.register import read_register

REGISTER = Path(__file__).parents[3] / "workflow/studies/wieting2019/languages.yaml"

# Every code with over 1,000 distinct (English, other) strings in the translations of
# homeassistant 2026.11.0 and home-assistant-frontend 20261028.6, English itself left out
CATALOGUES = """
    af ar bg bn bs ca cs cy da de el eo es es-419 et eu fa fi fr fy ga gl gsw he hi hr hu hy id is
    it ja ka ko lb lt lv mk ml nb ne nl nn no pl pt pt-BR ro ru sk sl sq sr sr-Latn sv ta te th tr
    uk ur vi zh-Hans zh-Hant
""".split()
VERSES = "ar bn de es fa fr hi id it ja ko pl pt ro ru sw tl tr uk vi zh".split()
OPENSUBTITLES = """
    af ar bg bn br bs ca cs da de el eo es et eu fa fi fr gl he hi hr hu hy id is it ja ka kk ko lt
    lv mk ml ms nl no pl pt pt_br ro ru si sk sl sq sr sv ta te th tl tr uk ur vi zh_cn zh_tw
""".split()


def write(path: Path, languages: list[dict], scripts: dict | None = None) -> Path:
    """Write a register with these entries."""
    content = {"scripts": scripts or {"Latn": "Latin"}, "languages": languages}
    path.write_text(yaml.safe_dump(content))
    return path


def entry(**changes: object) -> dict:
    """Return a valid entry with changes."""
    french = {"code": "fr", "name": "French", "iso639_3": "fra", "script": "Latn"}
    return french | {"family": "Indo-European"} | changes


@pytest.mark.parametrize("code", sorted({*CATALOGUES, *VERSES, *OPENSUBTITLES}))
def test_every_language_of_the_corpora_is_registered(code: str) -> None:
    language = read_register(REGISTER)[code]
    assert language.name and language.script_group and len(language.iso639_3) == 3


def test_the_register_says_what_codes_mean() -> None:
    register = read_register(REGISTER)
    norwegian = register["nb"]
    assert (norwegian.iso639_3, norwegian.uriel) == ("nob", "nor")
    assert register["no"].name == "Norwegian"  # not YAML's false
    assert register["pt_br"] is register["pt-BR"] is not register["pt"]
    assert register["zh_cn"].code == register["zh"].code == "zh-Hans"
    assert register["sr"].script_group == "Cyrillic" != register["sr-Latn"].script_group
    assert [language.code for language in register if language.isolate] == ["eu"]
    assert register.script_groups[0] == "Latin" and len(register.script_groups) == 6
    assert "xx" not in register and "cs" in register


def test_an_unknown_code_names_the_remedy() -> None:
    with pytest.raises(TandemError, match=r"'xx' is not in .*languages.yaml: add its ISO 639-3"):
        read_register(REGISTER)["xx"]


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([entry(), entry(name="Frans")], "both claim 'fr'"),
        ([entry(), entry(code="de", name="German", aliases=["FR"])], "both claim 'fr'"),
        ([entry(), entry(code="de")], "both named 'French'"),
        ([entry(script="Cyrl")], "script 'Cyrl' has no group"),
        ([entry(iso639_3="fr")], "entry 'fr': iso639_3: "),
        ([entry(code=False)], "entry False: code: "),
        ([entry(family="")], "entry 'fr': family: "),
        ([entry(families="x")], "unknown key 'families' .did you mean 'family'"),
        ([{"code": "fr"}], "entry 'fr': script 'None' has no group"),
        ([entry(aliases="fr_ca")], "entry 'fr': aliases: "),
    ],
)
def test_unsound_registers_are_refused(tmp_path: Path, entries: list, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_register(write(tmp_path / "languages.yaml", entries))


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "languages.yaml"
    path.write_text("languages: []\n")
    with pytest.raises(InputError, match=r"languages\.yaml: scripts: not given"):
        read_register(path)
    path.write_text("a: [1\nb: 2\n")
    with pytest.raises(InputError, match="line 2: not YAML"):
        read_register(path)
