"""Batches of text: bounded in items and in characters, in order."""

from __future__ import annotations

import pytest

from tandem.text import batches as module
from tandem.text.batches import batches, of_pair


@pytest.fixture(autouse=True)
def ten_characters(monkeypatch):
    monkeypatch.setattr(module, "CHARACTERS", 10)


def test_batches_have_at_most_so_many_lines_and_characters():
    lines = ["aa", "b", "", "ccc", "d" * 6, "e" * 4, "f", "g" * 30, "h"]
    expected = [["aa", "b", ""], ["ccc", "d" * 6], ["e" * 4, "f"], ["g" * 30], ["h"]]
    assert list(batches(lines, 3, len)) == expected
    assert list(batches([], 3, len)) == []


def test_both_sides_of_a_pair_count():
    pairs = [("abc", "de"), ("fgh", "ij"), ("k", "")]
    assert list(batches(pairs, 9, of_pair)) == [pairs[:2], pairs[2:]]


def test_a_full_batch_does_not_wait_for_the_next_line():
    read = []
    lines = (read.append(line) or line for line in "abcdef")
    assert next(batches(lines, 2, len)) == ["a", "b"]
    assert read == ["a", "b"]
