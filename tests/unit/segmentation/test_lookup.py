"""Without compiled code, lines have the same ids."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.segmentation import lookup as module
from tandem.segmentation.lookup import FEW, TokenDictionary, lookup
from tandem.segmentation.ragged import from_rows
from tandem.segmentation.token_memory import TokenMemory

SPELLED = st.text(st.characters(codec=None), max_size=12)


def hashed(tokens):
    """Give each token two ids of its own, and none to one of a single character."""
    rows = [[len(t), sum(map(ord, t)) % 9973] if len(t) > 1 else [] for t in tokens]
    return from_rows(rows)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(SPELLED, st.text("abA1.,'?- é漢\u0301\n\ud800", max_size=20)), max_size=6)
)
def test_both_ways_give_the_same_ids(lines):
    one, other = (kind(hashed)(lines) for kind in (TokenDictionary, TokenMemory))
    np.testing.assert_array_equal(one.ids, other.ids)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert one.ids.dtype == other.ids.dtype == np.int32


def test_each_token_is_converted_once_until_they_are_too_many(monkeypatch):
    asked = []
    spell = TokenDictionary(lambda tokens: asked.append(list(tokens)) or hashed(tokens))
    for lines in (["the cat", "the dog"], ["the cat ran"], [""]):
        spell(lines)
    assert asked == [["the", "cat", "dog"], ["ran"]]
    monkeypatch.setattr(module, "_LIMIT", 3)
    spell(["the"])
    assert asked[2:] == [["the"]]


@pytest.mark.parametrize("installed", [True, False])
def test_compiled_code_takes_over_from_few_characters_on(monkeypatch, installed):
    if not installed:
        monkeypatch.delitem(sys.modules, "tandem.segmentation.token_memory")
        monkeypatch.setitem(sys.modules, "numba", None)
    asked = []
    spell = lookup(lambda tokens: asked.append(len(tokens)) or hashed(tokens))
    words = " ".join(f"w{number}" for number in range(FEW // 20))
    for _ in range(3):
        spell([words])
    assert len(asked) == 1
    last = spell([words])
    assert len(asked) == 1 + installed
    np.testing.assert_array_equal(last.ids, TokenMemory(hashed)([words]).ids)


def test_a_sentence_needs_no_compiled_code():
    code = (
        "import sys; from tandem import SentenceEncoder as S; "
        "S.load('small').encode('A sheep sleeps.', 'en'); print(*sorted(sys.modules))"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert not {b"numba", b"torch", b"scipy", b"faiss"} & set(modules.split())


def test_another_library_that_is_missing_is_not_passed_over(monkeypatch):
    monkeypatch.delitem(sys.modules, "tandem.segmentation.token_memory")
    monkeypatch.setitem(sys.modules, "tandem.text.tokens", None)
    with pytest.raises(ModuleNotFoundError, match="tokens"):
        lookup(hashed)([FEW * "a "])
