"""P@1 in both directions by hand, and draws that compare encoders."""

import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from tandem.search.neighbours import search
from tandem.tasks.kinds.retrieval import first_hits
from tandem.tasks.task import TASKS, read_items, write_items

SOURCE = np.eye(3, dtype=np.float32)
TARGET = np.array([[1, 0, 0], [0, 1, 0.5], [0, 1, 0]], np.float32)
# source 1's nearest is target 2, source 2's is target 1; target 1's and target 2's are source 1
HITS = np.arange(20) % 3 > 0


class Fixed:
    """Gives each language its vectors."""

    def encode(self, sentences, language=None, batch_size=1024):
        assert list(sentences) == {"en": ["a", "b", "c"], "cs": ["x", "y", "z"]}[language]
        return {"en": SOURCE, "cs": TARGET}[language]


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "test.en").write_text("a\nb\nc\n", encoding="utf-8")
    (tmp_path / "test.cs").write_text("x\ny\nz\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def task():
    return TASKS.parse({"kind": "retrieval"})


def test_tells_who_found_its_translation():
    forward, backward = first_hits(SOURCE, TARGET)
    assert forward.tolist() == [True, False, False]
    assert backward.tolist() == [True, True, False]


def test_refuses_sides_of_different_lengths():
    with pytest.raises(TandemError, match="3 sources, 2 targets"):
        first_hits(SOURCE, TARGET[:2])


def test_scores_both_directions_english_first(task, corpus):
    items = task.score(Fixed(), {"corpus": corpus})
    assert task.units(items) == ["en-cs", "cs-en"]
    assert items["cs-en"].tolist() == [True, True, False]
    assert task.estimate(items, "en-cs") == pytest.approx(100 / 3)
    assert task.estimate(items, "cs-en") == pytest.approx(200 / 3)
    assert task.count(items, "en-cs") == 3


def test_a_folder_without_two_sides_is_refused(task, corpus):
    (corpus / "test.cs").unlink()
    with pytest.raises(InputError, match=r"1 files test\.<language>"):
        task.score(Fixed(), {"corpus": corpus})


def test_draws_are_the_same_in_one_call_and_in_two(task):
    one, other = ({"en-cs": np.arange(40) % period == 0} for period in (2, 3))
    together = task.draws([one, other], "en-cs", 300, seed=5)
    np.testing.assert_array_equal(together[0], task.draws([one], "en-cs", 300, seed=5)[0])
    np.testing.assert_array_equal(together[1], task.draws([other], "en-cs", 300, seed=5)[0])
    assert together[0].mean() == pytest.approx(50, abs=2)
    assert together[0].std() == pytest.approx(100 * np.sqrt(0.25 / 40), abs=2)


def test_draws_refuse_different_texts(task):
    systems = [{"en-cs": np.ones(size, bool)} for size in (3, 4)]
    with pytest.raises(TandemError, match="different texts"):
        task.draws(systems, "en-cs", 10, 1)


def test_items_are_read_as_written_and_written_alike(tmp_path):
    hits = {"en-cs": np.array([True, False]), "cs-en": np.array([False, False])}
    for name in ("one.npz", "two.npz"):
        write_items(tmp_path / name, hits)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.npz") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}  # no date
    read = read_items(tmp_path / "one.npz")
    assert {name: array.tolist() for name, array in read.items()} == {
        "en-cs": [True, False], "cs-en": [False, False],
    }  # fmt: skip


class Languages:
    """Sentences are their own vectors: "3 de" is at angle 3; each language is read as asked."""

    languages = ("en", "de", "en-old")

    def encode(self, sentences, language=None, batch_size=1024):
        sentences = list(sentences)
        assert all(text.endswith(f" {language}") for text in sentences)
        angles = np.array([float(text.split()[0]) for text in sentences])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_every_part_of_a_collection_in_known_languages_is_searched(tmp_path):
    parts = []
    for source, left, right, count in [
        ("a", "en", "de", 5), ("a", "en", "fr", 5), ("a", "en", "en-old", 5), ("b", "en", "de", 2),
    ]:  # fmt: skip
        (tmp_path / "test").mkdir(exist_ok=True)
        lines = [f"0\t{n} {left}\t{n if n else 9} {right}\n" for n in range(count)]
        (tmp_path / "test" / f"{source}.{left}.{right}.tsv").write_text("".join(lines))
        sizes = {"train": 9, "valid": 0, "test": count}
        parts.append({"source": source, "left": left, "right": right, **sizes})
    (tmp_path / "collection.json").write_text(json.dumps({"parts": parts}))
    task = TASKS.parse({"kind": "retrieval", "least": 3, "most": 4})
    items = task.score(Languages(), {"corpus": tmp_path})
    assert task.units(items) == ["a.en-de", "a.de-en", "a.mean"]
    assert items["a.en-de"].tolist() == [False, True, True, True]
    for left_out in ({}, {"least": 3, "languages": ["fr"]}):
        strict = TASKS.parse({"kind": "retrieval"} | left_out)
        with pytest.raises(TandemError, match="no part of the encoder's languages is large enough"):
            strict.score(Languages(), {"corpus": tmp_path})


def test_a_source_has_the_mean_of_its_directions(task):
    one = {"a.en-de": HITS, "a.de-en": ~HITS, "a.en-fr": HITS, "b.en-de": ~HITS}
    other = one | {"a.en-fr": ~HITS}
    assert task.units(one)[-2:] == ["a.mean", "b.mean"]
    assert task.estimate(one, "a.mean") == pytest.approx(100 * (1 + HITS.mean()) / 3)
    assert task.count(one, "a.mean") == 3 * len(HITS)
    draws = task.draws([one, other], "a.mean", 50, 1)
    apart = [task.draws([one, other], name, 50, 1) for name in list(one)[:3]]
    assert draws == pytest.approx(np.mean(apart, axis=0))
    # en-de and de-en are each other's opposite in every resample, so their mean never varies
    without = {name: one[name] for name in ("a.en-de", "a.de-en")}
    assert task.draws([without], "a.mean", 50, 1).std() == pytest.approx(0)
    with pytest.raises(TandemError, match="searched different texts"):
        task.draws([one, without], "a.mean", 50, 1)


def test_vectors_are_searched_where_the_encoder_computes(task, corpus, monkeypatch):
    asked = []

    def searched(source, target, k, device):
        asked.append(device)
        return search(source, target, k)

    monkeypatch.setattr("tandem.search.neighbours.search", searched)
    encoder = Fixed()
    task.score(encoder, {"corpus": corpus})
    encoder.device = "cuda:1"
    task.score(encoder, {"corpus": corpus})
    assert asked == ["cpu", "cuda:1"]


def test_a_corpus_of_its_own():
    """What encoders were not trained on is searched where the task names it."""
    places = SimpleNamespace(
        path=lambda *parts: "/".join(parts), setting=lambda name: SimpleNamespace(corpus="trained")
    )
    own = TASKS.parse({"kind": "retrieval"})
    assert own.inputs(places, "sp.en") == {"corpus": "corpora/trained"}
    other = TASKS.parse({"kind": "retrieval", "corpus": "news"})
    assert other.inputs(places, "sp.en") == {"corpus": "corpora/news"}
