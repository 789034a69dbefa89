"""`tandem mine`, `retrieve`, `score` and `filter` on text with repeated, blank and copied lines."""

import json

import numpy as np
import pytest

from tandem import mine
from tandem.cli import main, spooled

LANGUAGES = ["--languages", "en", "de"]
ENGLISH, GERMAN = ([f"{language}{n}" for n in range(60)] for language in ("en", "de"))


@pytest.fixture
def model(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words.save(tmp_path / "model")
    return "model"


@pytest.fixture
def table(tmp_path, model, capsys):
    """Return a function that runs a command on files of these lines and returns its table."""

    def run(command, first, second, *options):
        for name, lines in (("a.en", first), ("a.de", second)):
            (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        assert main([command, model, "a.en", "a.de", *LANGUAGES, *options]) == 0
        return [line.split("\t") for line in capsys.readouterr().out.splitlines()]

    return run


def test_mine_is_that_of_python_and_gives_line_numbers(words, table):
    english = ["", "en7", *ENGLISH, " EN7", "unheard of"]
    german = [*GERMAN[::-1], "de7", "name", "", "de7"]
    rows = table("mine", english, german, "--at-least", "0.5", "--ids")
    same = mine(words, english, german, ("en", "de"), at_least=0.5)
    assert rows == [
        [f"{p.score:.6f}", p.first, p.second, str(p.source + 1), str(p.target + 1)] for p in same
    ]
    places = [row[3:] for row in rows if row[2] == "de7"]
    assert places == [["2", "53"], ["10", "61"], ["63", "64"]]
    without = table("mine", english, german, "--at-least", "0.5")
    assert without == [row[:3] for row in rows]


def test_copies_are_counted_and_warned_of_and_dropped(table, model, capsys, tmp_path):
    english, german = [*ENGLISH, "name"], [*GERMAN, "Name"]
    for command in ("mine", "score"):
        kept = table(command, english, german, "--out", "out.tsv", "--overwrite", "--json", "done")
        assert not kept
        assert json.loads((tmp_path / "done").read_text())["copies"] == 1
        command = [command, model, "a.en", "a.de", *LANGUAGES, "--at-least", "0.5"]
        assert main(command) == 0
        out, err = capsys.readouterr()
        assert "name\tName" in out
        assert "warning: 1 of these 61 pairs have the same text on both sides" in err
        assert main([*command, "--drop-copies"]) == 0
        out, err = capsys.readouterr()
        assert out.count("\n") == 60 and "name" not in out
        assert "warning" not in err
    assert "60 of 61 pairs kept, from a score of 0.500 on; 1 copies left out\n" in err


def test_where_only_copies_are_left_the_reason_is_not_their_cosine(model, tmp_path, capsys):
    (tmp_path / "a.tsv").write_text("name\tName\n" * 3 + "en1\tde2\n")
    command = ["score", model, "a.tsv", *LANGUAGES, "--drop-copies", "--at-least", "0.5"]
    assert main(command) == 1
    said = "all 3 pairs with a cosine of 0.500 or more are copies (--drop-copies)"
    assert f"tandem score: {said}. Nothing is written\n" in capsys.readouterr().err


def test_a_sentence_in_both_files_finds_its_translation_when_copies_are_dropped(table):
    # the name stands in both files, and its translation is the second-best
    english, german = [*ENGLISH, "name"], [*GERMAN, "name", "name name name de1"]
    rows = table("mine", english, german, "--at-least", "1", "--drop-copies")
    assert ["name", "name name name de1"] in [row[1:] for row in rows]


def test_filter_counts_copies_and_drops_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text("ratio: {maximum: 9}\nsame: {kind: identical, maximum: 1}")
    (tmp_path / "a.tsv").write_text("a cat\teine Katze\nBerlin\tberlin\na b\ta  b\nx\ty\n")
    command = ["filter", "rules.yaml", "a.tsv", *LANGUAGES, "--json", "done.json", "--overwrite"]
    assert main(command) == 0
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 4
    assert "warning: 2 of these 4 pairs have the same text on both sides" in captured.err
    assert json.loads((tmp_path / "done.json").read_text())["copies"] == 2
    assert main([*command, "--drop-copies", "--jobs", "2"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "a cat\teine Katze\nx\ty\n"
    done = json.loads((tmp_path / "done.json").read_text())
    assert (done["copies"], done["removed"]["--drop-copies"]) == (0, 2)


def test_blank_queries_find_nothing_and_nothing_finds_a_blank(table, model, capsys):
    rows = table("retrieve", ["", "en3", "unheard of", "en9"], ["", *GERMAN, " "], "--ids")
    assert [row[1:] for row in rows] == [["en3", "de3", "2", "5"], ["en9", "de9", "4", "11"]]
    rows = table("retrieve", ["en3"], ["", "de40", "?", "de3", "de3"], "--k", "5", "--ids")
    assert [row[1:] for row in rows] == [
        ["en3", "de3", "1", "4"], ["en3", "de3", "1", "5"], ["en3", "de40", "1", "2"],
    ]  # fmt: skip
    with open("blank", "w") as blank:
        blank.write("\n \n")
    assert main(["retrieve", model, "blank", "a.de", *LANGUAGES]) == 1
    assert "blank: no line has a word that the model knows in the lang" in capsys.readouterr().err


@pytest.mark.parametrize("batch", [1, 2, 1024])
def test_a_documents_lines_belong_together_wherever_they_stand(words, table, batch, monkeypatch):
    monkeypatch.setattr("tandem.cli.common.BATCH", batch)
    parts = {"first": [0, 1, 2], "second": [3], "third": [2, 0, 5], "blank": [], "fourth": [1, 3]}
    lines = [(name, n) for name, numbers in parts.items() for n in numbers]
    order = np.random.default_rng(3).permutation(len(lines))
    english = [f"{lines[n][0]}\ten{lines[n][1]}" for n in order]
    german = [f"{name}\tde{n}" for name, n in lines]
    rows = table("retrieve", [*english, "blank\t"], german, "--documents", "--ids")
    names = [*dict.fromkeys(lines[n][0] for n in order)]
    assert [row[1:3] for row in rows] == [[name, name] for name in names]
    assert [int(row[3]) - 1 for row in rows] == [
        min(place for place, n in enumerate(order) if lines[n][0] == name) for name in names
    ]
    first, second = (
        words.encode([f"{side}{n}" for n in parts[names[0]]], side).mean(0) for side in ("en", "de")
    )
    cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert float(rows[0][0]) == pytest.approx(cosine, abs=2e-6)


def test_one_candidate_gives_a_message_or_a_cosine(table, model, capsys):
    rows = table("mine", ["en1"], ["de1"], "--score", "cosine")
    assert [row[1:] for row in rows] == [["en1", "de1"]]
    assert main(["mine", model, "a.en", "a.de", *LANGUAGES]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "the first text has one sentence only" in captured.err
    assert '(--score cosine, in Python score="cosine")' in captured.err


def test_blank_lines_are_no_pairs(table, model, capsys, tmp_path):
    english, german = ["", *ENGLISH, " ", "en1"], ["", *GERMAN, "de1", "\u3000"]
    kept = table("score", english, german, "--json", "done.json")
    assert [row[1:] for row in kept] == [[*pair] for pair in zip(ENGLISH, GERMAN, strict=True)]
    done = json.loads((tmp_path / "done.json").read_text())
    assert done == {"read": 63, "kept": 60, "copies": 0, "dropped": 0, "blank": 3, "at_least": -1}
    command = [model, "a.en", "a.de", *LANGUAGES, "--json", "done.json", "--overwrite"]
    assert main(["score", *command]) == 0
    captured = capsys.readouterr()
    assert captured.err.endswith("60 of 63 pairs kept; 3 with a blank side left out\n")
    assert main(["evaluate", *command]) == 0
    figures = json.loads((tmp_path / "done.json").read_text())["bitext"]
    assert (figures["blank"], figures["calibrated_on_pairs"]) == (3, 30)
    captured = capsys.readouterr()
    assert "60 pairs; 3 with a blank side left out\n" in captured.err
    assert main(["evaluate", *command, "--pairs", "40"]) == 0
    figures = json.loads((tmp_path / "done.json").read_text())["bitext"]
    assert (figures["read"], figures["calibrated_on_pairs"]) == (60, 20)
    assert "40 of 60 pairs were drawn (--pairs)\n" in capsys.readouterr().err
    # as many lines as the text has
    assert main(["similarity", *command]) == 0
    captured = capsys.readouterr()
    cosines = captured.out.splitlines()
    assert [n for n, cosine in enumerate(cosines) if float(cosine) == 0] == [0, 61, 62]
    assert cosines[1:61] == [row[0] for row in kept]
    assert captured.err.endswith("cosines of 63 pairs; 3 of them have a blank side, and a 0\n")


def test_blank_lines_alone_are_said_to_be_blank(model, capsys, tmp_path):
    (tmp_path / "blank").write_text("\n \n\n")
    assert main(["score", model, "blank", "blank", *LANGUAGES]) == 1
    captured = capsys.readouterr()
    assert captured.err.endswith("score: each of 3 pairs has a blank side. Nothing is written\n")


def test_means_of_documents_do_not_depend_on_the_batches():
    random = np.random.default_rng(5)
    sizes = random.integers(1, 40, 60)
    sizes[20] = 700  # many batches long
    rows = random.standard_normal((sizes.sum(), 3)).astype(np.float32)
    parted = np.split(rows, np.cumsum(sizes)[:-1])
    wanted = [part.mean(0, np.float64) for part in parted]
    for batch in (1, 7, 64, len(rows)):
        parts = (rows[start : start + batch] for start in range(0, len(rows), batch))
        means = np.concatenate([*spooled._means(parts, sizes)])
        np.testing.assert_allclose(means, wanted, rtol=1e-5, atol=1e-7)
