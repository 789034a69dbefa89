"""Searches, proposals and choices in groups are those of all sentences at once."""

import itertools

import numpy as np
import pytest

from tandem.mining import lists as module
from tandem.mining.choice import choose
from tandem.mining.lists import Group, join, save, search_groups, without
from tandem.mining.proposals import of_few, propose, read_means
from tandem.mining.vectors import Stored, stored, write_vectors
from tandem.search.margins import MinedPairs, Retrieval, Score, mean_cosines, mine
from tandem.search.neighbours import NOBODY, IndexKind, Lists, search

K = 3


@pytest.fixture(scope="module")
def sides():
    """Vectors of two sides, some of them equal."""
    random = np.random.default_rng(5)
    first = random.standard_normal((90, 8)).astype(np.float32)
    second = random.standard_normal((70, 8)).astype(np.float32)
    first[40:60], second[:20] = first[:20], first[10:30]
    return first, second


def groups(folder, name, vectors, bounds):
    """Write vectors as shards, of which every second row of the side is a row of zeros."""
    for start, stop in itertools.pairwise(bounds):
        rows = np.zeros((2 * (stop - start), vectors.shape[1]), np.float32)
        rows[::2] = vectors[start:stop]
        paths = [str(folder / f"{name}{start}-{stop}.{end}.npy") for end in ("vectors", "numbers")]
        counts = write_vectors([rows[:7], rows[7:]], 2 * start, 8, Stored.FLOAT32, *paths)
        assert counts == (len(rows), stop - start)
        yield Group(paths[:1], paths[1:])


def searched(folder, sides, firsts, seconds, width=K):
    """Return the numbers and the lists of both sides, from searches of groups."""
    parts = [list(groups(folder, name, vectors, bounds)) for name, vectors, bounds in
             zip("ab", sides, (firsts, seconds), strict=True)]  # fmt: skip
    near = [[search_groups(a, b, width, IndexKind.EXACT, 4 << 30, "cpu", folder)
             for b in parts[1]] for a in parts[0]]  # fmt: skip
    forward = [join([pair.forward for pair in row], width) for row in near]
    backward = [join([pair.backward for pair in row], width) for row in zip(*near, strict=True)]
    return parts, forward, backward


@pytest.mark.parametrize("bounds", [([0, 90], [0, 70]), ([0, 1, 31, 31, 90], [0, 40, 70])])
@pytest.mark.parametrize("retrieval", list(Retrieval))
@pytest.mark.parametrize("score", list(Score))
def test_pairs_are_those_of_one_search(tmp_path, sides, bounds, retrieval, score):
    expected = mine(search(*sides, K), score, retrieval)
    parts, *lists = searched(tmp_path, sides, *bounds)
    sizes, means, proposals = (180, 140), [], []
    for size, side, rows in zip(sizes, lists, parts, strict=True):
        means.append(np.zeros(size))
        for group, part in zip(rows, side, strict=True):
            means[-1][group.rows] = mean_cosines(part)
    for side, rows, others in zip(lists, parts, means[::-1], strict=True):
        columns = []
        for group, part in zip(rows, side, strict=True):
            numbers, few = of_few(part)
            pairs = propose(few, others[numbers], score)
            columns.append((group.rows[pairs.source], numbers[pairs.target], pairs.score))
        proposals.append(MinedPairs(*map(np.concatenate, zip(*columns, strict=True))))
    blocks = list(choose([[part] for part in proposals], sizes, retrieval, tmp_path, 1))
    pairs = [np.concatenate([getattr(block, name) for block in blocks]) for name in
             ("source", "target", "score")]  # fmt: skip
    assert np.array_equal(pairs[0], 2 * expected.source)
    assert np.array_equal(pairs[1], 2 * expected.target)
    assert np.array_equal(pairs[2], expected.score)


def test_lists_are_those_of_one_search_to_the_last_bit(tmp_path, sides):
    expected = search(*sides, K)
    _, forward, backward = searched(tmp_path, sides, [0, 45, 90], [0, 10, 30, 70])
    for parts, whole in ((forward, expected.forward), (backward, expected.backward)):
        joined = Lists(*map(np.concatenate, zip(*parts, strict=True)))
        assert np.array_equal(joined.indices, 2 * whole.indices)
        assert np.array_equal(joined.scores, whole.scores)


def test_shards_of_a_group_are_searched_as_one(tmp_path, sides):
    expected = search(*sides, K)
    both = []
    for name, vectors, bounds in zip("ab", sides, ([0, 45, 90], [0, 10, 70]), strict=True):
        shards = list(groups(tmp_path, name, vectors, bounds))
        files = zip(*shards, strict=True)
        both.append(Group(*(list(itertools.chain(*some)) for some in files)))
    lists = search_groups(*both, K, IndexKind.EXACT, 4 << 30, "cpu", tmp_path)
    for found, whole in zip(lists, expected, strict=True):
        assert np.array_equal(found.indices, 2 * whole.indices)
        assert np.array_equal(found.scores, whole.scores)


def test_lists_are_joined_some_rows_at_a_time(monkeypatch):
    random = np.random.default_rng(4)
    indices = [random.permuted(np.tile(np.arange(5) + 5 * n, (50, 1)), axis=1) for n in range(2)]
    parts = [Lists(some, random.integers(0, 4, (50, 5)).astype(np.float32)) for some in indices]
    whole = join(parts, 7)
    monkeypatch.setattr(module, "_ROWS", 8)
    for field, part in zip(whole, join(parts, 7), strict=True):
        assert np.array_equal(field, part)
    assert join(parts, 20).indices.shape == (50, 10)


def test_refused_neighbours_make_room_for_the_next():
    lists = Lists(np.array([[5, 2, 9]]), np.array([[0.9, 0.5, 0.1]], np.float32))
    rest = without(lists, np.array([[False, True, False]]), 2)
    assert rest.indices.tolist() == [[5, 9]]
    rest = without(lists, np.array([[True, True, False]]), 2)
    assert rest.indices.tolist() == [[9, NOBODY]] and rest.scores[0, 1] == -np.inf


def test_means_are_read_from_the_groups_that_have_them(tmp_path):
    paths = [str(tmp_path / f"{number}.npz") for number in range(2)]
    save(paths[0], rows=np.array([0, 2]), means=np.array([0.5, 0.25]))
    save(paths[1], rows=np.array([5, 6, 9]), means=np.array([0.75, 0.1, 1]))
    assert read_means(paths, np.array([2, 6, 9])).tolist() == [0.25, 0.1, 1]


def test_nothing_proposes_nothing(tmp_path):
    none = Lists(np.zeros((0, K), np.int64), np.zeros((0, K), np.float32))
    assert len(propose(none, np.zeros(4), Score.RATIO)) == 0
    nobody = Lists(np.full((2, K), NOBODY), np.full((2, K), -np.inf, np.float32))
    numbers, few = of_few(nobody)
    assert len(numbers) == 0 and len(propose(few, np.zeros(0), Score.RATIO)) == 0
    empty = MinedPairs(*(np.zeros(0, kind) for kind in (np.int64, np.int64, float)))
    for retrieval in Retrieval:
        assert list(choose([[empty], [empty]], (3, 2), retrieval, tmp_path, 1)) == []


@pytest.mark.parametrize("form, least", [(Stored.FLOAT16, 0.99999), (Stored.INT8, 0.999)])
def test_stored_vectors_keep_their_direction(sides, form, least):
    vectors = 1000 * sides[0]
    vectors[0] = 0
    small = stored(vectors, form).astype(np.float64)
    assert not small[0].any()
    cosines = (small[1:] * vectors[1:]).sum(1)
    cosines /= np.linalg.norm(small[1:], axis=1) * np.linalg.norm(vectors[1:], axis=1)
    assert cosines.min() > least and cosines.min() < 1
    assert stored(vectors, form).dtype == form.value
