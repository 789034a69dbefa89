"""SentencePiece overlap, the marker ablation and joint vocabularies, by hand."""

import numpy as np
import pytest

from tandem.errors import TandemError
from wieting2019.methods.overlap import joint_vocabulary, mark, measured_overlap, piece_counts

ENGLISH = ["<unk>", "▁the", "▁a", "tion", "s", "▁unused"]
FRENCH = ["<unk>", "▁la", "▁a", "tion", "s", "▁unused"]


def test_overlap_counts_types_and_tokens() -> None:
    english, french = np.array([1, 1, 1, 1, 2, 2, 3, 4, 0]), np.array([0, 1, 2, 3, 3])
    assert piece_counts(english, ENGLISH) == {"▁the": 4, "▁a": 2, "tion": 1, "s": 1}
    overlap = measured_overlap(english, ENGLISH, french, FRENCH)
    # "s" is in French's vocabulary but not in its text; <unk> is in both and is no piece
    assert (overlap.english_types, overlap.shared_types) == (4, 2)
    assert overlap.types == 2 / 4
    assert overlap.tokens == 3 / 8


def test_overlap_is_of_the_english_text() -> None:
    one, many = (np.arange(1), ["a"]), (np.arange(4), ["a", "b", "c", "d"])
    assert measured_overlap(*one, *many).types == 1.0
    assert measured_overlap(*many, *one).types == 0.25


def test_marked_pieces_share_nothing() -> None:
    marked = mark(FRENCH, "⟪", ENGLISH)
    assert marked[2] == "⟪▁a"
    assert measured_overlap(np.arange(6), ENGLISH, np.arange(6), marked).types == 0
    joint, mapping = joint_vocabulary(ENGLISH, marked)
    assert len(joint) == 12 and mapping.tolist() == [6, 7, 8, 9, 10, 11]


def test_joint_vocabulary_keeps_english_ids_and_shares_equal_pieces() -> None:
    joint, mapping = joint_vocabulary(ENGLISH, FRENCH)
    assert joint == [*ENGLISH, "▁la"]
    assert mapping.tolist() == [0, 6, 2, 3, 4, 5]
    assert [joint[number] for number in mapping] == FRENCH


def test_refusals() -> None:
    with pytest.raises(TandemError, match="piece 6, its vocabulary only 6"):
        piece_counts(np.array([1, 6]), ENGLISH)
    with pytest.raises(TandemError, match="no pieces"):
        measured_overlap(np.arange(0), ["a"], np.arange(1), ["a"])
    with pytest.raises(TandemError, match="'tion' is still a piece of English"):
        mark(["ion", "x"], "t", ENGLISH)
