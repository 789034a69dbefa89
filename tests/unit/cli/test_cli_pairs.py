"""`tandem train --pair`: one model of several pairs of languages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from stopped_runs import ENVIRONMENT, OFTEN, content

import tandem
from tandem.cli import main
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.own_bitext.quality import encoded, retrieval

SIZES = {("en", "de"): 900, ("en", "fr"): 500}
SHAPE = ["--segmentation", "words", "--dimension", "32"]
PAIRS = ["--pair", "en", "de", "en-de.tsv", "--pair", "en", "fr", "en-fr.tsv"]


def sentences(count, seed):
    return np.random.default_rng(seed).integers(0, 40, (count, 5)).tolist()


def said(words, side):
    return " ".join(f"{side}{word}" for word in words)


def bitext(sides, count, seed):
    return [tuple(said(words, side) for side in sides) for words in sentences(count, seed)]


def write(path, pairs):
    path.write_text("".join("\t".join(pair) + "\n" for pair in pairs))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Texts of different sentences, a model of both, and what was said while it was trained."""
    home = tmp_path_factory.mktemp("pairs")
    for seed, (sides, count) in enumerate(SIZES.items()):
        write(home / f"{'-'.join(sides)}.tsv", bitext(sides, count, seed))
    done = subprocess.run(
        [sys.executable, "-m", "tandem", "train", *PAIRS, *SHAPE, "--out", "model"],
        cwd=home, env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (home / "said").write_text(done.stderr)
    return home


@pytest.fixture
def home(prepared, monkeypatch):
    monkeypatch.chdir(prepared)
    return prepared


def test_one_vocabulary_serves_all_languages(home):
    encoder = SentenceEncoder.load("model")
    assert encoder.languages == ["de", "en", "fr"]
    words = {f"{side}{n}" for side in encoder.languages for n in range(40)}
    assert sorted(encoder.segmenter.vocabulary) == sorted(words)  # English words stand once
    for seed, languages in enumerate((("en", "de"), ("fr", "en"), ("de", "fr")), start=7):
        new = bitext(languages, 200, seed)
        assert retrieval(encoded(encoder, new, languages))["p_at_1_x100"] > 97, languages


def test_each_pair_of_languages_is_measured_and_reported(home):
    metadata = SentenceEncoder.load("model").metadata
    assert metadata["languages"] == [["en", "de"], ["en", "fr"]]
    assert metadata["pairs"] == 765 + 425
    reported = (home / "said").read_text()
    assert "training on 1,190 pairs (765 of en de, 425 of en fr): 120 kinds" in reported
    for name, read, held_out in (("en de", 900, 45), ("en fr", 500, 25)):
        quality, text = metadata["quality"][name], metadata["text"][name]
        assert quality["retrieval"]["p_at_1_x100"] > 95
        assert quality["retrieval"]["pairs"] == quality["calibrated_on_pairs"] == held_out
        assert text["cleaning"]["read"] == read and text["splits"]["valid"] == held_out
        for line in (f"read {read} pairs", f"held out: {held_out} pairs", f"P@1 of {held_out} ",
                     "score: 95% of true", "mine: 95% of true", "hit: "):  # fmt: skip
            assert f"\n{name}: {line}" in reported
    assert reported.count("kept epoch") == 1
    assert "next: tandem score model FILES --languages en de --at-least auto" in reported


def test_thresholds_are_those_of_the_languages(home, capsys):
    quality = SentenceEncoder.load("model").metadata["quality"]
    limits = [quality[name]["thresholds"]["cosine"] for name in ("en de", "en fr")]
    assert limits[0] != limits[1]
    for languages, limit in ((("en", "de"), limits[0]), (("fr", "en"), limits[1])):
        write(home / "new.tsv", bitext(languages, 50, 9))
        command = ["score", "model", "new.tsv", "--at-least", "auto", "--languages", *languages]
        assert main([*command, "--out", "kept.tsv", "--overwrite", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["at_least"] == limit
        assert main(["evaluate", "model", "new.tsv", "--languages", *languages, "--json", "-"]) == 0
        measured = json.loads(capsys.readouterr().out)["bitext"]
        assert measured["thresholds"]["cosine"] == limit and measured["retrieval"]["pairs"] == 50


def test_languages_that_were_not_trained_together_have_no_threshold(home, capsys):
    write(home / "new.tsv", bitext(("de", "fr"), 60, 9))
    for side in ("de", "fr"):
        lines = [said(words, side) for words in sentences(60, 9)]
        (home / side).write_text("\n".join(lines) + "\n")
    refused = "no calibrated threshold for the {} for de fr: those that it has are for en de, en fr"
    for command, score in (("score", "cosine"), ("mine", "ratio")):
        files = ["new.tsv"] if command == "score" else ["de", "fr"]
        asked = [command, "model", *files, "--languages", "de", "fr"]
        assert main([*asked, "--at-least", "auto"]) == 1
        assert refused.format(score) in capsys.readouterr().err
        assert main(asked) == 0
        assert capsys.readouterr().out.count("\n") == 60
    assert main(["evaluate", "model", "new.tsv", "--languages", "de", "fr", "--json", "-"]) == 0
    measured = json.loads(capsys.readouterr().out)["bitext"]
    assert measured["calibrated_on_pairs"] == 30
    # calibrated for more languages, it keeps the others' thresholds
    encoder = SentenceEncoder.load("model")
    before = dict(encoder.metadata["quality"])
    limits = tandem.calibrate(encoder, bitext(("de", "fr"), 60, 9), ("de", "fr"))["thresholds"]
    assert limits == measured["thresholds"]
    quality = encoder.metadata["quality"]
    assert quality.keys() == {"en de", "en fr", "de fr"}
    assert {name: quality[name] for name in before} == before
    tandem.calibrate(encoder, bitext(("fr", "en"), 60, 9), ("fr", "en"))
    assert encoder.metadata["quality"].keys() == {"en de", "fr en", "de fr"}


def test_the_card_has_a_line_for_each_pair_of_languages(home, tmp_path):
    assert main(["export", "model", str(tmp_path / "exported")]) == 0
    card = (tmp_path / "exported" / "README.md").read_text()
    for languages, pairs in (("en-de", 45), ("en-fr", 25)):
        assert f"| retrieval among {pairs} held-out pairs, {languages} | P@1 x 100 | " in card
        assert f"95% of translations of {languages} have a cosine of 0." in card
    assert "{'" not in card


def test_files_with_languages_are_one_more_pair_and_python_does_the_same(home, tmp_path):
    files = ["en-de.tsv", "--languages", "en", "de", *PAIRS[4:]]
    assert main(["train", *files, *SHAPE, "--out", str(tmp_path / "model")]) == 0
    assert content(tmp_path / "model") == content(home / "model")
    texts = {
        sides: bitext(sides, count, seed) for seed, (sides, count) in enumerate(SIZES.items())
    }
    encoder = tandem.train(
        texts, out=tmp_path / "python", segmentation={"kind": "words"},
        encoder=SentenceEncoder.load("model").kind,
    )  # fmt: skip
    assert encoder.digest() == SentenceEncoder.load("model").digest()
    sources = [part["cleaning"]["sources"] for part in encoder.metadata["text"].values()]
    assert sources == [{"pairs en de": 900}, {"pairs en fr": 500}]


def test_the_same_languages_in_either_order_are_one_pair(home, tmp_path):
    first, second = bitext(("en", "de"), 300, 1), bitext(("en", "de"), 200, 2)
    write(tmp_path / "a.tsv", first)
    write(tmp_path / "b.tsv", second)
    write(tmp_path / "turned.tsv", [pair[::-1] for pair in second])
    how = [*SHAPE, "--epochs", "1", "--out"]
    a, b, turned = (str(tmp_path / f"{name}.tsv") for name in ("a", "b", "turned"))
    assert main(["train", a, b, "--languages", "en", "de", *how, str(tmp_path / "one")]) == 0
    pairs = ["--pair", "en", "de", a, "--pair", "de", "en", turned]
    assert main(["train", *pairs, *how, str(tmp_path / "two")]) == 0
    models = [SentenceEncoder.load(tmp_path / name) for name in ("one", "two")]
    assert models[0].digest() == models[1].digest()
    assert models[1].metadata["languages"] == ["en", "de"]
    assert models[1].metadata["quality"] == models[0].metadata["quality"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "give FILE and --languages, or --pair, or both"),
        (["en-de.tsv"], 2, "give FILE and --languages, or --pair, or both"),
        (["--languages", "en", "de", *PAIRS], 2, "give FILE and --languages, or --pair, or both"),
        (["--pair", "en", "de"], 2, "--pair is two languages and at least one file"),
        ([*PAIRS, "--pair", "fr", "fr", "en-fr.tsv"], 1, "both sides are fr"),
        ([*PAIRS[:4], "--pair", "en", "fr", "en-de.tsv"], 1,
         "en-de.tsv: the same text is taken for en de and for en fr"),
        ([*PAIRS[:4], "--pair", "de", "en", "copy.tsv"], 1,
         "en-de.tsv and copy.tsv: the same text is taken for en de and for de en"),
        ([*PAIRS, "--pair", "de", "fr", "few.tsv"], 1, "de fr: 12 pairs are too few for 10"),
        ([*PAIRS, "--pair", "de", "fr", "same.tsv"], 1, "de fr: no pair of same.tsv is left after"),
        ([*PAIRS, "--pair", "de", "fr", "none.tsv"], 1, "none.tsv"),
        (["--pair", "en", "de", "-", "--pair", "en", "fr", "-"], 1, "- is stdin, once at most"),
        ([*PAIRS, "--json", "en-fr.tsv", "--overwrite"], 1, "in an input (en-fr.tsv)"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(home, words, code, message, capsys):
    (home / "copy.tsv").write_bytes((home / "en-de.tsv").read_bytes())
    write(home / "few.tsv", bitext(("de", "fr"), 12, 1))
    write(home / "same.tsv", [("a b c", "a b c")] * 9)
    before = sorted(path.name for path in home.iterdir())
    try:
        ended = main(["train", *words, "--out", "refused"])
    except SystemExit as error:
        ended = error.code
    assert (ended, message in (err := capsys.readouterr().err)) == (code, True), err
    assert sorted(path.name for path in home.iterdir()) == before


def test_a_language_that_a_model_lacks_is_named_before_text_is_read(home, capsys):
    (home / "noise").write_bytes(os.urandom(999))
    for words in (["noise", "--languages", "en", "it"],
                  [*PAIRS, "--pair", "de", "it", "noise"]):  # fmt: skip
        assert main(["train", *words, "--from", "model", "--out", "refused"]) == 1
        message = "no segmentation for language 'it'; this one knows de, en, fr"
        assert message in capsys.readouterr().err

    def unread():
        pytest.fail("it reads")
        yield

    start = SentenceEncoder.load("model")
    texts = {("en", "de"): unread(), ("en", "it"): unread()}
    with pytest.raises(TandemError, match="'it'; this one knows de, en, fr"):
        tandem.train(texts, out=home / "refused", start=start)
    assert not (home / "refused").exists()


def test_training_goes_on_with_languages_that_a_model_has(home, tmp_path):
    write(tmp_path / "de-fr.tsv", bitext(("de", "fr"), 300, 5))
    pairs = [*PAIRS[:4], "--pair", "de", "fr", str(tmp_path / "de-fr.tsv")]
    out = tmp_path / "more"
    assert main(["train", *pairs, "--from", "model", "--epochs", "1", "--out", str(out)]) == 0
    more = SentenceEncoder.load(out)
    assert more.segmenter.vocabulary == SentenceEncoder.load("model").segmenter.vocabulary
    assert more.metadata["quality"].keys() == {"en de", "de fr"}


def test_a_killed_training_goes_on_to_the_same_bytes_with_the_same_text_only(home):
    write(home / "other.tsv", bitext(("en", "fr"), 500, 8))
    command = [sys.executable, "-c", OFTEN, "train", *SHAPE, "--out", "killed"]
    process = subprocess.Popen(
        [*command, *PAIRS], cwd=home, env=ENVIRONMENT, stderr=subprocess.DEVNULL
    )
    while not list(home.glob(".killed.unfinished/*/checkpoint")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for words, differing in (
        ([*PAIRS[:-1], "other.tsv"], "differs in text of file 2. Give"),
        ([*PAIRS[:-2], "it", "en-fr.tsv"], 'differs in languages (["en de", "en fr"] then, ["en'),
        (PAIRS[:4], 'differs in formats (["columns", "columns"] then, ["columns"] now)'),
    ):
        done = subprocess.run(
            [*command, *words, "--resume"],
            cwd=home, env=ENVIRONMENT, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.returncode, differing in done.stderr) == (1, True), done.stderr
    done = subprocess.run([*command, *PAIRS, "--resume"], cwd=home, env=ENVIRONMENT)
    assert done.returncode == 0
    assert content(home / "killed") == content(home / "model")


def test_warnings_name_the_languages(tmp_path, capsys):
    write(tmp_path / "a.tsv", bitext(("en", "de"), 1500, 1))
    unheard = [(chr(0x4E00 + n), chr(0xAC00 + n)) for n in range(600)]
    write(tmp_path / "b.tsv", unheard)
    a, b, c = (str(tmp_path / f"{name}.tsv") for name in "abc")
    shifted = bitext(("en", "fr"), 1500, 2)
    write(tmp_path / "c.tsv", zip((p[0] for p in shifted[1:]), (p[1] for p in shifted)))  # noqa: B905
    pairs = ["--pair", "en", "de", a, "--pair", "zh", "ko", b, "--pair", "en", "fr", c]
    out = str(tmp_path / "model")
    assert main(["train", *pairs, *SHAPE, "--size", "120", "--epochs", "9", "--out", out]) == 1
    err = capsys.readouterr().err
    assert "zh ko: warning: 30 of 30 held-out pairs have a side of unknown tokens only" in err
    assert "zh ko: fewer than two pairs have a token that is known on both sides" in err
    assert main(["train", *pairs[:4], *pairs[8:], *SHAPE, "--epochs", "9", "--out", out]) == 0
    err = capsys.readouterr().err
    assert "en fr: warning: a P@1 of " in err and "en de: warning" not in err
    assert err.endswith("next: put the text right, and train again (--overwrite)\n")


def test_languages_of_the_library_are_two(tmp_path):
    pairs = bitext(("en", "de"), 40, 1)
    for text, languages in ((pairs, ()), ({}, ()), ({("en", "de"): pairs}, ("en", "de"))):
        with pytest.raises(TandemError, match="say which languages the text is in"):
            tandem.train(text, languages, tmp_path / "model")
    for sides in ("en", ("en",), ("en", "de", "fr"), 3, ("en", None)):
        with pytest.raises(TandemError, match="is not two languages"):
            tandem.train({sides: pairs}, out=tmp_path / "model")
    with pytest.raises(TandemError, match="say which folder to write"):
        tandem.train({("en", "de"): pairs})
    texts = {("en", "de"): pairs, ("en", "fr"): []}
    with pytest.raises(TandemError, match="no pair to train on in en and fr"):
        tandem.train(texts, out=tmp_path / "model")
    with pytest.raises(TandemError, match=r"pairs en fr\[0\] is None, not two texts"):
        tandem.train(texts | {("en", "fr"): [None]}, out=tmp_path / "model")
    with pytest.raises(TandemError, match="the same text is taken for en de and for en fr"):
        tandem.train(dict.fromkeys(texts, pairs), out=tmp_path / "model")
    assert not list(tmp_path.iterdir())
