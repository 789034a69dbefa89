"""Dictionaries that are fetched for `tandem train --dictionaries`."""

import pytest
import yaml

from tandem.cli import main
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.exporting.sentence_transformers import export
from tandem.own_bitext import dictionaries as module
from tandem.own_bitext.dictionaries import dictionaries, dictionary_sources

WORDS = [(f"Wort{n}", f"word{n}") for n in range(50)]


@pytest.fixture
def register(tmp_path, monkeypatch):
    """A register of two dictionaries of German, one of which is not there, and of one part."""
    (tmp_path / "words").write_text("".join(f"{a} :: {b}\n" for a, b in WORDS), encoding="utf-8")
    entry = {"kind": "local", "licence": "CC0", "languages": ["en", "de"]}
    entry |= {"reader": {"kind": "ding"}}
    entries = {
        "words": {**entry, "path": str(tmp_path / "words")},
        "absent": {**entry, "path": str(tmp_path / "absent")},
        "part": {**entry, "path": str(tmp_path / "words"), "only": {"words": {"minimum": 5}}},
    }
    path = tmp_path / "register.yaml"
    path.write_text(yaml.safe_dump({"datasets": entries}), encoding="utf-8")
    monkeypatch.setattr(module, "DICTIONARIES", path)
    module._register.cache_clear()
    monkeypatch.setenv("TANDEM_CACHE", str(tmp_path / "cache"))
    yield path
    module._register.cache_clear()


def test_those_of_the_two_languages_are_registered():
    assert [entry.name for entry in dictionaries(("zh", "en"))] == ["cedict"]
    assert [entry.name for entry in dictionaries(("en", "de"))] == ["ding"]
    assert {entry.name for entry in dictionaries(("en", "tr"))} == {
        "freedict-tur-eng", "freedict-eng-tur",
    }  # fmt: skip
    assert all(entry.licence for entry in dictionaries(("en", "ja")))


def test_entries_are_text_that_is_only_trained_on(register, tmp_path):
    lines = []
    (source,) = dictionary_sources([("en", "de")], lines.append)
    assert source.aside
    assert list(source.pairs(("en", "de"))) == [(b, a) for a, b in WORDS]
    assert list(source.pairs(("de", "en"))) == WORDS
    assert any(line.startswith("warning: the dictionary absent is left out:") for line in lines)
    assert "50 entries of words (CC0)" in lines
    assert (tmp_path / "cache/words/words").is_file()


def test_what_is_registered_is_named_where_nothing_is(register, tmp_path):
    with pytest.raises(TandemError, match="There are of English and de"):
        dictionary_sources([("en", "fr")], print)
    assert not (tmp_path / "cache").exists()
    (tmp_path / "words").unlink()
    with pytest.raises(TandemError, match="no dictionary of en de could be fetched"):
        dictionary_sources([("en", "de")], lambda line: None)


def test_the_command_trains_on_them(register, tmp_path, capsys):
    pairs = "".join(f"a{n} b{n % 7}\tc{n} d{n % 7}\n" for n in range(300))
    (tmp_path / "my.tsv").write_text(pairs, encoding="utf-8")
    text = [str(tmp_path / "my.tsv"), "--languages", "en", "de", "--epochs", "1"]
    out = tmp_path / "model"
    assert main(["train", *text, "--dictionaries", "--out", str(out)]) == 0
    assert "50 entries of words (CC0)" in capsys.readouterr().err
    metadata = SentenceEncoder.load(out).metadata
    assert metadata["text"]["cleaning"]["sources"] == {str(tmp_path / "my.tsv"): 300}
    assert metadata["corpora"] == [{"name": "words", "licence": "CC0"}]
    export(SentenceEncoder.load(out), tmp_path / "exported")
    card = (tmp_path / "exported/README.md").read_text(encoding="utf-8")
    assert "| words | CC0 |" in card and "what else it was trained on is not stated" in card


def test_a_pair_without_a_dictionary_is_left_out_and_told(register, tmp_path):
    lines = []
    (source,) = dictionary_sources([("en", "ca"), ("en", "de"), ("de", "fr")], lines.append)
    assert source.languages == ("en", "de")
    (told,) = [line for line in lines if "registered" in line]
    assert told.startswith("warning: no dictionary of en and ca, nor of de and fr is registered.")


def test_a_mirror_that_is_not_there_is_refused(register, tmp_path, capsys):
    with pytest.raises(TandemError, match="mirror: no such folder. Name one"):
        dictionary_sources([("en", "de")], print, str(tmp_path / "mirror"))
    with pytest.raises(SystemExit):
        main(["train", "a", "b", "--languages", "en", "de", "--out", "m", "--mirror", "m"])
    assert "--mirror is where --dictionaries looks" in capsys.readouterr().err


@pytest.mark.parametrize(("place", "reason"), [("words", "File exists"), ("words/x", "Not a dir")])
def test_a_cache_that_cannot_be_is_refused_by_its_variable(
    register, tmp_path, monkeypatch, place, reason
):
    monkeypatch.setenv("TANDEM_CACHE", str(tmp_path / place))
    with pytest.raises(TandemError, match=f"^TANDEM_CACHE=.*{reason}.*Set TANDEM_CACHE to"):
        dictionary_sources([("en", "de")], print)
    monkeypatch.setenv("TANDEM_CACHE", "/proc/nothing")
    with pytest.raises(TandemError, match="^TANDEM_CACHE=/proc/nothing: dictionaries cannot be"):
        dictionary_sources([("en", "de")], print)
