"""Text to time encoders on: new to them, and in parts."""

import pytest

from tandem.errors import TandemError
from tandem.files.io import write_json
from tandem.timing.unread import divide, new_sentences, sts_sentences, trained_on

TEXT = [f"line {number}" for number in range(100)]


def test_text_is_divided_into_a_probe_and_parts_that_share_no_line():
    probe, parts = divide(TEXT, 4)
    assert (len(probe), [len(part) for part in parts]) == (10, [22] * 4)
    every = [line for part in (probe, *parts) for line in part]
    assert len(every) == len(set(every))
    with pytest.raises(TandemError, match="9 lines make no 4 parts"):
        divide(TEXT[:9], 4)


def test_sentences_that_were_trained_on_or_come_twice_are_not_read():
    texts = [(f"{n % 150:03} a" for n in range(200)), ["007  A", "new", "New", "known"]]
    drawn = new_sentences(texts, ["KNOWN", "001 a"], 1000, seed=1)
    assert sorted(drawn) == sorted({f"{n:03} a" for n in range(150) if n != 1} | {"new"})
    few = [new_sentences([drawn], [], 50, seed) for seed in (1, 1, 2)]
    assert len(set(few[0])) == 50
    assert few[0] == few[1] != few[2]


def test_refuses_a_text_without_a_new_sentence():
    with pytest.raises(TandemError, match="no sentence to encode"):
        new_sentences([["a", "b"]], ["A", "B"], 5, seed=1)


def test_a_bitext_was_trained_on_in_one_file_of_the_language(tmp_path):
    (tmp_path / "train.en").write_text("a\nb\n")
    (tmp_path / "train.en-bt").write_text("c\nd\n")
    assert list(trained_on(tmp_path, "en")) == ["a", "b"]


def test_a_collection_was_trained_on_in_every_part_and_version_of_the_language(tmp_path):
    texts = {("en", "de"): "a\tx", ("en-basic", "en-kjv"): "b\tc", ("de", "fr"): "y\tz"}
    parts = []
    (tmp_path / "train").mkdir()
    for (left, right), pair in texts.items():
        (tmp_path / f"train/s.{left}.{right}.tsv").write_text(f"0f\t{pair}\n")
        sizes = {"train": 1, "valid": 0, "test": 0}
        parts.append({"source": "s", "left": left, "right": right, **sizes})
    write_json(tmp_path / "collection.json", {"parts": parts})
    assert list(trained_on(tmp_path, "en")) == ["a", "b", "c"]
    assert list(trained_on(tmp_path, "de")) == ["x", "y"]


def test_of_sts_tasks_the_sentences_of_one_language_are_read(tmp_path):
    tasks = [{"file": "2012.MSRpar.tsv"},
             {"file": "2017.track2.ar-en.tsv", "languages": ["ar", "en"]}]  # fmt: skip
    write_json(tmp_path / "index.json", {"tasks": tasks, "missing": []})
    (tmp_path / "2012.MSRpar.tsv").write_text("1\ta\tb\n2\tc\td\n")
    (tmp_path / "2017.track2.ar-en.tsv").write_text("1\tw\te\n2\tx\tf\n")
    assert list(sts_sentences(tmp_path, "en")) == ["a", "c", "b", "d", "e", "f"]
    assert list(sts_sentences(tmp_path, "ar")) == ["w", "x"]
