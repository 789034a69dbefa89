"""The chunk-wise tokeniser must give sacremoses' own tokens."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from tandem.segmentation import tokenization
from tandem.segmentation.tokenization import ChunkTokenizer

LINES = {
    "en": [
        "Mr. Smith isn't here, i.e. he's at 3 p.m. in the U.S. today.",
        "It costs $1,234.50 (approx. 1.5%)... or not?",
        "'Tis said: \"don't\" -- 'quoted' text. and more No. 5 etc.",
        "No. Never. No. 7 is alive",
    ],
    "fr": ["L'homme n'est pas venu aujourd'hui, c'est-à-dire jamais."],
    "cs": ["Např. v ul. Dlouhá č. 5 (tj. vedle) se nic nestalo."],
    "de": ["Z.B. am 3. Mai ging's los: „Ja“, sagte Dr. Maier."],
    "zh": ["神爱世人，甚至把他的独生子赐给他们。"],
    "ar": ["لأنه هكذا أحب الله العالم، حتى بذل ابنه."],
}


@pytest.mark.parametrize("language", LINES)
def test_gives_the_tokens_of_sacremoses(language):
    moses = MosesTokenizer(lang=language)
    tokenize = ChunkTokenizer(language)
    for line in LINES[language] * 2:  # the second time from memory
        assert tokenize(line) == moses.tokenize(line, escape=False)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.text("ab1.,'?-\"() Mr½é“{`/", max_size=8), max_size=6))
def test_gives_the_tokens_of_sacremoses_for_any_short_chunks(chunks):
    line = " ".join(" ".join(chunks).split())
    expected = MosesTokenizer(lang="en").tokenize(line, escape=False) if line else []
    tokenize = ChunkTokenizer("en")
    assert tokenize(line) == tokenize(line)
    # where marks meet, sacremoses' patterns take the space that the next would need
    if not re.search("''|['.,] ['.,]|\\.\\.", line):
        assert tokenize(line) == expected


def test_forgets_when_full_and_still_agrees(monkeypatch):
    monkeypatch.setattr(tokenization, "MEMORY_LIMIT", 2)
    tokenize = ChunkTokenizer("en")
    assert tokenize("one two three, four") == ["one", "two", "three", ",", "four"]
    assert len(tokenize._memory) <= 2
    assert tokenize("one two three, four") == ["one", "two", "three", ",", "four"]


def test_a_long_chunk_is_not_remembered():
    tokenize = ChunkTokenizer("en")
    assert tokenize("x" * 100) == ["x" * 100]
    assert not tokenize._memory
