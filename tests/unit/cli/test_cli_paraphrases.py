"""An encoder is fine-tuned on labelled pairs, which it then tells; negatives are mined."""

import json

import numpy as np
import pytest
from small_pretrained import PIECES, save_folder

from tandem.cli import main
from tandem.corpora.labelled_files import LabelledFiles, LabelledText
from tandem.encoders.model import SentenceEncoder
from tandem.own_bitext.labelled_division import divided

EN = ["--languages", "en", "en"]
QUICK = ["--labelled", *EN, "--epochs", "2", "--learning-rate", "0.01", "--batch", "8"]
WORDS = [piece.lstrip("▁") for piece in PIECES[4:] if piece not in ("▁", ":")]


def rows(count=150):
    """Pairs that share their words: swapped ones say something else, doubled ones the same."""
    random = np.random.default_rng(1)
    pairs = []
    for n in range(count):
        words = [*random.choice(WORDS, 5), "s" * (n % 7 + 1), f"{n}"]
        other = [*words[1:], words[0]] if n % 2 else [*words, words[-1]]
        pairs.append((" ".join(words), " ".join(other), str(1 - n % 2)))
    return pairs


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("paraphrases")
    save_folder(home / "hub", "bert")
    lines = ["\t".join(row) for row in rows()]
    (home / "pairs.tsv").write_text("\n".join(["sentence1\tsentence2\tlabel", *lines]) + "\n")
    start = ["--from", str(home / "hub"), "--out", str(home / "model")]
    assert main(["train", str(home / "pairs.tsv"), *QUICK, *start, "--quiet"]) == 0
    return home


@pytest.fixture
def run(home, monkeypatch, capsys):
    """Return a function: a command in that folder, its exit code, stdout and stderr."""
    monkeypatch.chdir(home)

    def command(*arguments):
        code = main(list(map(str, arguments)))
        written = capsys.readouterr()
        return code, written.out, written.err

    return command


def test_what_was_measured_is_in_the_model(home):
    metadata = SentenceEncoder.load(home / "model").metadata
    sizes = metadata["labelled"]
    assert sum(sizes.values()) == 150 and min(sizes.values()) >= 15
    told = metadata["identification"]
    assert told["pairs"] == sizes["test"] and told["calibrated_on_pairs"] == sizes["calibration"]
    accuracy = told["accuracy_x100"]
    assert 0 <= accuracy["low"] <= accuracy["estimate"] <= accuracy["high"] <= 100
    assert metadata["start"]["training"]["pretrained"] == {"name": "hub"}
    assert (
        (home / "model/history.csv").read_text().startswith("epoch,loss,validation_accuracy_x100\n")
    )


def test_pairs_are_told_by_the_models_threshold(home, run):
    (home / "some.tsv").write_text("a sheep\ta sheep\nthe car\tis red . e p p p p\n")
    code, out, err = run("identify", "model", "some.tsv", *EN)
    told = [line.split("\t") for line in out.splitlines()]
    threshold = SentenceEncoder.load(home / "model").metadata["identification"]["threshold"]
    assert code == 0 and [row[2:] for row in told][0] == ["a sheep", "a sheep"]
    assert all(int(row[1]) == (float(row[0]) >= threshold) for row in told)
    assert float(told[0][0]) == 1 and told[0][1] == "1"
    assert f"from a cosine of {threshold:.3f} on" in err
    code, out, _ = run("identify", "model", "some.tsv", *EN, "--at-least", "2")
    assert [line.split("\t")[1] for line in out.splitlines()] == ["0", "0"]
    code, _, err = run("identify", "hub", "some.tsv", *EN)
    assert code == 1 and "this model has no threshold of paraphrases" in err


def test_a_training_goes_on_to_the_same_bytes(home, run):
    again = ["--from", "hub", "--out", "again"]
    assert run("train", "pairs.tsv", *QUICK, *again)[0] == 0
    for name in ("model.safetensors", "encoder.json", "history.csv"):
        assert (home / "again" / name).read_bytes() == (home / "model" / name).read_bytes()


def test_to_resume_replaces_no_model_that_is_whole(home, run):
    digest = SentenceEncoder.load(home / "model").digest()
    command = ["train", "pairs.tsv", *QUICK, "--from", "hub", "--out", "model", "--resume"]
    for other in ([], ["--seed", "2"]):
        code, _, err = run(*command, *other)
        assert code == 1 and "model is there already" in err
    assert SentenceEncoder.load(home / "model").digest() == digest


def test_labels_that_follow_from_others_are_trained_on(home, run):
    texts = [LabelledText(left, right, int(label)) for left, right, label in rows()]
    texts += [LabelledText(p.first, f"x {p.first}", 0) for p in texts if p.label]
    lines = ["\t".join(map(str, text)) for text in texts]
    (home / "more.tsv").write_text("\n".join(lines) + "\n")
    start = ["--from", home / "hub", "--out", home / "implied"]
    code, _, err = run("train", "more.tsv", *QUICK, *start, "--implied")
    assert code == 0
    # a sentence that says the same as the first is none of what the first differs from
    expected = sum(pair.label for pair in divided(texts, 500, 1)["train"])
    assert expected > 40 and f", and {expected} that they imply" in err
    assert SentenceEncoder.load(home / "implied").metadata["implied"] == expected
    code, _, err = run("train", "a", "b", *EN, "--out", home / "none", "--implied")
    assert code != 0 and "--implied is of --labelled" in err


def test_labelled_pairs_are_evaluated(home, run):
    code, out, err = run("evaluate", "model", "pairs.tsv", "--labelled", *EN, "--json", "own.json",
                         "--overwrite")  # fmt: skip
    assert code == 0 and "the model's own" in err and "average precision x 100" in out
    own = json.loads((home / "own.json").read_text())["labelled"]
    assert own["pairs"] == 150 and own["own_threshold"]
    code, out, err = run("evaluate", "hub", "pairs.tsv", "--labelled", *EN)
    assert code == 0 and "(calibrated on 75 others)" in err and "75 pairs" in out


def test_a_threshold_of_other_languages_is_warned_of(home, run):
    (home / "some.tsv").write_text("a sheep\ta sheep\nthe car\tis red . e p p p p\n")
    report = ["--json", "told.json", "--overwrite"]
    warning = "warning: the threshold was calibrated on pairs of en en, not of en de"
    for languages in (["en", "en"], ["en", "de"]):
        of = ["--languages", *languages]
        code, _, err = run("identify", "model", "some.tsv", *of, *report, "--out", "other.tsv")
        assert code == 0 and (warning in err) == ("de" in languages)
        assert json.loads((home / "told.json").read_text())["threshold_languages"] == ["en", "en"]
        code, _, err = run("evaluate", "model", "pairs.tsv", "--labelled", *of, *report)
        figures = json.loads((home / "told.json").read_text())["labelled"]
        assert code == 0 and figures["threshold_languages"] == ["en", "en"]
        best = f"One of {figures['best_threshold']:.3f} tells these very pairs best"
        assert (f"{warning}. {best}" in err) == ("de" in languages)
    code, _, err = run("identify", "model", "some.tsv", "--languages", "en", "de",
                       "--at-least", "0.5", "--out", "other.tsv", "--overwrite")  # fmt: skip
    assert code == 0 and "warning" not in err
    code, _, err = run("evaluate", "hub", "pairs.tsv", "--labelled", "--languages", "en", "de")
    assert code == 0 and "calibrated on 75 others" in err and "warning" not in err


def test_negatives_are_labelled_pairs(home, run):
    lines = [f"{first}\t{first} {n}\n" for n, (first, _, _) in enumerate(rows(40))]
    (home / "pairs.txt").write_text("".join(lines))
    options = [*EN, "--number", "2", "--margin", "0.0001", "--out", "mined.tsv", "--overwrite"]
    code, _, err = run("negatives", "hub", "pairs.txt", *options)
    assert code == 0 and "negatives of" in err
    lines = [x.split("\t") for x in (home / "mined.tsv").read_text().splitlines()]
    assert lines[0] == ["sentence1", "sentence2", "label"]
    positive = {row[0]: row[1] for row in lines[1:] if row[2] == "1"}
    negative = [row for row in lines[1:] if row[2] == "0"]
    assert negative and all(row[1] != positive[row[0]] for row in negative)
    assert max(sum(row[0] == first for row in negative) for first in positive) <= 2
    code, _, err = run("negatives", "hub", "pairs.txt", *EN, "--margin", "0.999")
    assert code == 1 and "has a negative that is far enough. Nothing is written" in err
    assert run("negatives", "hub", "pairs.txt", *EN, "--margin", "1")[0] == 1


def test_what_was_mined_is_trained_on(home, run):
    lines = [f"{first}\t{first} {n % 9}\n" for n, (first, _, _) in enumerate(rows(120))]
    (home / "many.txt").write_text("".join(lines))
    options = [*EN, "--number", "2", "--margin", "0.0001", "--out", "hard.tsv", "--overwrite"]
    assert run("negatives", "hub", "many.txt", *options)[0] == 0
    start = ["--from", "hub", "--out", "after", "--overwrite"]
    code, _, err = run("train", "hard.tsv", *QUICK, *start)
    assert code == 0, err


def test_a_sorted_file_is_judged_as_any_other(home, run):
    lines = (home / "pairs.tsv").read_text().splitlines(keepends=True)
    for name, some in (("sorted", sorted(lines[1:], key=lambda line: line[-2])),
                       ("same", [line for line in lines[1:] if line[-2] == "1"])):  # fmt: skip
        (home / f"{name}.tsv").write_text("".join([lines[0], *some]))
    own, written = {}, ["--json", "own.json", "--overwrite"]
    for name in ("pairs", "sorted"):
        code, _, err = run("evaluate", "hub", f"{name}.tsv", "--labelled", *EN, *written)
        assert code == 0, err
        own[name] = json.loads((home / "own.json").read_text())["labelled"]
    shares = [figures["positive_x100"] for figures in own.values()]
    assert all(35 < share < 65 for share in shares), shares
    for model in ("hub", "model"):
        code, _, err = run("evaluate", model, "same.tsv", "--labelled", *EN)
        assert code == 1 and "have the same label, which says nothing" in err


@pytest.mark.parametrize(
    ("lines", "options", "problem"),
    [
        (["a\tb\t1", "a\tb\tmaybe"], [], "line 2: the label 'maybe' is neither 0 nor 1. Give 1"),
        (["a\tb\t1", "a\tb"], [], "line 2: 2 columns, and the first line has 3"),
        (["a\tb"], [], "line 1: 2 columns, none of which is called label"),
        (["a\tlabel\tb"], [], "line 1: one column is called label, and no others"),
        (["a\tb\t1"], [], "odd.tsv: 1 labelled pair in 1 group without a sentence in common"),
        ([""], [], "the file is empty"),
        (["a\tb\t1"], ["--columns", "1,2"], "give --columns and --label, or neither"),
        (["a\tb\t1"], ["--columns", "1,2", "--label", "9"], "no column is 9"),
        (["a\tb\t1"], ["--columns", "1,2", "--label", "2"], "not three different ones"),
        (["a\tb\t2"], ["--columns", "1,2", "--label", "3"], "line 1: the label '2' is neither"),
        (["a\tb\tyes", "c\td\t1"], ["--columns", "1,2", "--label", "3"], "line 1: the label 'yes'"),
        (["q1\tq2\tsame"], [], "say so: --header"),
        (["sentence1\tsentence2\tlabel"], ["--no-header"], "line 1: the label 'label' is neither"),
        (["sentence1\tsentence2\tlabel"], [], "odd.tsv: only names of columns. Give a file"),
        (["q1\tq2\tsame"], ["--header"], "odd.tsv: only names of columns. Give a file"),
        (["a\t\t1", "\tb\t0"], [], "odd.tsv: 2 pairs, all with a blank side. Give pairs"),
        (["a\tb"], [], "say which they are: --columns 2,3 --label 4"),
        (["a\tb\t1"], ["--columns", "a,b", "--label", "1", "--no-header"], "no line has them"),
        (["a\tb\t1"], ["--columns", "1,a", "--label", "3"], "fewer than three columns"),
        (["a\tb\t1"], ["--objective", "margin"], "the objective margin reads no labels"),
        (["a\tb\t1"], ["--size", "5"], "--size is for bitext"),
        (["a\tb\t1"], ["--dimension", "5"], "--dimension is for bitext"),
        (["a\tb\t1"], ["--also-per-pair", "5"], "--also-per-pair is for bitext"),
        (
            [f"{n} a\t{n} b\t1" for n in range(90)], [],
            "odd.tsv: all 9 pairs of the part valid have the same label. Give pairs of both labels",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_said(home, run, lines, options, problem):
    (home / "odd.tsv").write_text("\n".join(lines) + "\n")
    start = ["--from", "hub", "--out", "odd"]
    code, _, err = run("train", "odd.tsv", "--labelled", *EN, *options, *start)
    assert code == 1 and problem in err and not (home / "odd").exists()


def test_columns_that_a_remedy_names_are_read(home, run):
    (home / "wide.tsv").write_text(
        "".join(f"{n}\tx\t{a}\t{b}\t{label}\n" for n, (a, b, label) in enumerate(rows(9)))
    )
    code, _, err = run("evaluate", "hub", "wide.tsv", "--labelled", *EN)
    assert code == 1 and "say which they are: --columns 2,3 --label 4" in err
    command = ["evaluate", "hub", "wide.tsv", "--labelled", *EN, "--columns", "3,4"]
    code, _, err = run(*command, "--label", "5")
    assert code == 0, err
    code, _, err = run(*command)
    assert code == 1 and "such as --columns 2,3 --label 4" in err
    code, _, err = run(*command, "--label", "9")
    assert code == 1 and "no column is 9. There are" in err and "by number: --columns 2,3" in err


def test_a_first_line_names_columns_where_that_is_asked(home, run):
    lines = ["\t".join(row) + "\n" for row in rows(20)]
    figures = {}
    for name, head, options in (
        ("none", "", []),
        ("asked", "q1\tq2\tsame\n", ["--header"]),
        ("known", "first\tsecond\tlabel\n", []),
        ("text", "label\tlabel\t1\n", []),
        ("refused", "sentence1\tsentence2\t0\n", ["--no-header"]),
    ):
        (home / f"{name}.tsv").write_text(head + "".join(lines))
        code, _, err = run("evaluate", "model", f"{name}.tsv", "--labelled", *EN, *options,
                           "--json", "own.json", "--overwrite")  # fmt: skip
        assert code == 0, err
        figures[name] = json.loads((home / "own.json").read_text())["labelled"]["pairs"]
    assert figures == {"none": 20, "asked": 20, "known": 20, "text": 21, "refused": 21}


@pytest.mark.parametrize("ending", ["tsv", "csv"])
@pytest.mark.parametrize("options", [[], ["--columns", "1,2"]])
def test_names_of_columns_are_no_pair(home, run, ending, options):
    """The names that labelled pairs have, in every command that reads pairs."""
    text = "sentence1\tsentence2\tlabel\na sheep\ta sheep\t1\nthe car\tis red\t0\n"
    name = f"named.{ending}"
    (home / name).write_text(text.replace("\t", ",") if ending == "csv" else text)
    code, out, err = run("identify", "model", name, *EN, *options)
    assert code == 0, err
    assert [line.split("\t")[2:] for line in out.splitlines()] == [
        ["a sheep", "a sheep"], ["the car", "is red"],
    ]  # fmt: skip
    code, out, _ = run("identify", "model", name, *EN, "--columns", "1,2", "--no-header")
    assert code == 0 and len(out.splitlines()) == 3


def test_csv_is_what_ends_in_csv(tmp_path):
    folder = tmp_path / "x.csv.d"
    folder.mkdir()
    for name, mark in (("pairs.tsv", "\t"), ("pairs.csv", ","), ("pairs.CSV", ",")):
        (folder / name).write_text(mark.join(["a, b" if mark == "\t" else '"a, b"', "c", "1"]))
        assert [*LabelledFiles([str(folder / name)])] == [("a, b", "c", 1)]


def test_pairs_with_a_blank_side_are_counted(home, run):
    lines = (home / "pairs.tsv").read_text() + "a\t\t1\n\tb\t0\n"
    (home / "blank.tsv").write_text(lines)
    code, _, err = run("evaluate", "model", "blank.tsv", "--labelled", *EN)
    assert code == 0 and "2 labelled pairs with a blank side left out" in err
    start = ["--from", "hub", "--out", "blank", "--json", "blank.json"]
    code, _, err = run("train", "blank.tsv", *QUICK, *start)
    assert code == 0 and "2 labelled pairs with a blank side left out" in err
    assert json.loads((home / "blank.json").read_text())["blank"] == 2


def test_pairs_that_were_trained_on_are_told_of(home, run):
    code, _, err = run("evaluate", "model", "pairs.tsv", "--labelled", *EN)
    assert code == 0 and "warning: the model was trained on these very pairs" in err
    lines = (home / "pairs.tsv").read_text().splitlines(keepends=True)
    (home / "turned.tsv").write_text("".join([lines[0], *reversed(lines[1:])]))
    for model in ("model", "later"):
        if model == "later":
            others = "".join("\t".join([a + " a", b, c]) + "\n" for a, b, c in rows())
            (home / "others.tsv").write_text(others)
            start = ["--from", "model", "--out", "later"]
            assert run("train", "others.tsv", *QUICK, *start)[0] == 0
        assert "these very pairs" in run("evaluate", model, "turned.tsv", "--labelled", *EN)[2]
    (home / "part.tsv").write_text("".join(lines[:-1]))
    assert "these very pairs" not in run("evaluate", "model", "part.tsv", "--labelled", *EN)[2]


def test_what_evaluate_cannot_judge_names_the_file(home, run):
    for text, problem in {
        "a\tb\t1\nc\td\t0\n": "few.tsv: 2 different pairs, and the model has no threshold. Give at",
        "sentence1\tsentence2\tlabel\n": "few.tsv: only names of columns",
        "a\tb\t1\nc\td\t1\ne\tf\t1\ng\th\t1\n": "few.tsv: all 2 pairs that would be judged",
    }.items():
        (home / "few.tsv").write_text(text)
        code, _, err = run("evaluate", "hub", "few.tsv", "--labelled", *EN)
        assert code == 1 and problem in err and "--at-least" not in err
    (home / "sts.tsv").write_text("1\ta\tb\n2\ta\ta\n")
    code, _, err = run("evaluate", "hub", "--sts", "sts.tsv", "en", "en")
    assert code == 1 and "sts.tsv: 2 pairs, and a correlation needs 3" in err
    (home / "sts.tsv").write_text("1\ta\ta\n2\ta\ta\n3\ta\ta\n")
    code, _, err = run("evaluate", "hub", "--sts", "sts.tsv", "en", "en")
    assert code == 1 and "sts.tsv: no correlation (variable 2 is constant" in err


def test_those_who_shared_a_sentence_are_not_counted_as_calibrated_on(home, run):
    shared = [f"a sheep\t{second}\t{label}\n" for _, second, label in rows(12)]
    lines = [*shared, *("\t".join(row) + "\n" for row in rows(40)[12:])]
    (home / "shared.tsv").write_text("".join(lines))
    code, out, err = run("evaluate", "hub", "shared.tsv", "--labelled", *EN)
    assert code == 0 and "calibrated on 20 others" in err and "20 pairs" not in out


def test_a_model_to_start_from_is_needed(run):
    code, _, err = run("train", "pairs.tsv", "--labelled", *EN, "--out", "odd")
    assert code == 1 and "name it with --from MODEL. e5 is multilingual" in err
    code, _, err = run("train", "pairs.tsv", "--labelled", "--from", "hub", "--out", "odd")
    assert code == 1 and "give FILE and --languages" in err


def test_pairs_of_blanks_are_no_pairs(home, run):
    (home / "blanks").write_text("\n\n")
    code, _, err = run("identify", "model", "blanks", "blanks", *EN, "--out", "told.tsv")
    assert code == 1 and "no pair has both sides; 2 with a blank side left out" in err
    assert not (home / "told.tsv").exists()


def test_pairs_that_are_all_alike_have_no_figures(home, run):
    (home / "alike.tsv").write_text("".join(f"{w}\t{w}\t{n % 2}\n" for n, w in enumerate(WORDS)))
    code, _, err = run("evaluate", "model", "alike.tsv", "--labelled", *EN)
    assert code == 1 and "alike.tsv" in err and "Traceback" not in err
