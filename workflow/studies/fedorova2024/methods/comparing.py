"""How fast encoders compare sentences (section IV-C: what the accuracy of cross-encoders costs)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tandem.encoders.pair_scores import is_scorer, pair_scores
from tandem.statistics.cosine import cosine_similarity, unit_length

SIDE = 1000
"""Sentences on either side of all against all."""


def pairs_per_second(encoder: Any, first: Sequence[str], second: Sequence[str]) -> float:  # noqa: ANN401
    """Compare the sentences of English pairs; return how many pairs that is in a second.

    A cross-encoder reads both orders, as where it is scored.
    """
    start = time.perf_counter()
    if is_scorer(encoder):
        segment = encoder.segmenter.encoder("en")
        pair_scores(encoder, segment(first), segment(second))
    else:
        cosine_similarity(*(encoder.encode(side, language="en") for side in (first, second)))
    return len(first) / (time.perf_counter() - start)


def seconds_of_all(encoder: Any, pairs: float) -> float:  # noqa: ANN401
    """Return the seconds that comparing 1,000 sentences with 1,000 takes at `pairs` a second.

    An encoder of sentences encodes each once, half a pair, and multiplies; a cross-encoder reads a
    million pairs.
    """
    if is_scorer(encoder):
        return SIDE**2 / pairs
    vectors = unit_length(encoder.encode(["A sentence.", "Another one."], language="en"))
    side = vectors[[0] * SIDE]
    start = time.perf_counter()
    side @ side.T
    return SIDE / pairs + time.perf_counter() - start
