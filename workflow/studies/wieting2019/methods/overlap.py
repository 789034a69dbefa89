"""SentencePiece overlap with English, and the marker that prevents sharing.

Wieting et al. (2019), "Does Language Choice Matter?": the two languages are segmented separately,
and a piece of both segmentations is one parameter, which both texts then train.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tandem.errors import TandemError

CONTROL = frozenset({"<unk>", "<s>", "</s>", "<pad>"})
"""Entries of a vocabulary that are not text; they are not counted as pieces."""

Ids = NDArray[np.integer]


@dataclass(frozen=True)
class Overlap:
    """How much of the English text the other language's pieces cover, each in [0, 1].

    `types` is the share of the pieces occurring in the English text that also occur in the other
    text; `tokens` the share of the English text's running pieces that are of those types.
    """

    types: float
    tokens: float
    english_types: int
    shared_types: int


def piece_counts(ids: Ids, pieces: Sequence[str]) -> dict[str, int]:
    """Count the pieces that occur in a text: flat ids (n,) into the vocabulary `pieces`.

    Control symbols are left out.

    Raises:
        TandemError: when an id lies outside the vocabulary.
    """
    counts = np.bincount(np.asarray(ids, dtype=np.int64), minlength=len(pieces))
    if len(counts) > len(pieces):
        raise TandemError(
            f"the text holds piece {len(counts) - 1}, its vocabulary only {len(pieces)} pieces: "
            "the two belong to different segmentations, so make them again together"
        )
    return {
        piece: int(count)
        for piece, count in zip(pieces, counts, strict=True)
        if count and piece not in CONTROL
    }


def measured_overlap(
    english: Ids, english_pieces: Sequence[str], other: Ids, other_pieces: Sequence[str]
) -> Overlap:
    """Return the overlap of two texts, which are flat ids into their vocabularies.

    Raises:
        TandemError: when the English text is empty, or an id lies outside its vocabulary.
    """
    counts, others = piece_counts(english, english_pieces), piece_counts(other, other_pieces)
    if not counts:
        raise TandemError("the English text has no pieces, so no share of them is defined")
    shared = [piece for piece in counts if piece in others]
    return Overlap(
        types=len(shared) / len(counts),
        tokens=sum(counts[piece] for piece in shared) / sum(counts.values()),
        english_types=len(counts),
        shared_types=len(shared),
    )


def mark(pieces: Iterable[str], marker: str, english: Iterable[str]) -> list[str]:
    """Prefix every piece with a marker: the ablation, in which the languages share no parameter.

    Raises:
        TandemError: when a marked piece is nevertheless a piece of English.
    """
    marked = [marker + piece for piece in pieces]
    if both := sorted(set(marked) & set(english)):
        raise TandemError(
            f"marked with {marker!r}, {both[0]!r} is still a piece of English: choose a marker "
            "that no text holds"
        )
    return marked


def joint_vocabulary(
    english: Sequence[str], other: Sequence[str]
) -> tuple[list[str], NDArray[np.int64]]:
    """Join two vocabularies so that equal pieces are one parameter.

    English keeps its ids, so its pieces have the same initial vectors beside every language.

    Returns:
        The joint vocabulary, English first, and the map, shape (len(other),), from the other
        language's ids to joint ids.
    """
    ids = {piece: number for number, piece in enumerate(english)}
    mapping = np.array([ids.setdefault(piece, len(ids)) for piece in other], dtype=np.int64)
    return list(ids), mapping
