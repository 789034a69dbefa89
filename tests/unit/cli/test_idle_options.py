"""Options without what they are of are refused, not passed over."""

import numpy as np
import pytest

from tandem.cli import main
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

LANGUAGES = ["--languages", "en", "de"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder, apart = (tmp_path_factory.mktemp(name) for name in ("home", "learned"))
    segmenter = learn(Words(size=9), {"en": lambda: ["a b"], "de": lambda: ["x y"]}, apart)
    table = np.ones((len(segmenter), 4), np.float32)
    SentenceEncoder(segmenter, Averaging(dimension=4), table, {}).save(folder / "model")
    (folder / "sts.tsv").write_text("1\ta\tb\n4\ta\ta\n2\tb\tb\n")
    (folder / "pairs.tsv").write_text("a\tx\nb\ty\n")
    return folder


@pytest.mark.parametrize(
    ("command", "idle", "needed"),
    [
        (["train", "pairs.tsv", *LANGUAGES], ["--also-per-pair", "2"], "--also or --dictionaries"),
        (["train", "pairs.tsv", *LANGUAGES], ["--also-columns", "4,5"], "--also"),
        (["train", "pairs.tsv", *LANGUAGES], ["--label", "9"], "--labelled"),
        (["evaluate", "model", "pairs.tsv", *LANGUAGES], ["--label", "9"], "--labelled"),
        (["evaluate", "model", "--sts", "sts.tsv", "en", "en"], ["--columns", "7,8"], "FILE"),
        (["evaluate", "model", "--sts", "sts.tsv", "en", "en"], ["--no-header"], "FILE"),
        (["similarity", "model", "a b", "x y", *LANGUAGES], ["--columns", "5,6"], "FILE"),
        (["similarity", "model", "a b", "x y", *LANGUAGES], ["--header"], "FILE"),
    ],
)
def test_an_option_without_what_it_is_of_is_refused(
    home, monkeypatch, command, idle, needed, capsys
):
    monkeypatch.chdir(home)
    out = ["--out", "out"] if command[0] == "train" else []
    assert main([*command, *idle, *out]) == 1
    name = idle[0].replace("--no-", "--")
    assert f"{name} is of {needed}, which is not given" in capsys.readouterr().err
    assert not (home / "out").exists()


def test_a_dimension_is_given_once(home, monkeypatch, capsys):
    monkeypatch.chdir(home)
    twice = ["--dimension", "64", "--encoder-setting", "dimension=32"]
    assert main(["train", "pairs.tsv", *LANGUAGES, *twice, "--out", "out"]) == 1
    assert "--encoder-setting dimension=...: give one" in capsys.readouterr().err
