"""Translations out of two texts that are not aligned, and the threshold that they must reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.search import margins
from tandem.search.margins import Retrieval, Score
from tandem.search.neighbours import IndexKind, search

NEIGHBOURS = 4
"""Neighbours of a sentence in the margins that thresholds are calibrated for."""


class Mined(NamedTuple):
    """A pair of sentences and its score."""

    score: float
    first: str
    second: str


def calibrated(encoder: SentenceEncoder, score: Score, k: int = NEIGHBOURS) -> float:
    """Return the threshold that was calibrated for a score when an encoder was trained.

    TandemError where it has none, or none for so many neighbours.
    """
    if k != NEIGHBOURS and score is not Score.COSINE:
        problem = f"thresholds are calibrated for margins over {NEIGHBOURS} neighbours, not {k}"
        raise TandemError(f"{problem}. Give a number")
    limits = encoder.metadata.get("quality", {}).get("thresholds", {})
    if score not in limits:
        raise TandemError(
            "this model has no calibrated threshold: it was not trained by tandem train. Give a "
            "number, or measure one: tandem evaluate MODEL FILES --languages ... prints it"
        )
    return float(limits[score])


def mine(
    encoder: SentenceEncoder,
    first: Sequence[str],
    second: Sequence[str],
    languages: Sequence[str],
    *,
    at_least: float | None = None,
    score: Score | str = Score.RATIO,
    retrieval: Retrieval | str = Retrieval.MAX,
    k: int = NEIGHBOURS,
    index: IndexKind | str = IndexKind.EXACT,
    memory_bytes: int | None = None,
) -> list[Mined]:
    """Find the sentences of two texts that translate each other, the best pair first.

    Both texts and their vectors are held in memory; `tandem mine` holds them on disk.

    Args:
        encoder: one that knows both languages.
        first: sentences of the first language.
        second: sentences of the second language.
        languages: codes of the two, such as ("en", "de").
        at_least: lowest score of a pair that is returned; None: the threshold that was calibrated
            when the encoder was trained, which keeps 95% of true pairs.
        score: cosine, or a margin over the k nearest: ratio, distance, yang-9, yang-10.
        retrieval: which pairs are proposed: max (each sentence in one pair at most), intersection,
            forward or backward.
        k: neighbours that a margin looks at.
        index: exact, or for large texts ivf or hnsw, which may miss neighbours.
        memory_bytes: bound on memory while searching; None: 2 GiB.

    Raises:
        TandemError: a text is empty, the encoder does not know a language, or it has no threshold.
    """
    score = Score(score)
    threshold = calibrated(encoder, score, k) if at_least is None else at_least
    if not first or not second:
        raise TandemError("one of the texts is empty. Give some sentences")
    left, right = map(encoder.encode, (first, second), languages)
    near = search(
        left, right, k,
        index=IndexKind(index), memory_bytes=memory_bytes, device=encoder.device,
    )  # fmt: skip
    pairs = margins.mine(near, score, Retrieval(retrieval)).above(threshold)
    rows = zip(pairs.score, pairs.source, pairs.target, strict=True)
    return [Mined(float(value), first[i], second[j]) for value, i, j in rows]
