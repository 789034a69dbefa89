"""`tandem train`: what it makes, from nothing or from a model, and what it refuses."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from tandem import read_bitext, train
from tandem.cli import main
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.training import checkpoint

LANGUAGES = ["--languages", "en", "de"]


def bitext(folder, count):
    words = np.random.default_rng(1).integers(0, 20, (count, 4)).tolist()
    for side in ("en", "de"):
        lines = [" ".join(f"{side}{word}" for word in row) for row in words]
        (folder / side).write_text("\n".join(lines) + "\n")
    files = [str(folder / "en"), str(folder / "de")]
    return [*files, *LANGUAGES, "--segmentation", "words", "--dimension", "8"]


def test_train_learns_translations(tmp_path):
    options = ["--held-out", "50", "--epochs", "40", "--out", str(tmp_path / "model")]
    assert main(["train", *bitext(tmp_path, 1200), *options]) == 0
    header = (tmp_path / "model" / "history.csv").read_text().split("\n")[0]
    assert header == "epoch,loss,validation_p_at_1_x100"
    scores = history_of(tmp_path / "model")
    assert max(scores) > scores[0] + 8
    encoder = SentenceEncoder.load(tmp_path / "model")
    assert scores[encoder.metadata["epoch"]] == max(scores[1:])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["de", "en", "model"]


def test_no_sentence_of_the_text_is_in_a_model(tmp_path, capsys):
    out, report = tmp_path / "model", tmp_path / "done.json"
    arguments = [*bitext(tmp_path, 200), "--held-out", "20", "--epochs", "1"]
    assert main(["train", *arguments, "--out", str(out), "--json", str(report)]) == 0
    said = capsys.readouterr().err
    lines = [(tmp_path / side).read_text().splitlines() for side in ("en", "de")]
    shown = [line.split(": ")[1] for line in said.splitlines() if "finds: " in line]
    assert shown and set(shown) <= set(lines[1])
    # a model of an earlier version, and what begins with one
    old = SentenceEncoder.load(out)
    old.metadata["quality"]["examples"] = {"hit": {"sentence": lines[0][0], "found": lines[1][0]}}
    old.metadata["start"] = {"training": {"quality": dict(old.metadata["quality"])}}
    old.save(tmp_path / "old")
    assert lines[0][0].encode() in (tmp_path / "old" / "encoder.json").read_bytes()
    more = ["--from", str(tmp_path / "old"), "--held-out", "20", "--epochs", "1"]
    files = [*arguments[:2], *LANGUAGES]
    assert main(["train", *files, *more, "--out", str(tmp_path / "more")]) == 0
    for command in ("compress", "export"):
        assert main([command, str(tmp_path / "old"), str(tmp_path / command)]) == 0
    places = [report, *(path for name in ("model", "more", "compress", "export")
                        for path in (tmp_path / name).rglob("*") if path.is_file())]  # fmt: skip
    assert len(places) > 20
    for place in places:
        content = place.read_bytes().decode("utf-8", "replace")
        assert not [line for side in lines for line in side if line in content], place


def test_training_twice_gives_the_same_bytes(tmp_path):
    arguments = [*bitext(tmp_path, 200), "--held-out", "20", "--epochs", "1"]
    for name in ("one", "two"):
        assert main(["train", *arguments, "--out", str(tmp_path / name)]) == 0
    one, two = (sorted((tmp_path / name).rglob("*.*")) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def history_of(folder):
    lines = (folder / "history.csv").read_text().splitlines()[1:]
    return [float(line.split(",")[2]) for line in lines]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of words, and the arguments of training with a few pairs of the same words."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "large").mkdir()
    how = ["--held-out", "50", "--epochs", "20", "--learning-rate", "0.03"]
    arguments = [*bitext(folder / "large", 600), *how]
    assert main(["train", *arguments, "--out", str(folder / "model")]) == 0
    few = bitext(folder, 120)[:2]
    return folder / "model", [*few, *LANGUAGES, "--held-out", "40", "--epochs", "2"]


def test_train_starts_from_a_model_with_its_segmentation(trained, tmp_path):
    model, few = trained
    assert main(["train", *few, "--from", str(model), "--out", str(tmp_path / "more")]) == 0
    shape = ["--segmentation", "words", "--dimension", "8"]
    assert main(["train", *few, *shape, "--out", str(tmp_path / "scratch")]) == 0
    start, more = SentenceEncoder.load(model), SentenceEncoder.load(tmp_path / "more")
    assert more.kind == start.kind
    assert more.segmenter.vocabulary == start.segmenter.vocabulary
    assert more.metadata["start"] == {"sha256": start.digest(), "training": start.metadata}
    assert not np.array_equal(more.table, start.table)
    assert "start" not in SentenceEncoder.load(tmp_path / "scratch").metadata
    # the first score is that of the start
    assert history_of(tmp_path / "more")[0] > history_of(tmp_path / "scratch")[0] + 10


def test_training_from_a_model_goes_on_where_it_was_stopped(trained, tmp_path, monkeypatch):
    model, few = trained
    save = checkpoint.write

    def save_then_stop(*arguments):
        save(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "write", save_then_stop)
        patched.setattr("tandem.training.course.time.monotonic", itertools.count(step=100).__next__)
        command = ["train", *few, "--from", str(model), "--batch", "16"]
        assert main([*command, "--out", str(tmp_path / "one")]) == 130
    assert len(list(tmp_path.glob(".one.unfinished/*/checkpoint"))) == 1
    for name in ("one", "two"):
        assert main([*command, "--out", str(tmp_path / name)]) == 0
    one, two = (sorted((tmp_path / name).rglob("*.*")) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_work_that_another_start_began_is_not_gone_on_with(trained, tmp_path, monkeypatch):
    model, few = trained
    out = tmp_path / "more"
    with monkeypatch.context() as patched:
        patched.setattr("tandem.own_bitext.build.training.save_trained", stop)
        assert main(["train", *few, "--from", str(model), "--out", str(out)]) == 130
    work = tmp_path / ".more.unfinished"
    begun = next(work.glob("*/description.json")).read_text()
    assert SentenceEncoder.load(model).digest() in begun
    other = SentenceEncoder.load(model)
    other.table += 1
    other.save(tmp_path / "other")
    command = ["train", *few, "--from", str(tmp_path / "other"), "--out", str(out)]
    assert main([*command, "--resume"]) == 1
    with monkeypatch.context() as patched:
        patched.setattr("tandem.own_bitext.build.training.save_trained", stop)
        assert main(command) == 130  # beside what had no checkpoint yet
    anew = begun.replace(SentenceEncoder.load(model).digest(), other.digest())
    stopped = {path.read_text() for path in work.glob("*/description.json")}
    assert stopped == {begun, anew}


def stop(*_, **__):
    raise KeyboardInterrupt


def test_an_option_at_its_default_is_as_good_as_none(tmp_path, monkeypatch, capsys):
    out, whole = str(tmp_path / "out"), str(tmp_path / "whole")
    command = ["train", *bitext(tmp_path, 300), "--held-out", "20"]
    command += ["--patience", "1", "--learning-rate", "0.001"]
    assert main([*command, "--out", whole]) == 0
    defaults = """--epochs 60 --dropout 0.7 --embedding-multiplier 1 --decay none --batch 128
        --threads 1 --seed 1 --scramble 0 --optimizer adam --warmup 0 --precision auto --size 4000
        --sample 250000 --encoder averaging --objective margin --device cpu""".split()
    with monkeypatch.context() as patched:
        patched.setattr("tandem.own_bitext.build.training.save_trained", stop)
        assert main([*command, "--out", out]) == 130
    work = next((tmp_path / ".out.unfinished").glob("*/text")).stat().st_ino
    for other, differing in (
        (["--threads", "2"], "recipe threads (1 then, 2 now)"),
        (["--epochs", "61"], "recipe epochs (60 then, 61 now)"),
        (["--size", "4001"], "segmentation size (4000 then, 4001 now)"),
        (["--objective-setting", "margin=0.3"], "objective margin (0.4 then, 0.3 now)"),
        (["--sample", "99"], "segmentation sample (255 then, 99 now)"),
        (["--held-out", "21"], "held_out (20 then, 21 now)"),
    ):
        assert main([*command, *other, "--resume", "--out", out]) == 1
        assert f"differs in {differing}. Give" in capsys.readouterr().err
    with monkeypatch.context() as patched:
        patched.setattr("tandem.own_bitext.build.training.save_trained", stop)
        assert main([*command, *defaults, "--resume", "--out", out]) == 130
    assert next((tmp_path / ".out.unfinished").glob("*/text")).stat().st_ino == work
    assert main([*command, "--resume", "--out", out]) == 0
    assert SentenceEncoder.load(out).digest() == SentenceEncoder.load(whole).digest()


def test_pairs_that_serve_for_nothing_are_counted(tmp_path, capsys):
    pairs = [(f"a{n} b{n} c", f"x{n} y{n} z") for n in range(300)]
    # each of these shares a text with another pair
    pairs += [(f"a{n} b{n} c", f"x{n} y{n} w") for n in range(300)]
    for side, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
        (tmp_path / side).write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / "en"), str(tmp_path / "de")]
    how = ["--segmentation", "words", "--dimension", "8", "--held-out", "20", "--epochs", "1"]
    report = tmp_path / "done.json"
    command = ["train", *files, *LANGUAGES, *how, "--out", str(tmp_path / "model")]
    assert main([*command, "--json", str(report)]) == 0
    done, said = json.loads(report.read_text()), capsys.readouterr().err
    splits, reported = done["text"]["splits"], done["quality"]["retrieval"]["pairs"]
    dropped, again = splits["dropped_overlapping"], 40 - 20 - reported
    assert dropped > 40
    held = "held out: 20 pairs to stop on, 20 to calibrate on, "
    text = f"left out: pairs {dropped} that share a text with held-out ones"
    text += f" and {again} held out, that share a text with those to calibrate on" if again else ""
    assert f"{held}{reported} to report on\n{text}\n" in said
    trained = 600 - 40 - reported - dropped - again
    assert f"training on {trained} pairs" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--languages", "en", "fr"], "no segmentation for language 'fr'; this one knows de, en"),
        ([*LANGUAGES, "--dimension", "300"], "encoder (with its dimension): the model that"),
        ([*LANGUAGES, "--size", "9", "--encoder", "averaging"], "dimension) and size: the model"),
    ],
)
def test_what_contradicts_the_model_to_start_from_is_refused(
    arguments, message, trained, tmp_path, capsys
):
    model, files = str(trained[0]), bitext(tmp_path, 60)[:2]
    out = tmp_path / "out"
    command = ["train", *files, *arguments, "--from", model, "--out", str(out)]
    assert main(command) == 1
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["de", "en"]


def test_the_model_to_start_from_is_not_overwritten(trained, tmp_path, capsys):
    model = str(trained[0])
    command = ["train", *bitext(tmp_path, 60)[:2], *LANGUAGES, "--from", model, "--out", model]
    assert main([*command, "--overwrite"]) == 1
    assert "is, holds or lies in an input" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--epochs", "--batch", "--dimension", "--held-out", "--size"])
@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_amounts_are_above_zero(option, number, capsys):
    with pytest.raises(SystemExit) as error:
        main(["train", "a", "b", *LANGUAGES, "--out", "x", f"{option}={number}"])
    assert error.value.code == 2
    assert option in capsys.readouterr().err


def test_a_smaller_batch_makes_another_model(tmp_path):
    arguments = [*bitext(tmp_path, 200), "--held-out", "20", "--epochs", "1"]
    tables = []
    for size in ("16", "64"):
        out = tmp_path / size
        assert main(["train", *arguments, "--batch", size, "--out", str(out)]) == 0
        tables.append((out / "model.safetensors").read_bytes())
    assert tables[0] != tables[1]


def test_a_transformer_reads_the_words_of_chinese(tmp_path):
    chinese = "神爱世人甚至将他的独生子{}赐给他们"
    for side, line in (("en", "God loves the world {}"), ("zh", chinese)):
        lines = [line.format(number) for number in range(200)]
        (tmp_path / side).write_text("\n".join(lines) + "\n")
    command = ["train", *(str(tmp_path / side) for side in ("en", "zh")), "--languages", "en", "zh"]
    command += ["--segmentation", "words-and-ngrams", "--held-out", "20", "--epochs", "1"]
    small = ["layers=1", "heads=2", "hidden=8", "filter=16", "output=6", "dimension=8"]
    command += ["--encoder", "transformer", *(w for s in small for w in ("--encoder-setting", s))]
    assert main([*command, "--out", str(tmp_path / "model")]) == 0
    segmentation = SentenceEncoder.load(tmp_path / "model").segmenter.segmentation
    assert segmentation.chinese_words and segmentation.ngrams == (1, 4)


def test_an_encoder_and_an_objective_have_settings_of_their_own(tmp_path, capsys):
    out = tmp_path / "model"
    command = ["train", *bitext(tmp_path, 200), "--held-out", "20", "--epochs", "1"]
    kinds = ["--encoder", "transformer", "--segmentation", "words-and-ngrams"]
    small = ["layers=1", "heads=2", "hidden=8", "filter=16", "output=6", "dimension=8"]
    settings = [word for each in small for word in ("--encoder-setting", each)]
    loss = ["--objective", "additive-margin", "--objective-setting", "hard=1"]
    assert main([*command, *kinds, *settings, *loss, "--out", str(out)]) == 0
    trained = SentenceEncoder.load(out)
    assert trained.kind.grouped and trained.dimension == 6
    assert trained.metadata["objective"]["hard"] == 1
    for wrong, said in (
        (["--encoder-setting", "layers=2"], "unknown key 'layers'"),
        (["--objective-setting", "margin=no"], "margin: "),
        ([*kinds[:2], "--segmentation", "trigrams", "--encoder-setting", "grouped=true"],
         "transformer does not read trigrams"),
        ([*kinds, *settings, "--scramble", "0.1"], "Leave scramble out, or give another"),
        (["--from", str(out), "--encoder-setting", "layers=2"], "encoder (with its dimension) and"),
        (["--from", str(out), "--size", "300", "--segmentation", "words"],
         "dimension) and segmentation and size: the"),
    ):  # fmt: skip
        assert main([*command, *wrong, "--out", str(tmp_path / "other")]) == 1
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("segmentation", ["sentencepiece", "words"])
def test_text_of_words_that_stand_once_is_warned_of_and_trains(tmp_path, segmentation, capsys):
    lines = (f"{chr(0x4E00 + n)}\t{chr(0xAC00 + n)}\n" for n in range(600))
    (tmp_path / "a.tsv").write_text("".join(lines), encoding="utf-8")
    model = str(tmp_path / "model")
    languages = ["--languages", "zh", "ko"]
    how = ["--epochs", "1", "--dimension", "8", "--segmentation", segmentation, "--out", model]
    assert main(["train", str(tmp_path / "a.tsv"), *languages, *how]) == 0
    err = capsys.readouterr().err
    assert "warning: 30 of 30 held-out pairs have a side of unknown tokens only" in err
    assert err.index("warning: ") < err.index("kept epoch")
    assert "no threshold of translations: too many of the pairs" in err
    assert f"next: tandem score {model} FILES --languages zh ko --out kept.tsv" in err
    assert SentenceEncoder.load(model).metadata["quality"]["thresholds"] == {}
    assert main(["evaluate", model, str(tmp_path / "a.tsv"), *languages, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["bitext"]["thresholds"] == {}
    assert main(["evaluate", model, str(tmp_path / "a.tsv"), *languages]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["metric", "P@1"]
    options = ["--at-least", "auto"]
    assert main(["score", model, str(tmp_path / "a.tsv"), *languages, *options]) == 1
    assert "no calibrated threshold for the cosine: of the pairs" in capsys.readouterr().err


@pytest.mark.parametrize("blank", [None, 20])
def test_files_whose_lines_part_are_warned_of(tmp_path, blank, capsys):
    draw = np.random.default_rng(1)
    words = [draw.integers(0, 90, size).tolist() for size in draw.integers(2, 15, 1500)]
    texts = {s: [" ".join(f"{s}{w}" for w in line) for line in words] for s in ("en", "de")}
    if blank is not None:
        texts["en"] = [*texts["en"][:blank], "", *texts["en"][blank:-1]]
    for side, lines in texts.items():
        (tmp_path / side).write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / side) for side in texts]
    how = ["--segmentation", "words", "--dimension", "16", "--epochs", "12"]
    assert main(["train", *files, *LANGUAGES, *how, "--out", str(tmp_path / "model")]) == 0
    err = capsys.readouterr().err
    assert ("next: tandem score" in err) == (blank is None)
    assert ("warning" in err) == (blank is not None)
    if blank is not None:
        before, _, after = err.partition("kept epoch")
        for part in (before, after):  # before training and at its end
            assert "line 21 is the first that is blank on one side only" in part
            assert f"\n  23: {texts['en'][22]} | {texts['de'][22]}\n" in part
        assert "is far below the " in after
        assert err.endswith("next: put the text right, and train again (--overwrite)\n")


def test_more_text_is_trained_on_and_never_held_out(tmp_path, capsys):
    options = [*bitext(tmp_path, 300), "--epochs", "1"]
    words = tmp_path / "words.tsv"
    words.write_text("".join(f"word{n}\tWort{n}\n" for n in range(200)), encoding="utf-8")
    models = []
    for name, more in (("plain", []), ("more", ["--also", str(words)])):
        assert main(["train", *options, *more, "--out", str(tmp_path / name)]) == 0
        models.append(SentenceEncoder.load(tmp_path / name))
    splits = [model.metadata["text"]["splits"] for model in models]
    assert splits[1]["train"] == splits[0]["train"] + 200
    assert [s["valid"] for s in splits] == [splits[0]["valid"]] * 2
    assert [s["test"] for s in splits] == [splits[0]["test"]] * 2
    reordered = ["train", "--also", str(words), "--out", str(tmp_path / "none")]
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main([*reordered, "--pair", "en", "de", options[0], options[1]])
    assert "--also is more text beside FILE" in capsys.readouterr().err


def test_what_is_said_of_ones_text_is_not_of_text_beside_it(tmp_path, capsys):
    rng = np.random.default_rng(1)
    lines = [" ".join(f"w{n}" for n in row) for row in rng.integers(0, 900, (1200, 4))]
    (tmp_path / "my.tsv").write_text(
        "".join(f"a{n} {t}\tb{n}\n" for n, t in enumerate(lines[:900]))
    )
    (tmp_path / "more.tsv").write_text("".join(f"c{n} {t}\td{n}\n" for n, t in enumerate(lines)))
    text = [str(tmp_path / "my.tsv"), "--also", str(tmp_path / "more.tsv"), *LANGUAGES]
    how = ["--segmentation", "words", "--dimension", "4", "--epochs", "1"]
    command = ["train", *text, "--also", str(tmp_path / "my.tsv"), *how, "--also-per-pair", "9"]
    assert main([*command, "--out", str(tmp_path / "model")]) == 0
    err = capsys.readouterr().err
    # so few pairs have no usual P@1, and 2,100 would: nothing is wrong with the text
    assert "far below" not in err and "next: tandem score" in err
    assert "\nread 900 pairs, kept 900\n" in err
    beside = (
        "\nbeside them read 2,100 pairs, kept 1,200 (left out: 900 duplicate), trained on 1,200\n"
    )
    assert beside in err
    assert SentenceEncoder.load(tmp_path / "model").metadata["text"]["splits"]["own"] == 900


@pytest.mark.parametrize(
    ("more", "options", "read"),
    [
        ("en0\tde0\nen1\tde1\n", [], 2),
        ("English\tGerman\nen1\tde1\n", [], 1),
        ("noun\ten0\tde0\nverb\ten1\tde1\n", ["--also-columns", "2,3"], 2),
    ],
)
def test_text_beside_has_a_form_of_its_own(more, options, read, tmp_path):
    lines = "".join(f"{n}\ta{n} b{n % 7}\tc{n} d{n % 7}\n" for n in range(300))
    (tmp_path / "my.tsv").write_text(f"number\tmine\tyours\n{lines}", encoding="utf-8")
    (tmp_path / "words.tsv").write_text(more, encoding="utf-8")
    text = [str(tmp_path / "my.tsv"), *LANGUAGES, "--columns", "mine,yours", "--header"]
    command = ["train", *text, "--also", str(tmp_path / "words.tsv"), *options, "--epochs", "1"]
    out = tmp_path / "model"
    assert main([*command, "--segmentation", "words", "--out", str(out)]) == 0
    splits = SentenceEncoder.load(out).metadata["text"]["splits"]
    assert (splits["own"], splits["also_read"]) == (300, read)


def test_the_remedy_for_text_beside_is_its_own_option(tmp_path, capsys):
    command = ["train", *bitext(tmp_path, 300), "--out", str(tmp_path / "model")]
    for name, content in (("a.tsv", "n\ta\tb\n"), ("b.txt", "one, two\n")):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert main([*command, "--also", str(tmp_path / name)]) == 1
        err = capsys.readouterr().err
        assert f"{name}" in err and "--also-columns" in err and " --columns" not in err


def test_more_text_in_python_is_that_of_the_command(tmp_path):
    english, german, *_ = bitext(tmp_path, 300)
    words = [(f"word{n}", f"Wort{n}") for n in range(200)]
    pairs = list(read_bitext(english, german, languages=("en", "de")))
    model = train(pairs, ("en", "de"), also=words, out=tmp_path / "model", epochs=1)
    assert model.metadata["text"]["cleaning"]["sources"] == {"pairs": 300}
    assert model.metadata["text"]["cleaning"]["also"]["sources"] == {"also": 200}
    with pytest.raises(TandemError, match="fr has no text to hold out"):
        train({("en", "de"): pairs}, out=tmp_path / "no", also={("en", "fr"): words}, epochs=1)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (["--frozen", "embeddings"], "nothing to learn but embeddings"),
        (["--frozen", "embeddings", "--frozen-layers", "1"], "1 frozen layers of 0"),
        (["--segmentation", "tokenizer"], "comes with an encoder. Start from one"),
        (["--learning-rate", "1e30"], "is infinite or not a number"),
    ],
)
def test_what_fails_again_is_not_promised_to_go_on(tmp_path, asked, problem, capsys):
    files = bitext(tmp_path, 200)[:5]
    more = ["--held-out", "20", "--epochs", "1", "--from", "none", "--out", str(tmp_path / "out")]
    assert main(["train", *files, *more, *asked]) == 1
    said = capsys.readouterr().err
    assert problem in said and "--resume" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["de", "en"]
