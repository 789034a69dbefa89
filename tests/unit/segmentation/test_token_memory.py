"""A batch of lines has the tokens of its lines, whatever is in them and whatever was before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from tandem.segmentation import ragged, token_memory
from tandem.segmentation.stock_tokenizer import normalizer, splitter
from tandem.segmentation.token_memory import TokenMemory, character_kinds, number
from tandem.text.tokens import tokens

CHARACTERS = (
    "abA1.,'?-\"  Mr\n\té\u00a0\u3000\u0130\u03a3漢\U0001d7d8\U00010400\x01/;`(\u0301\u0338=ｶﾞ"
)
STORED = Path(__file__).parents[1] / "text/sentences.txt"


class Spelled:
    """A memory whose ids are places in the list of tokens that it asked about."""

    def __init__(self):
        self.tokens = []
        self.memory = TokenMemory(self.convert)

    def convert(self, found):
        self.tokens += found
        first = len(self.tokens) - len(found)
        return ragged.from_rows([[index] for index in range(first, len(self.tokens))])

    def __call__(self, lines):
        found = self.memory(lines)
        return [[self.tokens[i] for i in found.row(row)] for row in range(len(found))]


def in_batches(lines, size):
    return [lines[start : start + size] for start in range(0, len(lines), size)]


def stored_sentences():
    lines = STORED.read_text(encoding="utf-8").split("\n")[1:-1]
    scripts = {}
    for script, sentence in (line.split("\t") for line in lines):
        scripts.setdefault(script, []).append(sentence)
    return scripts


def lines_of_scripts(count):
    """Return lines of nine scripts and more: stored sentences, then their parts and characters."""
    random = np.random.default_rng(12)
    scripts = stored_sentences()
    assert len(scripts) >= 9
    lines = [sentence for sentences in scripts.values() for sentence in sentences]
    scripts["all"] = lines.copy()
    pools = [
        ([word for text in texts for word in text.split()], sorted(set("".join(texts))))
        for texts in scripts.values()
    ]
    changes = [str.upper, str.lower, str.title, lambda word: word, lambda word: word[::-1]]
    while len(lines) < count:
        words, characters = pools[random.integers(len(pools))]
        parts = []
        for _ in range(random.integers(1, 12)):
            if random.random() < 0.7:
                change = changes[random.integers(len(changes))]
                parts.append(change(words[random.integers(len(words))]))
            else:
                parts.append("".join(random.choice(characters, random.integers(1, 8))))
        lines.append(("" if random.random() < 0.1 else " ").join(parts))
    return lines


def test_20000_lines_of_many_scripts_have_the_tokens_and_ids_of_the_library():
    lines = lines_of_scripts(20_000)
    spelled = Spelled()
    found = [row for batch in in_batches(lines, 1000) for row in spelled(batch)]
    known = dict.fromkeys(token for row in found for token in row)
    vocabulary = {token: index for index, token in enumerate([*known, "<unk>"])}
    library = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    library.normalizer, library.pre_tokenizer = normalizer(), splitter()
    encoded = library.encode_batch(lines, add_special_tokens=False)
    for line, ours, theirs in zip(lines, found, encoded, strict=True):
        assert ours == theirs.tokens, line
        assert [vocabulary[token] for token in ours] == theirs.ids
    assert sum(map(len, found)) > 100_000
    assert found == [row for batch in in_batches(lines, 4000) for row in spelled(batch)]


@pytest.mark.parametrize(
    ("around", "first", "end"),
    [
        ("a{}b", 0, 0x20000),
        ("={}=", 0, 0x20000),
        ("A{}\u0301", 0, 0x20000),
        (" {}\u0338x", 0, 0x20000),
        ("{0}{0}", 0, 0x20000),
        ("{}", 0x20000, 0x110000),  # of these, none is looked at by itself
    ],
)
def test_every_code_point_gives_the_tokens_of_the_definition(around, first, end):
    spelled = Spelled()
    codes = [chr(c) for c in range(first, end) if not 0xD800 <= c < 0xE000 and c != ord("\n")]
    for start in range(0, len(codes), 1000):
        between = " " if end == 0x20000 else ""
        line = between.join(around.format(c) for c in codes[start : start + 1000])
        assert spelled([line]) == [tokens(line)]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.text(CHARACTERS, max_size=12), max_size=6))
def test_a_batch_has_the_tokens_of_its_lines(lines):
    spelled = Spelled()
    for _ in range(2):  # the second time from memory
        assert spelled(lines) == list(map(tokens, lines))


def test_half_characters_separate():
    assert Spelled()(["a\ud800b", "\udfff"]) == [["a", "b"], []]


def test_most_text_is_known_by_its_lower_case():
    kinds, lowered = character_kinds()
    assert (kinds[list(map(ord, "aZéŁЖδ漢한カ٣ก５"))] == 4).all()
    assert (kinds[list(map(ord, ".,'“”，。।?=€😀"))] == 2).all()
    assert not kinds[list(map(ord, "\u0301\u093e\u200dİ½ㄱ\u1161"))].any()
    assert [chr(lowered[ord(c)]) for c in "ZΣÉ５，"] == list("zσé5,")


def test_neither_case_nor_punctuation_makes_a_known_word_new():
    spelled = Spelled()
    spelled(["one (two) three, four."])
    known = len(spelled.tokens)
    assert spelled(["FOUR, (Three), one; two."])[0][:3] == ["four", ",", "("]
    assert spelled.tokens[known:] == [";"]


def test_forgets_when_full_and_still_agrees(monkeypatch):
    monkeypatch.setattr(token_memory, "MEMORY_LIMIT", 2)
    spelled = Spelled()
    for _ in range(3):
        spelled.tokens.clear()
        found = spelled(["one, three", "", "four a."])
        assert found == [["one", ",", "three"], [], ["four", "a", "."]]
        assert len(spelled.tokens) == 6


def test_an_interrupted_batch_leaves_nothing_behind():
    spelled = Spelled()
    spelled(["one two"])
    convert, spelled.memory._convert = spelled.memory._convert, interrupted
    with pytest.raises(KeyboardInterrupt):
        spelled(["two three"])
    spelled.memory._convert = convert
    assert spelled(["three two one"]) == [["three", "two", "one"]]


def interrupted(found):
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
