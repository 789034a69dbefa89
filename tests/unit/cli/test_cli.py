"""The command line: every command on files and pipes, its exit codes, and what it prints."""

from __future__ import annotations

import gzip
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import tandem
from tandem.cli import COMMANDS, main, parsed
from tandem.cli.argument import byte_size
from tandem.cli.pairs import two_sentences
from tandem.encoders.composition import Composition, as_encoder
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

ENGLISH = ["the cat sat", "a dog ran", "rain fell", "we ate bread"]
GERMAN = ["die Katze saß", "ein Hund lief", "Regen fiel", "wir aßen Brot"]
LANGUAGES = ["--languages", "en", "de"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """An encoder in which a word and its translation, at the same place, have one vector."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "segmenter").mkdir()
    texts = {"en": lambda: ENGLISH, "de": lambda: GERMAN}
    segmenter = learn(Words(size=100), texts, folder / "segmenter")
    table = torch.zeros(len(segmenter), 64)
    vectors = torch.randn(64, 64, generator=torch.Generator().manual_seed(1))
    number = 0
    for english, german in zip(ENGLISH, GERMAN, strict=True):
        for pair in zip(english.split(), german.lower().split(), strict=True):
            for word in pair:
                table[segmenter.vocabulary.index(word)] = vectors[number]
            number += 1
    composition = Composition(Averaging(dimension=64))
    as_encoder(segmenter, table, composition).save(folder / "model")
    return str(folder / "model")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.en").write_text("\n".join(ENGLISH) + "\n", encoding="utf-8")
    with gzip.open(tmp_path / "a.de.gz", "wt", encoding="utf-8") as out:
        out.write("\n".join(GERMAN) + "\n")
    return str(tmp_path / "a.en"), str(tmp_path / "a.de.gz")


@pytest.fixture
def stdin(monkeypatch):
    def give(data: bytes):
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
        monkeypatch.setattr(sys, "stdin", stream)

    return give


def rows(text):
    return [line.split("\t") for line in text.split("\n")[:-1]]


@pytest.mark.parametrize(
    ("first", "second", "cosine"),
    [
        ("the cat sat", "die Katze saß", 1),
        ("Rain fell.", "Regen fiel!", 1),
        ("cat", "Katze", 1),
        ("the cat sat", "...", 0),
        ("rain " * 400, "Regen " * 400, 1),  # longer than a name can be
    ],
)
def test_similarity_of_two_sentences(model, first, second, cosine, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["similarity", model, first, second, *LANGUAGES]
    assert main([*command, "--json", "done.json"]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (f"{cosine:.6f}\n", "cosine of two sentences\n")
    assert json.loads(Path("done.json").read_text()) == {"pairs": 1, "blank": 0}


def test_names_of_files_are_no_sentences(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("the cat").write_text("the cat sat\nrain fell\n")
    Path("Regen").write_text("die Katze saß\nein Hund\n")
    assert main(["similarity", model, "the cat", "Regen", *LANGUAGES]) == 0
    first, second = map(float, capsys.readouterr().out.split())
    assert first == pytest.approx(1, abs=1e-6) and second < 0.9
    for names in (["the cat", "Katze"], ["a.en", "a.de"], ["text/en", "text/de"]):
        assert main(["similarity", model, *names, *LANGUAGES]) == 1
        assert "cosine" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("A sheep", ""), "the second sentence is empty. Give two sentences, or files"),
        (("", "A sheep"), "the first sentence is empty. Give two sentences, or files"),
        (("A sheep", " \t"), "the second sentence is empty. Give two sentences, or files"),
        (("", ""), "the first sentence is empty. Give two sentences, or files"),
        (("a.en", ""), "the name of a file is empty. Name one; - is stdin"),
        (("",), "the name of a file is empty. Name one; - is stdin"),
    ],
)
def test_an_empty_sentence_is_said_to_be_empty(model, names, problem, capsys):
    assert main(["similarity", model, *names, *LANGUAGES]) == 1
    assert capsys.readouterr().err == f"tandem similarity: {problem}\n"


def test_sentences_after_two_dashes_stay_as_written(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sentences = ("- No - he said", "-Nein")
    options = parsed(["similarity", model, *LANGUAGES, "--", *sentences])
    assert two_sentences(options.files) == [sentences]
    assert two_sentences(["./- No", "./-Nein ja"]) == [("./- No", "./-Nein ja")]
    for name in sentences:  # files that are called so are read
        Path(name).write_text("the cat sat\n")
    assert main(["similarity", model, *LANGUAGES, "--", *sentences]) == 0
    assert capsys.readouterr().err == "cosines of 1 pair\n"


def test_encode_writes_the_encoders_vectors(model, files, tmp_path, capsys):
    out = tmp_path / "deep" / "out.npy"
    assert main(["encode", model, files[0], "--language", "en", "--out", str(out)]) == 0
    expected = SentenceEncoder.load(model).encode(ENGLISH, "en")
    np.testing.assert_array_equal(np.load(out), expected)
    assert main(["encode", model, files[0], "--language", "en"]) == 0
    printed = np.array(rows(capsys.readouterr().out), np.float32)
    np.testing.assert_allclose(printed, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "said"), [("rain fell", "1 vector of"), ("rain\ncat", "2 vectors of")]
)
def test_encode_counts_the_vectors(model, stdin, capsys, text, said):
    stdin(text.encode())
    assert main(["encode", model, "--language", "en"]) == 0
    assert capsys.readouterr().err.startswith(said)


def test_encode_reads_gzip_from_stdin(model, stdin, tmp_path):
    stdin(gzip.compress("die Katze saß\nRegen fiel".encode()))
    out = tmp_path / "out.npy"
    assert main(["encode", model, "-", "--language", "de", "--out", str(out)]) == 0
    expected = SentenceEncoder.load(model).encode(GERMAN[::2], "de")
    np.testing.assert_array_equal(np.load(out), expected)


def test_similarity_gives_the_cosine_of_each_pair(model, stdin, capsys):
    stdin("the cat sat\tdie Katze saß\nrain fell\tein Hund lief\nrain\t\n".encode())
    assert main(["similarity", model, *LANGUAGES]) == 0
    same, other, empty = map(float, capsys.readouterr().out.split())
    assert (same, empty) == (1.0, 0.0)
    assert abs(other) < 0.5


def test_score_filters_bitext_in_order(model, files, tmp_path, capsys):
    (tmp_path / "b.en").write_text("the cat sat\na dog ran\nrain fell\nwe ate\n")
    (tmp_path / "b.de").write_text("die Katze saß\nRegen fiel\nRegen\tfiel\nwir aßen\n")
    command = ["score", model, str(tmp_path / "b.en"), str(tmp_path / "b.de"), *LANGUAGES]
    assert main([*command, "--at-least", "0.9"]) == 0
    assert rows(capsys.readouterr().out) == [
        ["1.000000", "the cat sat", "die Katze saß"],
        ["1.000000", "rain fell", "Regen fiel"],
        ["1.000000", "we ate", "wir aßen"],
    ]
    assert main([*command, "--out", str(tmp_path / "all.tsv")]) == 0
    assert len(rows((tmp_path / "all.tsv").read_text(encoding="utf-8"))) == 4


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--score", "cosine", "--retrieval", "intersection"],
        ["--index", "ivf"],
        ["--index", "hnsw"],
    ],
)
def test_mine_finds_the_translations(model, files, tmp_path, options, capsys):
    (tmp_path / "shuffled.en").write_text("\n".join([*ENGLISH[::-1], "rain ran ate a"]) + "\n")
    command = ["mine", model, str(tmp_path / "shuffled.en"), files[1], *LANGUAGES, "--k", "2"]
    assert main([*command, *options, "--quiet"]) == 0
    found = rows(capsys.readouterr().out)
    assert {tuple(row[1:]) for row in found[:4]} == set(zip(ENGLISH, GERMAN, strict=True))
    scores = [float(row[0]) for row in found]
    assert scores == sorted(scores, reverse=True)
    assert main([*command, *options, "--at-least", str(scores[0] + 1)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"the highest is {scores[0]:.3f}" in err


def test_retrieve_finds_the_nearest_of_a_corpus(model, files, tmp_path, capsys):
    (tmp_path / "shuffled.en").write_text("\n".join(ENGLISH[::-1]) + "\n")
    command = ["retrieve", model, str(tmp_path / "shuffled.en"), files[1], *LANGUAGES, "--quiet"]
    assert main(command) == 0
    found = rows(capsys.readouterr().out)
    assert [row[1:] for row in found] == [list(p) for p in zip(ENGLISH[::-1], GERMAN[::-1],
                                                               strict=True)]  # fmt: skip
    assert main([*command, "--k", "9", "--json", str(tmp_path / "done.json")]) == 0
    found = rows(capsys.readouterr().out)
    assert len(found) == 16 and len({row[1] for row in found}) == 4
    for query in range(4):
        scores = [float(row[0]) for row in found[4 * query : 4 * query + 4]]
        assert scores == sorted(scores, reverse=True)
    done = {"sentences": [4, 4], "k": 9, "unknown": [0, 0]}
    assert json.loads((tmp_path / "done.json").read_text()) == done


@pytest.mark.parametrize("batch", [1, 2, 1024])
def test_retrieve_finds_documents_by_the_mean_of_their_sentences(
    model, tmp_path, batch, monkeypatch, capsys
):
    monkeypatch.setattr("tandem.cli.common.BATCH", batch)
    sides = (("en", ENGLISH), ("de", GERMAN))
    parts = {"first": [0, 1, 2], "second": [3], "third": [2, 0], "fourth": [1, 3]}
    for language, lines in sides:
        order = parts if language == "en" else [*parts][::-1]
        text = "".join(f"{name} {language}\t{lines[i]}\n" for name in order for i in parts[name])
        (tmp_path / language).write_text(text, encoding="utf-8")
    command = ["retrieve", model, str(tmp_path / "en"), str(tmp_path / "de"), *LANGUAGES]
    assert main([*command, "--documents"]) == 0
    found = rows(capsys.readouterr().out)
    assert found == [["1.000000", f"{name} en", f"{name} de"] for name in parts]
    (tmp_path / "en").write_text("first en\tthe cat\nrain fell\n")
    assert main([*command, "--documents", "--overwrite", "--out", str(tmp_path / "o")]) == 1
    assert "line 2: no tab after the name of a document" in capsys.readouterr().err
    (tmp_path / "en").write_text("first en\tthe cat\n \train fell\n")
    assert main([*command, "--documents", "--overwrite", "--out", str(tmp_path / "o")]) == 1
    assert "line 2: no name of a document" in capsys.readouterr().err


def test_export_says_which_folder_serves_which_language(model, tmp_path, capsys):
    arguments = ["export", model, str(tmp_path / "out"), "--corpus", "my bitext", "CC0-1.0"]
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f'de: SentenceTransformer("{tmp_path / "out"}")' in captured.err
    assert "| my bitext | CC0-1.0 |" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "{model}", "missing.txt", "--language", "en"], "missing.txt"),
        (["encode", "{model}", "{file}"], "say which language"),
        (["encode", "{model}", "{file}", "--language", "fr"], "no segmentation for language 'fr'"),
        (["encode", "./nowhere", "{file}"], "nowhere/encoder.json: no such file"),
        (["encode", "nowhere", "{file}"], "no model nowhere (looked for nowhere, results/nowhere"),
        (["encode", "{model}", "{file}", "--language", "en", "--device", "tpu9"], "tpu9"),
        (["score", "{model}", "{file}", *LANGUAGES], "text of one column, and none follows"),
        (["score", "{model}", "-", "-", *LANGUAGES], "once at most"),
        (["mine", "{model}", "-", "-", *LANGUAGES], "stdin"),
        (["train", "{file}", "{file}", "--languages", "en", "en", "--out", "x"], "sides are en"),
        (["mine", "{model}", "{file}", "{file}", *LANGUAGES, "--memory", "1MiB"], "memory_bytes"),
    ],
)
def test_what_a_person_can_put_right_is_said_on_stderr(
    arguments, message, model, files, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    arguments = [part.format(model=model, file=files[0]) for part in arguments]
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.split("\n")[-2].startswith(f"tandem {arguments[0]}: ")
    assert captured.out == ""


def test_a_failed_run_leaves_no_output(model, tmp_path):
    (tmp_path / "pairs.tsv").write_text("rain\tRegen\nrain\n")
    out = tmp_path / "out.tsv"
    command = ["score", model, str(tmp_path / "pairs.tsv"), *LANGUAGES, "--out", str(out)]
    assert main(command) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]


def test_wrong_usage_has_exit_code_2(capsys):
    for arguments in ([], ["encode"], ["mine", "m", "a", "b"], ["nothing"]):
        with pytest.raises(SystemExit) as error:
            main(arguments)
        assert error.value.code == 2
    assert "usage: tandem" in capsys.readouterr().err


def test_help_loads_nothing_slow():
    code = "import sys; from tandem.cli import COMMANDS, parser; [parser([c]) for c in COMMANDS]; "
    code += "print([m for m in ('torch', 'transformers', 'numba', 'faiss') if m in sys.modules])"
    paths = os.pathsep.join(sys.path)
    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": paths},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout == "[]\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_parses(command, capsys):
    with pytest.raises(SystemExit) as error:
        main([command, "--help"])
    assert error.value.code == 0
    example = capsys.readouterr().out.split("example:\n")[1].strip()
    for line in example.split("\n"):
        words = shlex.split(line.split(" > ")[0])
        assert words[:2] == ["tandem", command]
        assert parsed(words[1:]).command == command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_encodes_says_where(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    # these change numbers or copy them, and encode nothing
    assert ("--device" in said) == (command not in ("compress", "export"))
    default = "auto" if command == "train" else "cpu"
    where = f"cuda:1 (the second card), or auto: cuda if there is one (default: {default})"
    assert (where in said) == ("--device" in said)


def test_sizes_have_units():
    sizes = [byte_size(text) for text in ("2GiB", "1.5KiB", "300M", "7")]
    assert sizes == [2**31, 1536, 300_000_000, 7]


def test_a_reader_that_leaves_ends_the_run_quietly(model, tmp_path):
    (tmp_path / "long.en").write_text("the cat sat\n" * 60_000)
    command = [sys.executable, "-m", "tandem", "encode", model, str(tmp_path / "long.en")]
    source = str(Path(tandem.__file__).parents[1])
    with subprocess.Popen(
        [*command, "--language", "en"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": source},
    ) as process:
        assert process.stdout.readline().count(b"\t") == 63
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
