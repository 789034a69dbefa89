"""Whatever stands in an option or a name, a command does its work or says in a line why not."""

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
from tandem.encoders.model import SentenceEncoder

LANGUAGES = ["--languages", "en", "de"]
BITEXT = ["a.en", "a.de", *LANGUAGES]
QUICK = ["--segmentation", "words", "--held-out", "5", "--dimension", "4", "--epochs", "1"]
COMMAND_LINES = {
    "train": [*BITEXT, *QUICK, "--out", "new"],
    "encode": ["model", "a.en", "--language", "en"],
    "similarity": ["model", *BITEXT],
    "score": ["model", *BITEXT],
    "filter": ["rules.yaml", *BITEXT],
    "mine": ["model", *BITEXT],
    "retrieve": ["model", *BITEXT],
    "identify": ["model", *BITEXT, "--at-least", "0.5"],
    "negatives": ["model", *BITEXT],
    "restyle": ["model", "a.en", "a.en"],
    "evaluate": ["model", *BITEXT],
    "compress": ["model", "new"],
    "export": ["model", "new"],
}
BYTE = os.fsdecode(b"\xff")
VALUES = {
    "inf": "inf", "-inf": "-inf", "nan": "nan", "over": "1e999", "large": str(2**62),
    "digits": "9" * 30, "empty": "", "byte": BYTE, "line": "a\nb", "control": "\x1b[31m",
    "YAML": "{a: &x [*x]}", "open": "margin={", "alias": "layers=*x",
    "bomb": f"layers={'[' * 2000}",
    "object": "layers=!!python/object/apply:os.getcwd []", "nan of YAML": "dimension=.nan",
    "inf of YAML": "margin=.inf", "date": "margin=2020-01-01", "byte of YAML": f"margin={BYTE}",
}  # fmt: skip


def options_of(command):
    """The options of a command that have a value, each with the number of its values."""
    commands = parser([command])._subparsers._group_actions[0].choices
    options = [a for a in commands[command]._actions if a.option_strings and a.nargs != 0]
    numbers = {action.option_strings[0]: action.nargs or 1 for action in options}
    return numbers | ({"--pair": 3} if command == "train" else {})


CASES = [(command, *case) for command in COMMANDS for case in options_of(command).items()]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    home = tmp_path_factory.mktemp("options") / "home"
    home.mkdir()
    for side in ("en", "de"):
        lines = [f"{side}{n} {side}{n % 7} word {n}" for n in range(60)]
        (home / f"a.{side}").write_text("\n".join(lines) + "\n")
    (home / "rules.yaml").write_text("words: {}\n")
    before = os.getcwd()
    os.chdir(home)
    assert main(["train", *BITEXT, *QUICK, "--out", "model"]) == 0
    os.chdir(before)
    return home


@pytest.fixture
def home(prepared, tmp_path, monkeypatch):
    shutil.copytree(prepared, tmp_path / "home")
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


def ended(arguments):
    """The exit code of a command; what escapes it is a fault."""
    try:
        return main(arguments)
    except SystemExit as error:
        return error.code


@pytest.mark.parametrize(("command", "option", "count"), CASES, ids=lambda value: str(value))
def test_any_value_is_taken_or_refused(home, command, option, count, capsys):
    before = {path.name for path in home.iterdir()}
    for name, value in VALUES.items():
        words = [command, *COMMAND_LINES[command]]
        more = [] if count == "+" else ["de"] * (count - 1)
        words += [f"{option}={value}"] if count == 1 else [option, value, *more]
        code = ended(words)
        said = capsys.readouterr().err
        assert code in (0, 1, 2), (name, said)
        if code:
            assert said.strip().split("\n")[-1].startswith("tandem ") or "\n" in value, name
            assert "Traceback" not in said and "object at 0x" not in said
        for path in {path.name for path in home.iterdir()} - before:
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


@pytest.mark.parametrize(
    ("command", "option", "said"),
    [
        ("score", "--at-least=inf", "inf is neither auto nor a finite number"),
        ("mine", "--at-least=nan", "nan is neither auto nor a finite number"),
        ("mine", "--memory=inf", "--memory"),
        ("train", "--learning-rate=inf", "learning_rate: Input should be a finite number"),
        ("train", "--embedding-multiplier=1e999", "embedding_multiplier: Input should be a finite"),
        ("train", "--objective-setting=margin=.inf", "margin: Input should be a finite number"),
        ("train", "--objective-setting=margin={", "margin, line 2: not YAML"),
        ("train", "--encoder-setting=layers=*x", "layers, line 1: not YAML ("),
        ("train", f"--encoder-setting=layers={'[' * 99}", "layers, line 1: not YAML (too many"),
        ("train", "--encoder-setting=layers={a: 1, a: 2}", "layers, line 1: not YAML ('a' stands"),
        ("filter", f"--languages={BYTE}", "expected 2 arguments"),
        ("encode", f"--language={BYTE}", r"\udcff has a control character, or is not UTF-8"),
        ("export", f"--name={BYTE}", r"\udcff has a control character, or is not UTF-8"),
        ("score", "--at-least=best", "best is neither auto nor a finite number"),
        ("score", "--columns=2,2", "columns 2,2: one column for both sides. Give two, from 1 on"),
        ("filter", "--columns=en,en", "columns en,en: one column for both sides"),
        ("filter", "--jobs=100000", "100000 is not from 1 to 1024"),
    ],
)
def test_what_is_wrong_with_a_value_is_said(home, command, option, said, capsys):
    assert ended([command, *COMMAND_LINES[command], option]) in (1, 2)
    assert said in capsys.readouterr().err
    assert not Path("new").exists()


def test_names_and_options_stand_in_any_order():
    whole = {"model": "m", "files": ["a", "b"], "languages": ["en", "de"], "out": "x"}
    for words in (
        "m a b --languages en de --out x",
        "m --languages en de a b --out x",
        "m a --languages en de b --out x",
        "--languages en de --out x m a b",
        "--out x m --languages en de a b",
        "m --languages en de --out x -- a b",
        "--languages en de --out x -- m a b",
    ):
        for command in ("score", "similarity"):
            options = vars(parsed([command, *words.split()]))
            assert options | whole == options, words
    options = parsed("filter r --languages en de -- -x - --out".split())
    assert options.files == ["./-x", "-", "./--out"]
    assert parsed("train a --out m b --languages en de c d".split()).files == ["a", "b", "c", "d"]
    options = parsed("evaluate m --sts s en de a --languages en de b --sts t de de".split())
    assert (options.files, options.sts) == (["a", "b"], [["s", "en", "de"], ["t", "de", "de"]])


def test_options_between_names_score(home, capsys):
    assert main(["score", "model", *LANGUAGES, "a.en", "a.de"]) == 0
    between = capsys.readouterr().out
    assert main(["score", "model", "a.en", "a.de", *LANGUAGES]) == 0
    assert between == capsys.readouterr().out and between.count("\n") == 60


def test_files_may_have_names_that_are_not_utf_8(home, capsys):
    for side in ("en", "de"):
        os.rename(f"a.{side}", f"{BYTE}.{side}")
    files = [f"{BYTE}.en", f"{BYTE}.de", *LANGUAGES]
    assert main(["train", *files, *QUICK, "--out", f"m{BYTE}", "--json", f"{BYTE}.json"]) == 0
    encoder = SentenceEncoder.load(f"m{BYTE}")
    assert encoder.metadata["text"]["cleaning"]["sources"] == {r"\udcff.en and \udcff.de": 60}
    assert json.loads(Path(f"{BYTE}.json").read_text())["languages"] == ["en", "de"]
    with open(f"{BYTE}.sts", "w") as out:
        out.write("".join(f"{n % 5}\ten{n}\tde{n}\n" for n in range(9)))
    scores = ["--sts", f"{BYTE}.sts", "en", "de", "--json", "done.json"]
    environment = os.environ | {"PYTHONPATH": str(Path(tandem.__file__).parents[1])}
    for locale in ("C", "C.UTF-8"):
        done = subprocess.run(
            [sys.executable, "-m", "tandem", "evaluate", f"m{BYTE}", *files, *scores],
            env=environment | {"LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
            capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert rb"\udcff.sts" in done.stdout
        assert list(json.loads(Path("done.json").read_text())["sts"]) == [f"{BYTE}.sts en de"]
        os.remove("done.json")
    assert main(["export", f"m{BYTE}", f"e{BYTE}"]) == 1  # its libraries cannot
    assert r"a name is not UTF-8 (.e\udcff" in capsys.readouterr().err
    for words in (["export", f"m{BYTE}", "exported"], ["compress", f"m{BYTE}", f"c{BYTE}"],
                  ["mine", f"m{BYTE}", *files, "--out", f"{BYTE}.tsv"]):  # fmt: skip
        assert main([*words, "--json", f"{words[0]}.json"]) == 0
        assert json.loads(Path(f"{words[0]}.json").read_text())


@pytest.mark.parametrize(("name", "shown"), [("no.tsv", "no.tsv"), (BYTE, r"\udcff")])
def test_a_file_that_is_not_there_is_named(home, name, shown, capfd):
    assert main(["score", "model", name, *LANGUAGES]) == 1
    assert capfd.readouterr().err == f"tandem score: {shown}: no such file. Check the name\n"
