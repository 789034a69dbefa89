"""A batch of lines has the ids of its lines, whatever is in them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem import batch_tokenization
from tandem.batch_tokenization import BatchTokenizer, _Index
from tandem.tokenization import ChunkTokenizer


def numbered(language="en"):
    numbers = {}

    def convert(chunks):
        return [[numbers.setdefault(t, len(numbers)) for t in chunk.split()] for chunk in chunks]

    return ChunkTokenizer(language, convert)


def rows(found):
    return [found.row(index).tolist() for index in range(len(found))]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("abA1.,'?-\"  Mr\né\u00a0\u3000\t漢\ud800", max_size=12), max_size=6))
def test_a_batch_has_the_ids_of_its_lines(lines):
    tokenize = numbered()
    batch = BatchTokenizer(tokenize)
    expected = [list(tokenize(line)) for line in lines]
    for _ in range(2):  # the second time from memory
        assert rows(batch(lines)) == expected


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("fr", "L'homme qu'il a vu, M. Petit, n'est pas venu aujourd'hui."),
        ("cs", "Např. v ul. Dlouhá č. 5 (tj. vedle) se nic nestalo."),
        ("de", "Z.B. am 3. Mai ging's los: „Ja“, sagte Dr. Maier."),
        ("zh", "神爱世人，甚至把他的独生子赐给他们。"),
    ],
)
def test_new_words_together_have_the_ids_of_each_alone_in_every_language(language, line):
    tokenize = numbered(language)
    expected = [list(tokenize(line))]
    assert rows(BatchTokenizer(tokenize)([line])) == expected


def test_a_full_stop_is_kept_or_not_by_what_follows():
    tokenize = ChunkTokenizer("en", lambda chunks: [[len(chunk.split())] for chunk in chunks])
    batch = BatchTokenizer(tokenize)
    lines = ["end. next", "end. Next", "end.", "No. 5", "No. x", "No. X", "Mr. X"]
    assert rows(batch(lines)) == [
        [1, 1], [2, 1], [2], [1, 1], [1, 1], [2, 1], [1, 1]
    ]  # fmt: skip


def test_forgets_when_full_and_still_agrees(monkeypatch):
    monkeypatch.setattr(batch_tokenization, "MEMORY_LIMIT", 2)
    batch = BatchTokenizer(
        ChunkTokenizer("en", lambda chunks: [list(map(len, chunk.split())) for chunk in chunks])
    )
    for _ in range(3):
        assert rows(batch(["one, three", "", "four a."])) == [[3, 1, 5], [], [4, 1, 1]]
        assert len(batch._kinds) == 4


@pytest.mark.parametrize("lines", [[], [""], ["", " \t", ""]])
def test_no_text_has_no_ids(lines):
    found = BatchTokenizer(numbered())(lines)
    assert rows(found) == [[] for _ in lines]


def test_the_index_finds_what_it_holds_and_nothing_else():
    random = np.random.default_rng(1)
    hashes = np.unique(random.integers(1, 2**63, 100_000, np.uint64))
    hashes[:2000] = np.arange(1, 2001)  # all in one slot
    index = _Index()
    for first in range(0, len(hashes), 30_000):
        index.add(hashes[first : first + 30_000], first)
    np.testing.assert_array_equal(index.find(hashes), np.arange(len(hashes)))
    others = np.setdiff1d(random.integers(2**63, 2**64, 5000, np.uint64), hashes)
    assert (index.find(others) == -1).all()
