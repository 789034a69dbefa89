"""A batch of lines has the ids of its lines, whatever is in them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.segmentation import batch_tokenization, ragged
from tandem.segmentation.batch_tokenization import BatchTokenizer
from tandem.segmentation.tokenization import ChunkTokenizer
from tandem.segmentation.tokenization_kernels import number

CHARACTERS = "abA1.,'?-\"  Mr\n\té\u00a0\u3000\u0130\u03a3漢\U0001d7d8\U00010400\x01\ud800/;`("


class Spelled:
    """A batch tokeniser whose ids are places in the list of tokens that it asked about."""

    def __init__(self, language="en"):
        self.tokens = []
        self.batch = BatchTokenizer(ChunkTokenizer(language), self.convert)

    def convert(self, tokens):
        self.tokens += [token.lower() for token in tokens]
        return ragged.from_rows(
            [[number] for number in range(len(self.tokens) - len(tokens), len(self.tokens))]
        )

    def __call__(self, lines):
        return [[self.tokens[i] for i in row] for row in rows(self.batch(lines))]


def rows(found):
    return [found.row(index).tolist() for index in range(len(found))]


def one_by_one(lines, language="en"):
    tokenize = ChunkTokenizer(language)
    return [[token.lower() for token in tokenize(line)] for line in lines]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.text(CHARACTERS, max_size=12), max_size=6))
def test_a_batch_has_the_tokens_of_its_lines(lines):
    spelled = Spelled()
    for _ in range(2):  # the second time from memory
        assert spelled(lines) == one_by_one(lines)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=12), max_size=4))
def test_a_batch_has_the_tokens_of_its_lines_in_any_script(lines):
    assert Spelled("fr")(lines) == one_by_one(lines, "fr")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("fr", "L'homme qu'il a vu, M. Petit, n'est pas venu aujourd'hui."),
        ("cs", "Např. v ul. Dlouhá č. 5 (tj. vedle) se nic nestalo."),
        ("de", "Z.B. am 3. Mai ging's los: „Ja“, sagte Dr. Maier."),
        ("zh", "神爱世人，甚至把他的独生子赐给他们。"),
    ],
)
def test_new_words_together_have_the_tokens_of_each_alone_in_every_language(language, line):
    assert Spelled(language)([line]) == one_by_one([line], language)


def test_a_full_stop_is_kept_or_not_by_what_follows():
    lines = ["end. next", "end. Next", "end.", "No. 5", "No. x", "No. X", "Mr. X", "(Mr.) mr. X"]
    assert Spelled()(lines) == [
        ["end.", "next"], ["end", ".", "next"], ["end", "."], ["no.", "5"], ["no.", "x"],
        ["no", ".", "x"], ["mr.", "x"], ["(", "mr.", ")", "mr", ".", "x"],
    ]  # fmt: skip


def test_neither_case_nor_punctuation_makes_a_known_word_new():
    spelled = Spelled()
    spelled(["one (two) three, four."])
    known = len(spelled.tokens)
    assert spelled(["FOUR, (Three), one; two."])[0][:3] == ["four", ",", "("]
    assert spelled.tokens[known:] == [";"]


def test_tokens_and_chunks_in_context_are_told_apart():
    # one character each, at all the places where it may stand
    lines = [" ".join(order) for order in permutations([".", ",", "'", "/", "-", "1"])]
    assert Spelled()(lines) == one_by_one(lines)


def test_forgets_when_full_and_still_agrees(monkeypatch):
    monkeypatch.setattr(batch_tokenization, "MEMORY_LIMIT", 2)
    spelled = Spelled()
    for _ in range(3):
        spelled.tokens.clear()
        found = spelled(["one, three", "", "four a."])
        assert found == [["one", ",", "three"], [], ["four", "a", "."]]
        assert len(spelled.tokens) == 6


def test_an_interrupted_batch_leaves_nothing_behind():
    spelled = Spelled()
    spelled(["one two"])
    convert, spelled.batch._convert = spelled.batch._convert, interrupted
    with pytest.raises(KeyboardInterrupt):
        spelled(["two three"])
    spelled.batch._convert = convert
    assert spelled(["three two one"]) == [["three", "two", "one"]]


def interrupted(tokens):
    raise KeyboardInterrupt


@pytest.mark.parametrize("lines", [[], [""], ["", " \t", ""]])
def test_no_text_has_no_ids(lines):
    assert Spelled()(lines) == [[] for _ in lines]


def test_equal_hashes_have_equal_numbers_whatever_slots_they_share():
    random = np.random.default_rng(1)
    hashes = random.integers(1, 2**63, 1000, np.uint64)
    hashes[:400] = np.arange(2, 802, 2, np.uint64) << np.uint64(40)  # all in one slot
    order = random.integers(0, 1000, 5000)
    keys, numbers = np.zeros(4096, np.uint64), np.zeros(4096, np.int32)
    found, new = number(hashes[order], keys, numbers, 7)
    distinct, first, inverse = np.unique(order, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(new, np.sort(first))
    rank = np.empty(len(distinct), np.int64)
    rank[np.argsort(first)] = 7 + np.arange(len(distinct))
    np.testing.assert_array_equal(found, rank[inverse])
    again, none = number(hashes[order], keys, numbers, 7 + len(distinct))
    np.testing.assert_array_equal(again, found)
    assert not none.size
