"""Bitext folders."""

import json
import os
import resource

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tandem.corpora import bitext
from tandem.corpora.bitext import build_bitext, meanings
from tandem.corpora.settings import Bitext
from tandem.errors import TandemError, explained
from tandem.registry import faults
from tandem.text.spelling import bare_key, key

CLEANING = {"words": {"maximum": 50}, "ratio": {"maximum": 9}, "identical": {}, "markup": {}}
SETTINGS = {
    "sources": ["a"], "languages": ["en", "cs"], "valid": 10, "test": 20, "seed": 3,
    "cleaning": CLEANING,
}  # fmt: skip


def pairs(start, end):
    return [(f"sentence {n}", f"věta {n}") for n in range(start, end)]


def build(folder, sources, held_out=frozenset(), **changes):
    return build_bitext(sources, Bitext(**SETTINGS | changes), folder, held_out)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_holds_aligned_splits_and_counts(tmp_path):
    sources = {"a": [*pairs(0, 60), ("", "x")], "b": [*pairs(50, 100), ("x", "X")]}
    counts = build(tmp_path / "f", sources, max_pairs=65)
    files = content(tmp_path / "f")
    names = [f"{split}.{side}" for split in ("train", "valid", "test") for side in ("en", "cs")]
    assert sorted(files) == sorted([*names, "cleaning.json", "splits.json"])
    seen = set()
    for split, size in (("train", 65), ("valid", 10), ("test", 20)):
        left = files[f"{split}.en"].decode().split("\n")
        right = files[f"{split}.cs"].decode().split("\n")
        assert len(left) == len(right) == size + 1
        for a, b in zip(left[:-1], right[:-1], strict=True):
            assert a.removeprefix("sentence ") == b.removeprefix("věta ")
            seen.add(a)
    assert len(seen) == 95
    cleaning = json.loads(files["cleaning.json"])
    assert (cleaning["read"], cleaning["kept"]) == (112, 100)
    assert cleaning["sources"] == {"a": 61, "b": 51}
    removed = {name: count for name, count in cleaning["removed"].items() if count}
    assert removed == {"empty": 1, "identical": 1, "duplicate": 10}
    assert counts == json.loads(files["splits.json"])
    assert (counts["dropped_surplus"], counts["seed"]) == (5, 3)


def test_equal_input_gives_equal_bytes_however_small_the_buckets(tmp_path, monkeypatch):
    build(tmp_path / "a", {"a": pairs(0, 100)})
    monkeypatch.setattr(bitext, "BUCKET_PAIRS", 7)
    build(tmp_path / "b", {"a": iter(pairs(0, 100))})
    build(tmp_path / "c", {"a": pairs(0, 100)}, seed=4)
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert content(tmp_path / "a")["train.en"] != content(tmp_path / "c")["train.en"]


def test_no_more_files_are_open_than_systems_allow(tmp_path, monkeypatch):
    monkeypatch.setattr(bitext, "BUCKET_PAIRS", 1)
    monkeypatch.setattr(bitext, "MOST_BUCKETS", 20)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open(os.devnull) as last:
        resource.setrlimit(resource.RLIMIT_NOFILE, (last.fileno() + 40, limits[1]))
    try:
        build(tmp_path / "few", {"a": pairs(0, 100)})
        few = content(tmp_path / "few")
        monkeypatch.setattr(bitext, "MOST_BUCKETS", 90)
        with pytest.raises(OSError, match="Too many open files") as error:
            build(tmp_path / "many", {"a": pairs(0, 100)})
        assert "Allow the process more (ulimit -n)" in explained(error.value, "")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    build(tmp_path / "many", {"a": pairs(0, 100)})
    assert content(tmp_path / "many") == few


def test_the_order_is_shuffled(tmp_path):
    build(tmp_path / "f", {"a": pairs(0, 100)})
    lines = (tmp_path / "f" / "train.en").read_text().split("\n")[:-1]
    assert lines != sorted(lines, key=lambda line: int(line.split()[1]))


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({"a": [("x", "x")]}, "no pair of a is left after cleaning .1 identical.* two languages"),
        ({"a": []}, "no pair of a is left"),
        ({"a": pairs(0, 20)}, "20 pairs are too few"),
    ],
)
def test_too_little_is_refused_and_leaves_nothing(tmp_path, sources, words):
    with pytest.raises(TandemError, match=words):
        build(tmp_path / "f", sources)
    assert list(tmp_path.iterdir()) == []


def test_both_sides_need_names_of_their_own(tmp_path):
    with pytest.raises(ValidationError) as refused:
        build(tmp_path / "f", {"a": pairs(0, 100)}, languages=["en", "en"])
    assert list(faults(refused.value)) == ["languages: both sides are en"]


def test_repetitions_are_removed_or_kept(tmp_path):
    twice = {"a": [*pairs(0, 60), ("sentence 1", "věta 1")]}
    build(tmp_path / "removed", twice)
    build(tmp_path / "kept", twice, duplicates="keep")
    counts = {name: json.loads(content(tmp_path / name)["cleaning.json"])["removed"]["duplicate"]
              for name in ("removed", "kept")}  # fmt: skip
    assert counts == {"removed": 1, "kept": 0}


def test_texts_held_out_are_in_no_split_on_either_side(tmp_path):
    held_out = {key("Sentence  7"), key("věta 9")}
    build(tmp_path / "en-cs", {"a": pairs(0, 60)}, held_out)
    texts = content(tmp_path / "en-cs")
    kept = [line for split in ("train", "valid", "test")
            for line in texts[f"{split}.en"].decode().split("\n")[:-1]]  # fmt: skip
    assert len(kept) == 58
    assert not {"sentence 7", "sentence 9"} & set(kept)
    assert json.loads(texts["cleaning.json"])["removed"]["held out"] == 2


def versions(books, verses=4):
    """Every verse in two versions on either side, in all four pairings."""
    return [
        (str(book), f"{left} text {book} {verse}", f"{right} věta {book} {verse}")
        for book in range(books) for verse in range(verses)
        for left in ("this", "thine") for right in ("nová", "stará")
    ]  # fmt: skip


def test_sections_are_held_out_in_every_version(tmp_path):
    how = {"sections": {"valid": ["3", "none such"], "test": ["5", "7"]}, "versions": True}
    messages = [("hue", f"message {n}", f"zpráva {n}") for n in range(20)]
    counts = build(tmp_path / "f", {"a": versions(10), "b": messages}, test=6, **how)
    texts = {split: (tmp_path / "f" / f"{split}.en").read_text().splitlines()
             for split in ("train", "valid", "test")}  # fmt: skip
    # each verse once, in one of its pairings
    assert sorted(text.split()[-2:] for text in texts["valid"]) == [["3", str(n)] for n in range(4)]
    assert len({tuple(text.split()[-2:]) for text in texts["test"]}) == 6
    assert {text.split()[-2] for text in texts["test"]} == {"5", "7"}
    books = {text.split()[-2] for text in texts["train"]} - {"message"}
    assert books == {"0", "1", "2", "4", "6", "8", "9"}
    assert counts["train"] == 7 * 16 + 20
    keys = np.load(tmp_path / "f" / "train.keys.npy", allow_pickle=False)
    meanings = {}
    for text, number in zip(texts["train"], keys.tolist(), strict=True):
        meanings.setdefault(number, set()).add(text.removeprefix("this ").removeprefix("thine "))
    assert len(meanings) == 7 * 4 + 20
    assert {len(texts) for texts in meanings.values()} == {1}


def test_unseen_texts_are_left_out_whatever_their_punctuation(tmp_path):
    how = Bitext(**SETTINGS)
    build_bitext({"a": pairs(0, 60)}, how, tmp_path / "f", unseen={bare_key("Sentence 7!")})
    removed = json.loads(content(tmp_path / "f")["cleaning.json"])["removed"]
    assert removed["held out"] == 1


def test_what_is_only_trained_on_is_never_held_out(tmp_path):
    words = {"words": [("word", "slovo"), ("Sentence 7", "jiné"), *pairs(90, 95)]}
    sources = {"a": pairs(0, 100)}
    plain = build(tmp_path / "plain", sources)
    settings = Bitext(**SETTINGS)
    many = {"words": [*words["words"], *((f"w{n}", f"s{n}") for n in range(500))]}
    for aside in (words, many):
        counts = build_bitext(sources, settings, tmp_path / str(len(aside["words"])), aside=aside)
        files = content(tmp_path / str(len(aside["words"])))
        held = {
            line
            for split in ("valid", "test")
            for line in files[f"{split}.en"].decode().splitlines()
        }
        assert held <= {left for left, _ in sources["a"]}
        assert len(held) == plain["valid"] + plain["test"] == 30
        trained = files["train.en"].decode().splitlines()
        assert "word" in trained
        assert held.isdisjoint(trained)
        assert ("Sentence 7" in trained) == ("sentence 7" not in held)
        assert counts["train"] == len(trained) >= plain["train"] + 1
    # they are drawn among the others, not put at the end
    places = [n for n, line in enumerate(trained) if line.startswith("w")]
    assert places[0] < 5 and 0.4 < np.mean(places) / len(trained) < 0.6


def test_pairs_that_share_a_side_through_others_mean_the_same():
    """Numbers are those of SciPy's components."""
    rng = np.random.default_rng(2)
    for count in (1, 30, 400):
        sides = rng.integers(0, 500, (count, 2))
        names, edges = np.unique(sides, return_inverse=True)
        edges = edges.reshape(-1, 2)
        graph = coo_array((np.ones(count), edges.T), (len(names), len(names)))
        expected = connected_components(graph, directed=False)[1][edges[:, 0]]
        np.testing.assert_array_equal(meanings(*sides.T), expected)
    chain = rng.permutation(2000)
    assert not meanings(chain, chain + 1).any()
