"""Choosing and writing on disk: the bytes of doing it in memory, in a memory that is a setting."""

import itertools
import tracemalloc

import numpy as np
import pytest

from tandem.mining import choice, pairs
from tandem.mining.choice import choose, read_proposals
from tandem.mining.lists import save
from tandem.mining.pairs import write_pairs
from tandem.mining.sentences import Sentences, cut
from tandem.mining.sorting import scratch_folder
from tandem.search.candidates import spread
from tandem.search.margins import MinedPairs, Retrieval, Score, mine
from tandem.search.neighbours import NOBODY, Lists, Neighbours
from tandem.text.spelling import same

SIZES = (700, 500)
SCORES = np.array([-1.5, -1e-9, -0.0, 0.0, 1e-9, 0.25, 1.0, np.nextafter(1, 2), 1.5])


def proposals(random, sizes):
    """What both sides propose: few scores, many of the second side answer the first."""
    sides = []
    for size, other in (sizes, sizes[::-1]):
        source = np.sort(random.choice(size, size * 9 // 10, replace=False))
        target = np.minimum(source // 2 * 2 + random.integers(2, size=len(source)), other - 1)
        sides.append(MinedPairs(source, target, random.choice(SCORES, len(source))))
    answers = np.full(sizes[0], -1)
    answers[sides[0].source] = sides[0].target
    scores = np.zeros(sizes[0])
    scores[sides[0].source] = sides[0].score
    second = sides[1]
    mutual = answers[second.target] == second.source
    mutual &= random.random(len(second)) < 0.7  # the rest at another score
    score = np.where(mutual, scores[second.target], second.score)
    return [sides[0], MinedPairs(second.source, second.target, score)]


def in_memory(sides, sizes, retrieval):
    """Choose as the library does."""
    lists = []
    for part, size in zip(sides, sizes, strict=True):
        indices, scores = np.full((size, 1), NOBODY), np.full((size, 1), -np.inf)
        indices[part.source, 0], scores[part.source, 0] = part.target, part.score
        lists.append(Lists(indices, scores))
    return mine(Neighbours(*lists), Score.COSINE, retrieval)


def in_parts(side, rows):
    return [side.take(slice(start, start + rows)) for start in range(0, len(side), rows)]


def cut_side(folder, name, count, lines):
    """Cut text of so many sentences, whose later lines are copies of these at random places."""
    random = np.random.default_rng(len(name))
    copies = random.geometric(0.02, size=lines - count) % count  # the first ones very often
    text = [f"{'s' if n % 3 else name}{n}" for n in [*range(count), *copies]]
    folder.mkdir()
    (folder / "text").write_text("".join(f"{line}\n" for line in text))
    cut([str(folder / "text")], None, folder, 1 << 20, 1 << 20)
    return text, Sentences(folder)


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sides")
    return [
        cut_side(folder / name, name, size, 3 * size)
        for name, size in zip(("ab", "cde"), SIZES, strict=True)
    ]


@pytest.fixture
def small(monkeypatch):
    """Hand on few rows at a time."""
    for module in (choice, pairs):
        monkeypatch.setattr(module, "_CHUNK", 37)


def expected_file(chosen, least, sides, retrieval):
    """Return the bytes that are written for pairs, and their counts, all in memory."""
    kept = chosen.above(least)
    (left, first), (right, second) = sides
    rows = spread(kept, first.places, second.places, retrieval)
    lines, copies = [], 0
    for i, j, score in zip(rows.source, rows.target, rows.score, strict=True):
        where = [str(cell) for side, place in ((first, i), (second, j))
                 for cell in side.where(int(place))]  # fmt: skip
        lines.append("\t".join([f"{score:.6f}", left[i], right[j], *where]) + "\n")
        copies += same(left[i], right[j])
    counts = {"proposed": len(chosen), "sentence_pairs": len(kept), "pairs": len(rows)}
    return "".join(lines).encode(), counts | {"copies": copies}


@pytest.mark.parametrize("memory", [1, 128 * 300, 1 << 24])
@pytest.mark.parametrize("retrieval", list(Retrieval))
def test_the_file_is_that_of_a_choice_in_memory(sides, tmp_path, small, retrieval, memory):
    texts = tuple(side for _, side in sides)
    for seed, least in itertools.product(range(3), (-np.inf, 0.0, 1.0)):
        both = proposals(np.random.default_rng(seed), SIZES)
        whole = in_memory(both, SIZES, retrieval)
        out = tmp_path / "pairs.tsv"
        with scratch_folder(out) as scratch:
            parts = [in_parts(side, 150) for side in both]
            blocks = list(choose(parts, SIZES, retrieval, scratch, memory))
            for name in ("source", "target", "score"):  # bytes: 0 is not -0
                joined = np.concatenate([getattr(block, name) for block in blocks])
                assert joined.tobytes() == getattr(whole, name).tobytes()
            assert len(blocks) > (3 if memory < 1 << 24 else 0)
            counts = write_pairs(str(out), blocks, least, texts, retrieval, scratch, memory)
        assert (out.read_bytes(), counts) == expected_file(whole, least, sides, retrieval)
        assert list(tmp_path.iterdir()) == [out]


def test_random_proposals_have_what_is_hard_to_order():
    first, second = proposals(np.random.default_rng(0), SIZES)
    pairs = set(zip(first.source.tolist(), first.target.tolist(), strict=True))
    answers = set(zip(second.target.tolist(), second.source.tolist(), strict=True))
    assert len(pairs & answers) > 100
    zeros = first.score[first.score == 0]
    assert np.signbit(zeros).any() and not np.signbit(zeros).all()


def test_what_is_equal_but_for_its_sign_is_the_pair_of_the_first_side(tmp_path):
    for score in (0.0, -0.0):
        first, second = (
            MinedPairs(np.array([0]), np.array([0]), np.array([s])) for s in (score, -score)
        )
        for retrieval in (Retrieval.MAX, Retrieval.INTERSECTION):
            (pairs,) = choose([[first], [second]], (1, 1), retrieval, tmp_path, 1)
            assert np.signbit(pairs.score).tolist() == [np.signbit(score)]
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_after_an_error(sides, tmp_path, small):
    both = [in_parts(side, 50) for side in proposals(np.random.default_rng(1), SIZES)]
    texts = tuple(side for _, side in sides)

    def failing(blocks):
        yield next(blocks)
        raise RuntimeError

    out = tmp_path / "pairs.tsv"
    with pytest.raises(RuntimeError), scratch_folder(out) as scratch:
        blocks = choose(both, SIZES, Retrieval.MAX, scratch, 1)
        assert not list(tmp_path.glob("pairs*"))
        write_pairs(str(out), failing(blocks), 0, texts, Retrieval.MAX, scratch, 1)
    assert not list(tmp_path.iterdir())


def test_proposals_are_read_group_by_group(tmp_path):
    paths = [str(tmp_path / f"{n}.npz") for n in range(2)]
    for n, path in enumerate(paths):
        save(path, source=np.array([n]), target=np.array([n + 5]), score=np.array([n / 2]))
    read = [(part.source[0], part.target[0], part.score[0]) for part in read_proposals(paths)]
    assert read == [(0, 5, 0), (1, 6, 0.5)]


@pytest.mark.parametrize("retrieval", [Retrieval.MAX, Retrieval.INTERSECTION])
def test_memory_is_a_setting_and_not_the_text(tmp_path, monkeypatch, retrieval):
    """A sentence of either side stands 20,000 times; a choice in memory needs 4 MB."""
    for module in (choice, pairs):
        monkeypatch.setattr(module, "_CHUNK", 1 << 10)
    count, lines, memory = 20_000, 40_000, 1 << 19
    texts = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        text = [*(f"{name}{n}" for n in range(count)), *[f"{name}12"] * (lines - count)]
        (tmp_path / name / "text").write_text("".join(f"{line}\n" for line in text))
        cut([str(tmp_path / name / "text")], None, tmp_path / name, 1 << 20, 1 << 22)
        texts.append(Sentences(tmp_path / name))
    paths = []
    for side, part in enumerate(proposals(np.random.default_rng(0), (count, count))):
        for number, some in enumerate(in_parts(part, 1000)):
            paths.append((side, str(tmp_path / f"{side}-{number}.npz")))
            save(paths[-1][1], source=some.source, target=some.target, score=some.score)
    tracemalloc.start()
    try:
        both = [read_proposals([path for s, path in paths if s == side]) for side in (0, 1)]
        out = str(tmp_path / "pairs.tsv")
        with scratch_folder(out) as scratch:
            blocks = choose(both, (count, count), retrieval, scratch, memory)
            counts = write_pairs(out, blocks, -9, tuple(texts), retrieval, scratch, memory)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert counts["pairs"] > 20_000
    assert peak < 2 * memory
