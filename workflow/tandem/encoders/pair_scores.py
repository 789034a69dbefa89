"""What a cross-encoder, which reads both sentences of a pair at once, says of pairs."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from tandem.encoders.model import SentenceEncoder
from tandem.segmentation.ragged import Ragged, joined
from tandem.statistics.correlation import FloatArray


def is_scorer(encoder: object) -> TypeGuard[SentenceEncoder]:
    """Whether an encoder gives a number for two sentences that it reads at once."""
    return isinstance(encoder, SentenceEncoder) and encoder.kind.kind == "scorer"


def pair_scores(scorer: SentenceEncoder, first: Ragged, second: Ragged) -> FloatArray:
    """Return a number for each pair, the mean of both orders: (pairs,)."""
    orders = (joined(first, second), joined(second, first))
    return np.mean([scorer.encode_ids(order)[:, 0].astype(np.float64) for order in orders], axis=0)
