"""Documents: members, means, neighbours and the search among these."""

import numpy as np
import pytest

from tandem.mining import documents as module
from tandem.mining.documents import (
    Documents,
    Vectors,
    pair_documents,
    read_lists,
    search_pairs,
    slice_of,
    write_documents,
)
from tandem.mining.lists import Group, save
from tandem.mining.sentences import Sentences, cut
from tandem.mining.settings import Columns
from tandem.mining.vectors import Stored, write_vectors
from tandem.search.neighbours import IndexKind, search

COLUMNS = Columns(document=1, text=2)


def side(folder, vectors, names):
    """Write a side whose sentence n, the only one with that text, has row n of the vectors."""
    folder.mkdir()
    lines = [f"{name}\ts{n}\n" for n, name in enumerate(names)]
    lines.append(f"again\t S0\n{names[1]}\ts1\n")  # of other documents; twice in its own
    (folder / "text").write_text("".join(lines))
    cut([str(folder / "text")], COLUMNS, folder, 1 << 20, 1 << 13)
    paths = [str(folder / name) for name in ("vectors.npy", "numbers.npy")]
    write_vectors([vectors], 0, vectors.shape[1], Stored.FLOAT32, *paths)
    group = Group(paths[:1], paths[1:])
    outputs = [str(folder / name) for name in ("members.npz", "means.npy")]
    count = write_documents(Sentences(folder), group, *outputs, 1 << 13)
    assert count == len({*names, "again"})
    return Documents(outputs[0]), Vectors(Sentences(folder), group), outputs[1]


@pytest.fixture
def sides(tmp_path):
    """Two sides of 8 documents of 5 sentences; of document n the one is the other turned a bit."""
    random = np.random.default_rng(2)
    topics = 3 * np.repeat(random.standard_normal((8, 6)), 5, axis=0)
    first = (topics + random.standard_normal((40, 6))).astype(np.float32)
    second = first + random.standard_normal((40, 6)).astype(np.float32) / 20
    first[7] = 0
    names = [f"d{n // 5}" for n in range(40)]
    return [side(tmp_path / "a", first, names), side(tmp_path / "b", second, names)], first, second


def test_members_are_all_documents_of_a_sentence_and_means_are_of_unit_vectors(sides):
    (members, vectors, means), first = sides[0][0], sides[1]
    assert members.of(0).tolist() == [0, 1, 2, 3, 4] and members.of(1).tolist() == [5, 6, 7, 8, 9]
    assert members.of(8).tolist() == [0] and len(members) == 9
    numbers, rows = vectors.unit(np.array([2, 7, 39]))
    assert numbers.tolist() == [2, 39]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    known = first[[5, 6, 8, 9]]
    expected = (known / np.linalg.norm(known, axis=1, keepdims=True)).mean(0)
    assert np.allclose(np.load(means)[1], expected)


def test_neighbours_are_the_translations(sides):
    pairs = pair_documents(*(s[2] for s in sides[0]), 1, IndexKind.EXACT, 4 << 30, "cpu")
    assert {(n, n) for n in range(8)} <= {tuple(pair) for pair in pairs.tolist()}
    assert len(pairs) < 20


@pytest.mark.parametrize("slices, rows, held", [(1, 100, 1000), (5, 100, 9), (3, 2, 1)])
def test_among_all_documents_lists_are_those_of_one_search(
    sides, tmp_path, monkeypatch, slices, rows, held
):
    monkeypatch.setattr(module, "_ROWS", rows)
    monkeypatch.setattr(module, "_LISTS", held)
    (left, right), first, second = sides
    pairs = np.stack(np.meshgrid(np.arange(9), np.arange(9), indexing="ij"), -1).reshape(-1, 2)
    paths = []
    for number in range(slices):
        near = search_pairs(slice_of(pairs, number, slices), (left[0], right[0]),
                            (left[1], right[1]), 3)  # fmt: skip
        paths.append(str(tmp_path / f"{number}.npz"))
        save(paths[-1], **{f"{half}_{name}": part for half, (numbers, lists) in
                           zip(("first", "second"), near, strict=True) for name, part in
                           (("numbers", numbers), *lists._asdict().items())})  # fmt: skip
    there = np.delete(np.arange(40), 7)
    whole = search(first[there], second, 3)
    lists = read_lists(paths, "first", there, 3)
    assert np.array_equal(lists.indices, whole.forward.indices)
    assert np.array_equal(lists.scores, whole.forward.scores)
    lists = read_lists(paths, "second", np.arange(40), 3)
    assert np.array_equal(lists.indices, there[whole.backward.indices])
    assert np.array_equal(lists.scores, whole.backward.scores)


def test_a_sentence_is_searched_in_the_neighbours_of_its_documents_alone(sides):
    (left, right), *_ = sides
    near = search_pairs(np.array([[0, 0], [8, 3]]), (left[0], right[0]), (left[1], right[1]), 3)
    numbers, lists = near[0]
    assert numbers.tolist() == [0, 1, 2, 3, 4]
    # sentence 0 is in document 8, too
    assert {*lists.indices[1].tolist()} <= {0, 1, 2, 3, 4}
    assert near[1][0].tolist() == [0, 1, 2, 3, 4, 15, 16, 17, 18, 19]
    assert near[1][1].indices[9].tolist() == [0, -1, -1]
