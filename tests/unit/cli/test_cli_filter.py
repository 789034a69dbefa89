"""`tandem filter`: what is kept, counted and written, in one process and in several."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from tandem.cli import main
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.filtering.filter import parse_filters
from tandem.filtering.stream import CHUNK
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

RULES = """
words: {minimum: 2, maximum: 4}
ratio: {maximum: 2}
short: {kind: words, side: right, maximum: 3}
"""
PAIRS = [
    ("the cat sat", "die Katze saß"),
    ("cat", "die Katze saß auf dem Sofa"),  # too short, too long, and of another length
    ("the cat", ""),
    ("a dog  ran", "ein Hund lief"),
    ("we all ate bread", "wir aßen viel Brot"),
]
LANGUAGES = ["--languages", "en", "de"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "rules.yaml").write_text(RULES)
    (tmp_path / "a.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), encoding="utf-8")
    return str(tmp_path / "rules.yaml"), str(tmp_path / "a.tsv")


def rows(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def test_pairs_that_pass_are_written_in_order_and_the_others_counted(files, tmp_path, capsys):
    out, scores, done = (tmp_path / name for name in ("kept.tsv", "scores.tsv", "done.json"))
    command = ["filter", *files, *LANGUAGES, "--out", str(out), "--json", str(done)]
    assert main([*command, "--keep-scores", str(scores)]) == 0
    assert rows(out) == [["the cat sat", "die Katze saß"], ["a dog ran", "ein Hund lief"]]
    told = json.loads(done.read_text())
    assert (told["read"], told["kept"]) == (5, 2)
    removed = {"empty": 1, "oversized": 0, "words": 1, "ratio": 0, "short": 1}
    assert told["removed"] == removed
    assert told["refused"] == removed | {"ratio": 1, "short": 2}
    assert told["rules"]["short"] == {"kind": "words", "minimum": 1, "maximum": 3, "side": "right"}
    head, *table = rows(scores)
    assert head == ["refused_by", "words.left", "words.right", "ratio", "short.right", "en", "de"]
    assert table[1][:5] == ["words ratio short", "1", "6", "8.66667", "6"]
    assert table[2] == ["empty", "", "", "", "", "the cat", ""]
    assert [row[0] for row in table] == ["", "words ratio short", "empty", "", "short"]
    assert "2 of 5 pairs kept" in capsys.readouterr().err


def test_several_processes_and_a_pipe_give_the_same_bytes(files, tmp_path, monkeypatch, capfd):
    lengths = np.random.default_rng(1).integers(1, 7, (2 * CHUNK + 10, 2)).tolist()
    text = "".join(f"{'a ' * m}\t{'b ' * n}\n" for m, n in lengths)
    (tmp_path / "many.tsv").write_text(text)
    command = ["filter", files[0]]
    for jobs in ("1", "2"):
        options = [*LANGUAGES, "--quiet", "--jobs", jobs, "--keep-scores", str(tmp_path / jobs)]
        assert main([*command, str(tmp_path / "many.tsv"), *options]) == 0
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode())))
    monkeypatch.setattr(sys, "stdin", stream)
    assert main([*command, *LANGUAGES, "--quiet"]) == 0
    written = capfd.readouterr().out
    third = len(written) // 3
    assert written == 3 * written[:third]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    # m words of one letter have 2 m - 1 characters
    good = [
        2 <= min(m, n) and m <= 4 and n <= 3 and 2 * max(m, n) - 1 <= 2 * (2 * min(m, n) - 1)
        for m, n in lengths
    ]
    assert written[:third].count("\n") == sum(good) > 0


def test_the_cosine_of_an_encoder_is_a_filter(tmp_path, capsys):
    (tmp_path / "segmenter").mkdir()
    texts = {"en": lambda: ["the cat sat"], "de": lambda: ["die Katze saß"]}
    segmenter = learn(Words(size=50), texts, tmp_path / "segmenter")
    table = initialise(Averaging(dimension=8), len(segmenter), 1)
    as_encoder(segmenter, *table).save(tmp_path / "model")
    rules, pairs = tmp_path / "rules.yaml", tmp_path / "a.tsv"
    rules.write_text(f"likeness: {{kind: cosine, model: {tmp_path / 'model'}, minimum: 0.99}}")
    pairs.write_text("the cat\tthe cat\nthe cat\tsat\n\t\n")
    command = ["filter", str(rules), str(pairs), "--languages", "en"]
    for jobs in ("1", "2"):
        assert main([*command, "en", "--jobs", jobs]) == 0
        assert capsys.readouterr().out == "the cat\tthe cat\n"
    assert main([*command, "fr"]) == 1
    assert "fr" in capsys.readouterr().err


def test_numbers_from_a_file_are_a_filter(files, tmp_path, capsys):
    rules, pairs = tmp_path / "rules.yaml", tmp_path / "a.tsv"
    rules.write_text(f"cost: {{kind: numbers, file: {tmp_path / 'costs'}, maximum: 0.5}}")
    (tmp_path / "costs").write_text("0.5\n0.4\n0\n0.6\n-1\n")
    assert main(["filter", str(rules), str(pairs), *LANGUAGES]) == 0
    kept = [row.split("\t")[0] for row in capsys.readouterr().out.splitlines()]
    assert kept == ["the cat sat", "cat", "we all ate bread"]  # the third has an empty side
    for numbers, said in (
        ("1\n2\n", "costs, line 2: it ends here, and there are more pairs"),
        ("1\n" * 6, "costs, line 6: there are only 5 pairs"),
        ("1\ntwo\n", "costs, line 2: 'two' is no number"),
    ):
        (tmp_path / "costs").write_text(numbers)
        for jobs in ("1", "2"):
            out = ["--out", str(tmp_path / "kept.tsv"), "--jobs", jobs]
            assert main(["filter", str(rules), str(pairs), *LANGUAGES, *out]) == 1
            assert said in capsys.readouterr().err
    assert not (tmp_path / "kept.tsv").exists()


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("wrods: {}", "rules.yaml: .*no filter 'wrods'.*'words'"),
        ("words: {least: 3}", "rules.yaml: words: unknown key 'least'"),
        ("", "rules.yaml: no filter"),
        ("cosine: {model: no/such, minimum: 0}", "no/such"),
        ("words: [", "rules.yaml"),
    ],
)
def test_bad_rules_are_refused_and_nothing_is_written(files, tmp_path, rules, said, capsys):
    (tmp_path / "rules.yaml").write_text(rules)
    out = tmp_path / "kept.tsv"
    assert main(["filter", *files, *LANGUAGES, "--out", str(out)]) == 1
    assert re.search(said, capsys.readouterr().err)
    assert not out.exists()


def test_inputs_and_outputs_are_never_one_file(files, tmp_path, capsys):
    command = ["filter", *files, *LANGUAGES, "--overwrite"]
    out = ["--out", str(tmp_path / "kept.tsv")]
    for place in (*files, str(tmp_path / "kept.tsv")):
        assert main([*command, *out, "--keep-scores", place]) == 1
    for place in files:
        assert main([*command, "--out", place]) == 1
    for out_place, scores in (("new", "new/scores"), ("new/kept", "new")):
        places = ["--out", str(tmp_path / out_place), "--keep-scores", str(tmp_path / scores)]
        assert main([*command, *places]) == 1
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "rules.yaml").read_text() == RULES
    assert "same file" in capsys.readouterr().err


def test_scores_are_kept_in_a_file_only(files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["filter", *files, *LANGUAGES, "--keep-scores", "-"]) == 1
    printed = capsys.readouterr()
    assert "--keep-scores -: scores do not go to stdout. Name a file" in printed.err
    assert not printed.out and not Path("-").exists()


DOCS = Path(__file__).parents[3] / "docs/filtering.md"


def test_every_rule_in_the_docs_is_one():
    text = DOCS.read_text(encoding="utf-8")
    (whole,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    single = re.findall(r"`([a-z-]+: \{[^`]*\})`", text)
    assert len(single) == 8
    for rules in (whole, *single):
        assert parse_filters(yaml.safe_load(rules), files=True)


def test_the_language_model_of_the_docs_is_a_filter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.en").write_text("The cat sat.\nA dog ran.\n" * 5)
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})  # noqa: S102
    rule = "fluency: {kind: language-model, model: english.arpa, maximum: 2}"
    (tmp_path / "rules.yaml").write_text(rule)
    (tmp_path / "a.tsv").write_text("x\tThe cat sat.\nx\tSat ran zzz the qqq.\n")
    assert main(["filter", "rules.yaml", "a.tsv", *LANGUAGES, "--out", "kept.tsv"]) == 0
    assert rows(tmp_path / "kept.tsv") == [["x", "The cat sat."]]
