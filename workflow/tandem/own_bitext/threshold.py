"""The threshold for translations that was calibrated in training."""

from __future__ import annotations

from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.search.margins import Score

NEIGHBOURS = 4
"""Neighbours of a sentence in the margins that thresholds are calibrated for."""


def calibrated(encoder: SentenceEncoder, score: Score, k: int = NEIGHBOURS) -> float:
    """Return the threshold that was calibrated for a score when an encoder was trained.

    Raises:
        TandemError: it has none, or none for so many neighbours.
    """
    if k != NEIGHBOURS and score is not Score.COSINE:
        raise TandemError(
            f"thresholds are calibrated for margins over {NEIGHBOURS} neighbours, not {k}. Give a "
            "number"
        )
    limits = encoder.metadata.get("quality", {}).get("thresholds", {})
    if score not in limits:
        raise TandemError(
            "this model has no calibrated threshold: it was not trained by tandem train. Give a "
            "number, or measure one: tandem evaluate MODEL FILES --languages ... prints it"
        )
    return float(limits[score])
