"""`tandem train --objective generative` and `tandem restyle`: from text files to restyled ones."""

import json
import sys

import numpy as np
import pytest

from tandem.cli import main
from tandem.encoders.model import SentenceEncoder, parts_beside

QUICK = [
    "--objective", "generative", "--segmentation", "words", "--held-out", "5", "--epochs", "2",
    "--dimension", "16", "--quiet",
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with text and a model that was trained on it by the command line."""
    home = tmp_path_factory.mktemp("restyle")
    random = np.random.default_rng(1)
    rows = [random.integers(0, 30, random.integers(2, 6)) for _ in range(300)]
    for side in ("en", "de"):
        lines = [" ".join(f"{side}{n}" for n in row) for row in rows]
        (home / f"my.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    texts = [str(home / f"my.{side}") for side in ("en", "de")]
    model = str(home / "model")
    assert main(["train", *texts, "--languages", "en", "de", *QUICK, "--out", model]) == 0
    (home / "one.en").write_text("en1 en2 en3\n", encoding="utf-8")
    (home / "two.en").write_text("en1 en2 en3\nen4\n", encoding="utf-8")
    return home


def restyle(home, source, style, *options):
    return main(["restyle", str(home / "model"), str(home / source), str(home / style), *options])


def test_own_bitext_gives_a_model_like_any_other(home):
    encoder = SentenceEncoder.load(home / "model")
    assert (encoder.kind.kind, encoder.dimension) == ("posterior", 16)
    assert encoder.kind.body.kind == "transformer"
    assert "quality" in encoder.metadata
    texts = [str(home / f"my.{side}") for side in ("en", "de")]
    assert main(["score", str(home / "model"), *texts, "--languages", "en", "de", "--quiet",
                 "--out", str(home / "scored.tsv")]) == 0  # fmt: skip
    assert len((home / "scored.tsv").read_text().split("\n")) == 301


def test_a_line_is_written_for_each_line(home, capsys):
    out = home / "restyled.en.gz"
    assert restyle(home, "two.en", "two.en", "--out", str(out), "--json", "-") == 0
    counts = {"sentences": 2, "blank": 0, "unknown": 0, "unstyled": 0}
    assert json.loads(capsys.readouterr().out) == counts
    assert restyle(home, "two.en", "one.en", "--quiet") == 0  # one style for all
    lines = capsys.readouterr().out.split("\n")
    assert len(lines) == 3
    assert all(word.startswith(("en", "de")) for line in lines for word in line.split())


def test_no_sentence_is_invented_for_a_line_without_any(home, capsys):
    (home / "gaps.en").write_text("en1 en2\n\nxx yy\n \nen4\n", encoding="utf-8")
    assert restyle(home, "gaps.en", "one.en", "--json", str(home / "gaps.json")) == 0
    out, err = capsys.readouterr()
    assert [bool(line) for line in out.split("\n")] == [True, False, False, False, True, False]
    left = "left blank, since the model knows no token of SOURCE: 1"
    assert f"5 lines; blank, as in SOURCE: 2; {left}\n" in err
    counts = {"sentences": 5, "blank": 2, "unknown": 1, "unstyled": 0}
    assert json.loads((home / "gaps.json").read_text()) == counts
    (home / "foreign.en").write_text("xx\nen1\n", encoding="utf-8")
    assert restyle(home, "two.en", "foreign.en") == 0
    assert "2 lines; in no manner, since the model knows no token of STYLE: 1\n" in (
        capsys.readouterr().err
    )


def test_a_blank_style_is_refused_where_it_stands(home, capsys):
    for text, number in (("en1\n\n", 2), (" \n", 1)):
        (home / "style.en").write_text(text, encoding="utf-8")
        assert restyle(home, "two.en", "style.en") == 1
        where = f"style.en, line {number}: the line is blank. Give a sentence there"
        assert where in capsys.readouterr().err


def test_standard_input_may_be_the_source(home, capsys, monkeypatch):
    with open(home / "two.en", "rb") as stream:
        stdin = type("In", (), {"buffer": stream, "fileno": stream.fileno})
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["restyle", str(home / "model"), "-", str(home / "one.en"), "--quiet"]) == 0
    assert len(capsys.readouterr().out.split("\n")) == 3


@pytest.mark.parametrize(
    ("source", "style", "options", "said"),
    [
        ("my.en", "two.en", (), "two.en: no line 3, which"),
        ("one.en", "two.en", (), "two.en: more lines than"),
        ("one.en", "empty", (), "empty: the file is empty. Give a sentence to take after"),
        ("empty", "one.en", (), "empty: the file is empty. Nothing is written"),
        ("one.en", "one.en", ("--language", "fr"), "no variables of 'fr', only of: en, de"),
        ("one.en", "one.en", ("--beam", "0"), "0 is not from 1 to 100"),
        ("none.en", "one.en", (), "none.en"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_written(home, source, style, options, said, capsys):
    (home / "empty").write_text("")
    out = home / "new.en"
    try:
        code = restyle(home, source, style, *options, "--out", str(out))
    except SystemExit as error:
        code = error.code
    assert code in (1, 2)
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_what_a_compressed_model_lacks_is_said(home, capsys):
    assert main(["compress", str(home / "model"), str(home / "small")]) == 0
    said = capsys.readouterr().err
    assert "decoders and languages are left out, which tandem restyle needs. Keep " in said
    assert parts_beside(home / "small") == []
    assert SentenceEncoder.load(home / "small").dimension == 16
    assert main(["restyle", str(home / "small"), *2 * [str(home / "one.en")]]) == 1
    assert "without decoders, which writes no sentences" in capsys.readouterr().err


def test_codes_of_regions_are_those_of_the_model(home, capsys):
    texts = [str(home / f"my.{side}") for side in ("en", "de")]
    model = str(home / "regions")
    assert main(["train", *texts, "--languages", "en-GB", "de", *QUICK, "--out", model]) == 0
    one = str(home / "one.en")
    for language in ([], ["--language", "en-GB"]):
        assert main(["restyle", model, one, one, *language, "--quiet"]) == 0
    assert len(capsys.readouterr().out.split("\n")) == 3


def test_an_input_is_no_output(home, capsys):
    assert restyle(home, "two.en", "one.en", "--out", str(home / "one.en"), "--overwrite") == 1
    assert "one.en" in capsys.readouterr().err
    assert (home / "one.en").read_text() == "en1 en2 en3\n"


def train(home, name, *options):
    texts = [str(home / f"my.{side}") for side in ("en", "de")]
    out = ["--out", str(home / name)]
    return main(["train", *texts, "--languages", "en", "de", *QUICK, *options, *out])


def test_the_encoder_of_meaning_is_one_to_start_from(home):
    texts = [str(home / f"my.{side}") for side in ("en", "de")]
    how = ["--from", str(home / "model"), "--held-out", "5", "--epochs", "1", "--quiet"]
    out = str(home / "more")
    assert main(["train", *texts, "--languages", "en", "de", *how, "--out", out]) == 0
    more = SentenceEncoder.load(home / "more")
    assert more.kind == SentenceEncoder.load(home / "model").kind


@pytest.mark.parametrize(
    ("setting", "body"),
    [
        ("body={kind: transformer, layers: 2}", ("transformer", 2)),
        ("body={layers: 2}", ("transformer", 2)),
        ("body={kind: averaging}", ("averaging", None)),
        ("latent=16", ("transformer", 1)),
    ],
)
def test_one_setting_of_the_body_leaves_the_model_small(home, setting, body):
    name = "body" + "".join(filter(str.isalnum, setting))
    assert train(home, name, "--encoder-setting", setting, "--epochs", "1") == 0
    kind = SentenceEncoder.load(home / name).kind
    assert (kind.body.kind, getattr(kind.body, "layers", None)) == body
    assert (kind.dimension, kind.latent) == (16, 16)


def test_a_list_is_names_between_commas(home):
    how = ["--objective-setting", "decoder=lstm", "--objective-setting", "places=hidden,logit"]
    assert train(home, "places", *how, "--epochs", "1") == 0
    objective = json.loads((home / "places/decoders/decoders.json").read_text())["objective"]
    assert objective["places"] == ["hidden", "logit"]


@pytest.mark.parametrize(
    ("option", "setting", "said"),
    [
        ("objective", "places=3", "places: 3 is no list. Write places=A,B"),
        ("objective", "places=logit,foo", "places.1: Input should be 'word', 'hidden',"),
        ("encoder", "body=lstm", "Write 'body={kind: transformer, layers: 2}'"),
        ("encoder", "body={pooling: four}", "a mean over the sentence. Leave out its pooling"),
        ("encoder", "body={kind: posterior, body: {kind: averaging}}", "or give another kind"),
    ],
)
def test_a_setting_that_is_refused_has_its_form(home, option, setting, said, capsys):
    assert train(home, "refused", f"--{option}-setting", setting) == 1
    assert said in capsys.readouterr().err
    assert not (home / "refused").exists()


def test_a_model_that_cannot_restyle_says_which_can(home, capsys):
    assert train(home, "plain", "--objective-setting", "language_variables=false") == 0
    one = str(home / "one.en")
    assert main(["restyle", str(home / "plain"), one, one]) == 1
    err = capsys.readouterr().err
    assert "the model has no language variables" in err
    assert "objective generative and language_variables=true" in err
    assert "another language" not in err


def test_a_small_text_is_trained_on_until_its_loss_is_the_least(home):
    """P@1 is there from the first epoch, from which a training that it chose did not get away."""
    texts, model = [str(home / f"my.{side}") for side in ("en", "de")], home / "longer"
    at = QUICK.index("--epochs")
    # a pass is of one update
    options = [*QUICK[:at], *QUICK[at + 2 :], "--objective-setting", "annealing=null"]
    asked = ["train", *texts, "--languages", "en", "de", *options, "--epochs", "20"]
    assert main([*asked, "--out", str(model)]) == 0
    lines = (model / "history.csv").read_text().splitlines()
    assert lines[0] == "epoch,loss,validation_minus_loss_nats"
    scores = [float(line.split(",")[2]) for line in lines[1:]]
    assert len(scores) == 21 and scores[-1] > scores[1]
    best = SentenceEncoder.load(model).metadata["epoch"]
    assert scores[best] == max(scores[1:]) and best > 10


def test_it_trains_one_pair_of_languages_by_a_posterior(home, capsys):
    pair = ["--pair", "en", "de", str(home / "my.en"), str(home / "my.de")]
    other = ["--pair", "en", "fr", str(home / "my.en"), str(home / "my.de")]
    out = ["--out", str(home / "joint")]
    assert main(["train", *pair, *other, *QUICK, *out]) == 1
    assert "there are 2 texts. Give one bitext" in capsys.readouterr().err
    assert main(["train", *pair, *QUICK, "--encoder", "averaging", *out]) == 1
    assert "averaging has no posterior" in capsys.readouterr().err
    assert main(["train", *pair, *QUICK, "--batch", "64", *out]) == 1
    assert "generative does not read batch of a recipe" in capsys.readouterr().err
    other = [option.replace("words", "trigrams") for option in QUICK]
    assert main(["train", *pair, *other, *out]) == 1
    err = capsys.readouterr().err
    assert "character trigrams in a row are no text. Give the segmentation sentencepiece" in err
    assert not (home / "joint").exists()
