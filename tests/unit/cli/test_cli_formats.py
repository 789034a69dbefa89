"""The commands on tables and packed outputs, and where their result would be empty."""

import bz2
import gzip
import json
import lzma
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.cli import main
from tandem.files.io import zstandard

LANGUAGES = ["--languages", "en", "de"]
ROWS = "German\tEnglish\tnote\nEins 1\tOne 1\tx\nZwei 2\tTwo 3\ty\n"
RULES = "numbers: {kind: ratio, maximum: 5}\n"
UNPACK = {
    "": bytes,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": zstandard().decompress,
}


class Encoder(SimpleNamespace):
    """Sentences of one number have one vector."""

    dimension = 4

    def encode(self, sentences, language):
        return np.eye(4, dtype=np.float32)[[int(text[-1]) % 4 for text in sentences]]

    def encode_stream(self, sentences, language, batch):
        texts = list(sentences)
        yield from [self.encode(texts, language)] if texts else []


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tandem.cli.common.load_model", lambda *_: Encoder())
    (tmp_path / "model").mkdir()
    (tmp_path / "rows.tsv").write_text(ROWS)
    (tmp_path / "rules.yaml").write_text(RULES)
    return tmp_path


@pytest.mark.parametrize(("ending", "unpack"), UNPACK.items())
def test_an_output_is_packed_as_its_name_asks(here, ending, unpack):
    for out in (f"a.tsv{ending}", f"b.tsv{ending}"):
        command = ["filter", "rules.yaml", "rows.tsv", *LANGUAGES, "--keep-scores", f"s.{out}"]
        assert main([*command, "--out", out]) == 0
        assert unpack((here / out).read_bytes()).decode() == "One 1\tEins 1\nTwo 3\tZwei 2\n"
        assert unpack((here / f"s.{out}").read_bytes()).decode().count("\n") == 3
    assert (here / f"a.tsv{ending}").read_bytes() == (here / f"b.tsv{ending}").read_bytes()


def test_columns_and_header_are_options(here, capsys):
    command = ["score", "model", "rows.tsv", *LANGUAGES]
    assert main(command) == 0
    assert capsys.readouterr().out == "1.000000\tOne 1\tEins 1\n0.000000\tTwo 3\tZwei 2\n"
    assert main([*command, "--columns", "1,2"]) == 0
    assert capsys.readouterr().out.startswith("1.000000\tEins 1\tOne 1\n")
    with pytest.raises(SystemExit) as refused:
        main([*command, "--columns", "0"])
    assert refused.value.code == 2
    assert "not one or two columns" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("score model rows.tsv --at-least 2", "none of 2 pairs has a cosine of 2.000 or more; the "
         "highest is 1.000. Nothing is written"),
        ("filter none.yaml rows.tsv --json done.json", "none.yaml keeps no pair"),
        ("similarity model empty.tsv", "empty.tsv: the file is empty"),
        ("score model head.tsv", "head.tsv: only names of columns"),
        ("filter rules.yaml unfinished.po", "unfinished.po: it has no pair"),
        ("filter rules.yaml no.tmx", "no unit has en and de; found fr"),
    ],
)  # fmt: skip
def test_an_empty_result_is_an_error(here, capsys, command, words):
    (here / "none.yaml").write_text("words: {minimum: 50}\n")
    (here / "empty.tsv").write_text("")
    (here / "head.tsv").write_text("en\tde\n")
    (here / "unfinished.po").write_text('msgid "One"\nmsgstr ""\n')
    (here / "no.tmx").write_text(
        '<tmx><body><tu><tuv xml:lang="fr"><seg>Un</seg></tuv></tu></body></tmx>'
    )
    (here / "out.tsv").write_text("earlier\n")
    assert main([*command.split(), *LANGUAGES, "--out", "out.tsv", "--overwrite"]) == 1
    assert words in capsys.readouterr().err
    assert (here / "out.tsv").read_text() == "earlier\n"
    assert not (here / "done.json").exists()


def test_after_an_empty_result_the_same_places_are_free(here, capsys):
    for least, code in (("minimum: 50", 1), ("minimum: 1", 0)):
        (here / "some.yaml").write_text(f"words: {{{least}}}\n")
        places = {"--out": "out.tsv", "--json": "done.json", "--keep-scores": "scores.tsv"}
        options = [word for option in places.items() for word in option]
        assert main(["filter", "some.yaml", "rows.tsv", *LANGUAGES, *options]) == code
        assert {(here / place).exists() for place in places.values()} == {code == 0}
    assert json.loads((here / "done.json").read_text())["kept"] == 2
    assert "words      removed            2" in capsys.readouterr().err


def test_no_line_is_no_vector(here, capsys):
    (here / "empty").write_text("")
    assert main(["encode", "model", "empty", "--language", "en", "--out", "x.npy"]) == 1
    assert "empty: the file is empty. Nothing is written" in capsys.readouterr().err
    assert not (here / "x.npy").exists()


def test_a_matrix_is_not_packed(capsys):
    assert main(["encode", "model", "rows.tsv", "--out", "x.npy.gz"]) == 1
    assert "a matrix is not packed" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["train", "score", "similarity", "filter", "evaluate"])
def test_help_names_the_formats(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out
    names = ["CSV", "JSON lines", "Parquet", "TMX", "XLIFF", "PO", "Moses", "--columns", "--header"]
    assert [name for name in names if name not in text] == []
