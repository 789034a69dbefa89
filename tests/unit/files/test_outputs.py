"""Where outputs go: what Tandem did not write stays, and what it refuses it refuses at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tandem
from tandem.cli import COMMANDS, main, parsed, parser
from tandem.cli.places import inputs_of
from tandem.errors import TandemError
from tandem.files.outputs import check
from tandem.files.saved import SEAL, seal
from tandem.files.unfinished import workspace

LANGUAGES = ["--languages", "en", "de"]
TRAIN = ["train", "a.en", "a.de", *LANGUAGES, "--segmentation", "words", "--held-out", "5"]
QUICK = ["--dimension", "4", "--epochs", "1"]
SCORE = ["score", "model", "a.en", "a.de", *LANGUAGES]
ENCODE = ["encode", "model", "a.en", "--language", "en"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with a bitext, a model of it, an exported one and a person's own files."""
    home = tmp_path_factory.mktemp("prepared") / "home"
    home.mkdir()
    for side in ("en", "de"):
        lines = [f"{side}{n} {side}{n % 7} word {n}" for n in range(60)]
        (home / f"a.{side}").write_text("\n".join(lines) + "\n")
    before = os.getcwd()
    os.chdir(home)
    try:
        assert main([*TRAIN, *QUICK, "--out", "model"]) == 0
    finally:
        os.chdir(before)
    for folder in ("docs", "data", "work"):
        (home / folder).mkdir()
        (home / folder / "thesis.txt").write_text("years of work\n")
    shutil.copy(home / "a.en", home / "data" / "b.en")
    shutil.copy(home / "a.de", home / "data" / "b.de")
    shutil.copytree(home / "model", home / "annotated")
    (home / "annotated" / "notes.txt").write_text("mine\n")
    return home


RULES = {"cosine": "cosine: {model: model}", "numbers": "numbers: {file: num.txt}",
         "costs": "language-model: {model: costs.arpa}"}  # fmt: skip
FILTER = ["filter", "{}.yaml", "a.en", "a.de", *LANGUAGES]
COSINE, NUMBERS, COSTS = ([word.format(name) for word in FILTER] for name in RULES)


@pytest.fixture
def home(prepared, tmp_path, monkeypatch):
    """A copy of it, with links, as the working directory."""
    home = tmp_path / "home"
    shutil.copytree(prepared, home)
    (home / "link").symlink_to("docs")
    (home / "linked.txt").symlink_to("docs/thesis.txt")
    (home / "gone").symlink_to("nowhere")
    (home / "other").symlink_to("model")
    for name, rules in RULES.items():
        (home / f"{name}.yaml").write_text(rules)
    (home / "num.txt").write_text("1\n" * 60)
    os.link(home / "num.txt", home / "hard.txt")
    (home / "costs.arpa").write_text("\\data\\\n")
    os.link(home / "model" / "encoder.json", home / "hard.json")
    (home / "sts.tsv").write_text("1\ten1\tde1\n" * 9)
    os.link(home / "a.en", home / "hard.en")
    os.mkfifo(home / "pipe")
    monkeypatch.chdir(home)
    return home


def snapshot(folder):
    """What a folder holds: a text for a file's content, a link's target or a kind."""

    def content(path):
        if path.is_symlink():
            return f"-> {os.readlink(path)}"
        return path.read_bytes() if path.is_file() else path.is_dir()

    return {str(path.relative_to(folder)): content(path) for path in folder.rglob("*")}


REFUSED = {
    "the working directory": [*TRAIN, "--out", "."],
    "above it": [*TRAIN, "--out", ".."],
    "the working directory by a detour": [*TRAIN, "--out", "docs/.."],
    "an own folder": [*TRAIN, "--out", "docs"],
    "the folder of the inputs": ["train", "data/b.en", "data/b.de", *LANGUAGES, "--out", "data"],
    "a model": [*TRAIN, "--out", "model"],
    "a link to a folder": [*TRAIN, "--out", "link"],
    "a link to nothing": [*TRAIN, "--out", "gone"],
    "a file for a folder": [*TRAIN, "--out", "a.en"],
    "below a file": [*TRAIN, "--out", "a.en/model"],
    "an own folder, exported to": ["export", "model", "docs"],
    "a model onto itself": ["export", "model", "model"],
    "a model into itself": ["export", "model", "model/exported"],
    "a model by a detour": ["export", "model", "docs/../model"],
    "here, exported to": ["export", "model", "."],
    "a corpus onto itself": [*ENCODE, "--out", "a.en"],
    "a hard link to a corpus": [*ENCODE, "--out", "hard.en"],
    "a link to a file": [*ENCODE, "--out", "linked.txt"],
    "an own file": [*ENCODE, "--out", "docs/thesis.txt"],
    "a file of the model": [*ENCODE, "--out", "model/encoder.json"],
    "a folder for a file": [*ENCODE, "--out", "docs"],
    "a pipe": [*ENCODE, "--out", "pipe"],
    "scores onto a side": [*SCORE, "--out", "a.de"],
    "cosines onto a side": ["similarity", "model", "a.en", "a.de", *LANGUAGES, "--out", "a.en"],
    "JSON onto a side": [*SCORE, "--out", "new", "--json", "a.de"],
    "JSON onto a side of evaluate": ["evaluate", *SCORE[1:], "--json", "a.de"],
    "JSON onto the text": [*ENCODE, "--json", "a.en"],
    "JSON into the model": [*ENCODE, "--json", "model/new.json"],
    "JSON onto the other output": [*ENCODE, "--out", "new", "--json", "new"],
    "JSON into the new model": [*TRAIN, "--out", "new", "--json", "new/done.json"],
    "JSON onto an own file": [*SCORE, "--json", "docs/thesis.txt"],
    "JSON for a folder": [*SCORE, "--json", "docs"],
    "mined pairs onto a side": ["mine", "model", "a.en", "a.de", *LANGUAGES, "--out", "a.de"],
    "pairs onto their numbers": [*NUMBERS, "--out", "num.txt"],
    "pairs onto a hard link to their numbers": [*NUMBERS, "--out", "hard.txt"],
    "pairs onto the rules": [*NUMBERS, "--out", "numbers.yaml"],
    "scores onto numbers": [*NUMBERS, "--out", "new", "--keep-scores", "num.txt"],
    "JSON onto numbers": [*NUMBERS, "--out", "new", "--json", "docs/../num.txt"],
    "pairs onto a language model": [*COSTS, "--out", "costs.arpa"],
    "pairs into the model of a rule": [*COSINE, "--out", "model/x.tsv"],
    "pairs into a link to that model": [*COSINE, "--out", "other/x.tsv"],
    "pairs into any model": [*NUMBERS, "--out", "model/segmenter/x.tsv"],
    "scores into any model": [*NUMBERS, "--out", "new", "--keep-scores", "model/x.tsv"],
    "JSON into any model": [*NUMBERS, "--out", "new", "--json", "annotated/x.json"],
    "a model into any model": [*TRAIN, "--out", "model/new"],
    "vectors into another model": [*ENCODE, "--out", "annotated/x.tsv"],
    "a hard link to a file of the model": [*ENCODE, "--out", "hard.json"],
    "JSON onto scores of people": ["evaluate", "model", "--sts", "sts.tsv", "en", "de",
                                   "--json", "sts.tsv"],
}  # fmt: skip
TO_BE_OVERWRITTEN = {"a model", "an own file", "JSON onto an own file"}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_tandems_stays(home, arguments, capsys):
    before = snapshot(home.parent)
    assert main(arguments) == 1
    assert snapshot(home.parent) == before
    assert "Choose another place" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - TO_BE_OVERWRITTEN))
def test_overwriting_replaces_no_more(home, name, capsys):
    before = snapshot(home.parent)
    assert main([*REFUSED[name], "--overwrite"]) == 1
    assert snapshot(home.parent) == before


def test_a_folder_with_anything_of_a_persons_stays(home, capsys):
    before = snapshot(home)
    assert main([*TRAIN, *QUICK, "--out", "annotated", "--overwrite"]) == 1
    assert "notes.txt" in capsys.readouterr().err
    assert snapshot(home) == before


def test_overwriting_replaces_what_tandem_wrote(home):
    assert main([*TRAIN, *QUICK, "--seed", "2", "--out", "model", "--overwrite"]) == 0
    assert json.loads((home / "model" / "encoder.json").read_text())["training"]["seed"] == 2
    assert main([*ENCODE, "--out", "docs/thesis.txt", "--overwrite"]) == 0
    assert (home / "docs" / "thesis.txt").read_text().count("\n") == 60
    assert not [path.name for path in home.iterdir() if path.name.startswith(".")]


def test_what_is_empty_is_free(home):
    (home / "empty").mkdir()
    (home / "empty.tsv").touch()
    assert main([*TRAIN, *QUICK, "--out", "empty"]) == 0
    assert main([*ENCODE, "--out", "empty.tsv"]) == 0
    assert (home / "empty" / SEAL).is_file()


def test_stdout_may_not_be_an_input(home, tmp_path):
    command = f"{sys.executable} -m tandem encode model a.en --language en >> a.en"
    before = (home / "a.en").read_bytes()
    done = run_shell(command)
    assert (done.returncode, (home / "a.en").read_bytes()) == (1, before)
    done = run_shell(f"{sys.executable} -m tandem encode model - --language en --out a.en < a.en")
    assert (done.returncode, (home / "a.en").read_bytes()) == (1, before)


@pytest.mark.parametrize(
    "command",
    [
        "filter numbers.yaml a.en a.de --languages en de >> num.txt",
        "filter numbers.yaml a.en a.de --languages en de --out num.txt --overwrite < num.txt",
        "filter cosine.yaml a.en a.de --languages en de --out x 2>> model/encoder.json",
        "filter numbers.yaml - --languages en de --out x --json sts.tsv --overwrite < sts.tsv",
        "filter numbers.yaml - --languages en de --keep-scores sts.tsv --overwrite < sts.tsv",
        "evaluate model --sts sts.tsv en de >> sts.tsv",
        "encode model a.en --language en --out x 2>> a.en",
        "encode model a.en --language en --out /dev/fd/3 3>> a.en",
        "score model a.en a.de --languages en de --out x --json - >> a.de",
        "compress model small >> model/encoder.json",
    ],
)
def test_a_stream_may_not_be_an_input(home, command):
    before = snapshot(home)
    done = run_shell(f"{sys.executable} -m tandem {command}")
    assert (done.returncode, snapshot(home) == before) == (1, True)
    assert "Choose another" in done.stderr + done.stdout


def run_shell(command, **environment):
    source = {"PYTHONPATH": str(Path(tandem.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        ["bash", "-c", command], env=os.environ | source | environment,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


BAD = {
    "seed": [*TRAIN, "--out", "new", "--seed", "-1"],
    "device": [*TRAIN, "--out", "new", "--device", "tpu9"],
    "device without values": [*TRAIN, "--out", "new", "--device", "meta"],
    "threads": [*TRAIN, "--out", "new", "--threads", "100000"],
    "size": [*TRAIN, "--out", "new", "--size", "0"],
    "languages": ["train", "a.en", "a.de", "--languages", "en", "../x", "--out", "new"],
    "three files": ["train", "a.en", "a.de", "a.de", *LANGUAGES, "--out", "new"],
    "no such file": ["train", "a.en", "nowhere", *LANGUAGES, "--out", "new"],
    "a folder for a file": ["mine", "model", "a.en", "docs", *LANGUAGES, "--out", "new"],
    "second file": ["mine", "model", "a.en", "nowhere", *LANGUAGES, "--out", "new"],
    "threshold": ["score", "model", "a.en", "a.de", *LANGUAGES, "--at-least", "nan"],
    "threads of encode": [*ENCODE, "--threads", "100000"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_settings_are_checked_before_any_work(home, arguments, monkeypatch, capsys):
    monkeypatch.setattr("tandem.corpora.files.stream_lines", lambda *_: pytest.fail("work began"))
    before = snapshot(home)
    try:
        assert main(arguments) == 1
    except SystemExit as error:
        assert error.code == 2
    assert snapshot(home) == before
    assert capsys.readouterr().err


def test_what_came_meanwhile_stays(home, monkeypatch, capsys):
    def made_meanwhile(*_, **__):
        (home / "new").mkdir()
        (home / "new" / "thesis.txt").write_text("years of work\n")

    with monkeypatch.context() as patched:
        patched.setattr("tandem.own_bitext.build.quality", made_meanwhile)
        assert main([*TRAIN, *QUICK, "--out", "new"]) == 1
    assert (home / "new" / "thesis.txt").read_text() == "years of work\n"
    assert ".new.unfinished" in capsys.readouterr().err
    (home / "new" / "thesis.txt").unlink()
    assert main([*TRAIN, *QUICK, "--out", "new"]) == 0


def test_a_mark_lists_what_a_folder_holds(tmp_path):
    folder = tmp_path / "f"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a").touch()
    seal(folder)
    check(folder, [], overwrite=True, folder=True)
    with pytest.raises(TandemError, match="--overwrite"):
        check(folder, [], overwrite=False, folder=True)
    (folder / "sub" / "b").symlink_to("a")
    with pytest.raises(TandemError, match="sub/b"):
        check(folder, [], overwrite=True, folder=True)


def test_a_second_training_of_one_output_is_refused(home, capsys):
    with workspace(home / "new") as space:
        done = run_shell(" ".join([sys.executable, "-m", "tandem", *TRAIN, "--out", "new"]))
        assert (done.returncode, "in use" in done.stderr) == (1, True)
        assert space.folder.is_dir()
    assert not space.folder.exists()
    assert not (home / "new").exists()


WORDS = {"device", "label", "mirror"}
"""Arguments that are words; of a mirror files are copied that nothing is written in place of."""


def actions_of(command):
    return parser([command])._subparsers._group_actions[0].choices[command]._actions


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_that_may_name_something_is_marked_as_read_or_written(command):
    """A new option for a path that is neither could be overwritten, or overwrite an input."""
    marked = actions_of(command)
    free = {a.dest for a in marked if a.nargs != 0 and not a.choices and a.type in (None, Path)}
    commands = parser([command])._subparsers._group_actions[0].choices
    inputs, places = (commands[command].get_default(name) for name in ("inputs", "places"))
    assert free - WORDS <= {*inputs} | {*places} and not {*inputs} & {*places}
    assert "json" in places and {"model", "files"} & {*inputs}


def test_inputs_are_told_from_words_beside_them():
    words = ["train", "s.en", "-", "--languages", "en", "de", "--out", "m", "--from", "none"]
    words += ["--also", "a", "b", "--also", "c", "--pair", "en", "fr", "d", "e", "--mirror", "f"]
    assert {*inputs_of(parsed(words))} == {"s.en", 0, "a", "b", "c", "d", "e"}
    assert {*inputs_of(parsed("evaluate m x --sts s en de --sts t en en".split()))} == set("mxst")


@pytest.mark.parametrize("where", ["--json dict.tsv", "2>>dict.tsv", ">>dict.tsv"])
def test_text_beside_is_no_place_for_an_output(home, where):
    text = "ein Wort\ta word\n" * 3
    (home / "dict.tsv").write_text(text)
    command = [sys.executable, "-m", "tandem", *TRAIN, "--also", "dict.tsv", "--out", "new"]
    done = run_shell(f"{' '.join([*command, '--overwrite'])} {where}")
    assert done.returncode == 1 and (home / "dict.tsv").read_text() == text
    assert not (home / "new").exists()
