from itertools import combinations

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.files.io import write_json
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks import selection as module
from tandem.tasks.selection import (
    SCORES,
    by_collection,
    by_retrieval,
    by_similarity,
    described_choice,
    epoch_choice,
)
from tandem.training.setting import Setting

TABLE = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0.5]])


def averages(table):
    """Return a function that averages the rows of a table."""
    return lambda rows: np.array([table[rows.row(i)].mean(0) for i in range(len(rows))])


def test_retrieval_is_the_mean_of_both_directions(validation):
    folder = validation(en=[[0], [1], [2]], cs=[[0], [3], [1]])
    # forward only the first finds its translation, backward the first two
    assert by_retrieval(folder, ("en", "cs"))(averages(TABLE)) == pytest.approx(50)


def test_of_equally_near_sentences_the_first_is_retrieved(validation):
    folder = validation(en=[[0], [1], [2]], cs=[[0], [1], [2]])
    score = by_retrieval(folder, ("en", "cs"))(averages(np.ones((3, 3))))
    assert score == pytest.approx(100 / 3)


def test_in_a_collection_the_parts_of_the_languages_are_retrieved(tmp_path):
    segmenter = learn(Words(size=20), {"en": lambda: ["a b c"], "de": lambda: ["x y"]}, tmp_path)
    parts = [("en", "de", 2), ("en", "fr", 2), ("en", "ru", 0)]
    sizes = [{"source": "books", "left": left, "right": right, "train": 9, "valid": n, "test": 0}
             for left, right, n in parts]  # fmt: skip
    write_json(tmp_path / "collection.json", {"parts": sizes})
    (tmp_path / "valid").mkdir()
    for code, lines in {"de": ["1\ta\tx", "2\tb\ty"], "fr": ["1\ta\ty", "2\tb\tx"]}.items():
        (tmp_path / f"valid/books.en.{code}.tsv").write_text("\n".join(lines) + "\n")
    table = np.eye(len(segmenter) + 1)
    for first, second in (("a", "x"), ("b", "y")):
        ids = {}
        for code, word in (("en", first), ("de", second)):
            ids[code] = segmenter.encoder(code)([word]).ids[0]
        table[ids["de"]] = table[ids["en"]]
    average = averages(table)
    assert by_collection(segmenter, tmp_path, ["de"])(average) == 100
    with pytest.raises(TandemError, match="no validation pairs choose an epoch. Raise `valid`"):
        by_collection(segmenter, tmp_path, ["ru"])
    every, german = (described_choice("retrieval", "ids", task=tmp_path, languages=languages)
                     for languages in (None, ["de", "ru"]))  # fmt: skip
    assert [*german["files"]] == ["books.en.de.tsv"]
    assert [*every["files"]] == ["books.en.de.tsv", "books.en.fr.tsv"]


def test_similarity_segments_the_task_as_the_encoder_would(tmp_path):
    lines = ["a cat sat", "a dog ran", "the cat ran", "dogs sat"]
    segmenter = learn(Words(size=20), {"en": lambda: lines}, tmp_path)
    task = tmp_path / "2017.x.tsv"
    task.write_text("5\ta cat\tthe cat\n1\tdog ran\tcat sat\n3\ta dog\ta cat\n", encoding="utf-8")
    average = averages(np.random.default_rng(0).normal(size=(len(segmenter), 8)))
    encode = segmenter.encoder("en")
    sides = [["a cat", "dog ran", "a dog"], ["the cat", "cat sat", "a cat"]]
    first, second = map(encode, sides)
    cosine = cosine_similarity(average(first), average(second))
    expected = 100 * np.corrcoef(cosine, [5, 1, 3])[0, 1]
    assert by_similarity(segmenter, task)(average) == pytest.approx(expected)
    # a collapsed model scores 0: it must neither stop training nor be selected
    assert by_similarity(segmenter, task)(lambda rows: np.ones((len(rows), 2))) == 0


def test_each_choice_that_a_study_names_scores_or_has_pairs_whose_loss_does(validation, tmp_path):
    assert {*SCORES} == {*Setting.model_fields["selection"].annotation.__args__}
    folder = validation(en=[[0], [1], [2]], cs=[[0], [3], [1]])
    segmenter = learn(Words(size=20), {"en": lambda: ["a b c"]}, tmp_path)
    select, pairs = epoch_choice("retrieval", segmenter, folder, ("en", "cs"))
    assert (select(averages(TABLE)), pairs) == (pytest.approx(50), None)
    select, pairs = epoch_choice("loss", segmenter, folder, ("en", "cs"))
    assert (select, len(pairs.left)) == (None, 3)
    assert epoch_choice("last", segmenter, folder, ("en", "cs")) == (None, None)


@pytest.mark.parametrize(
    ("name", "asked", "called"),
    [
        ("similarity", {"task": "sts"}, ("by_similarity", "segmenter", "sts")),
        ("retrieval", {}, ("by_retrieval", "folder", ("en", "cs"))),
        (
            "retrieval",
            {"task": "collection", "languages": ["cs"]},
            ("by_collection", "segmenter", "collection", ["cs"]),
        ),
        ("labels", {}, ("by_labels", "folder")),
    ],
)
def test_a_choice_reads_what_it_is_of(name, asked, called, monkeypatch):
    for function in ("by_similarity", "by_retrieval", "by_collection", "by_labels"):
        monkeypatch.setattr(module, function, lambda *a, function=function: (function, *a))
    assert epoch_choice(name, "segmenter", "folder", ("en", "cs"), **asked) == (called, None)


def test_a_choice_is_told_from_others_by_its_name_and_what_it_is_scored_on(validation, tmp_path):
    folder, task = validation(en=[[0], [1], [2]], cs=[[0], [3], [1]]), tmp_path / "2017.tsv"
    task.write_text("5\ta cat\tthe cat\n")

    def described():
        names = ("retrieval", "labels", "loss", "last")
        within = [described_choice(name, folder) for name in names]
        return [*within, described_choice("similarity", folder, task=task)]

    before = described()
    assert described() == before
    assert all(first != second for first, second in combinations(before, 2))
    validation(en=[[0], [1], [3]])
    task.write_text("4\ta cat\tthe cat\n")
    assert [now == was for now, was in zip(described(), before, strict=True)] == [
        False, False, False, True, False,
    ]  # fmt: skip
