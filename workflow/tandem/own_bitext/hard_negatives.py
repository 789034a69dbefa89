"""Hard negatives of pairs: similar sentences that do not say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.labelled import Keys
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.search.neighbours import search
from tandem.statistics.cosine import cosine_similarity
from tandem.text import Pair

BEYOND = 20
"""Neighbours that are looked at beyond those asked for: some are too near, or say the same."""


class Mined(NamedTuple):
    """Negatives, pair by pair: (negatives,) numbers of pairs, and of those whose second side it is.

    Attributes:
        pairs: the pair whose first sentence it is a negative of, rising.
        negatives: the pair that it is the second sentence of.
        cosines: of the two.
    """

    pairs: NDArray[np.int64]
    negatives: NDArray[np.int64]
    cosines: NDArray[np.float64]


def mined(
    encoder: SentenceEncoder,
    pairs: Sequence[Pair],
    languages: Sequence[str],
    number: int,
    margin: float,
) -> Mined:
    """Return at most `number` negatives of every pair, the most similar first.

    They are second sentences of other pairs, whose cosine with the pair's first sentence is at most
    1 - `margin` times the pair's own; none is a duplicate of the pair's sides, or says the same by
    way of other pairs; and of equal sentences one is taken. A pair may have none.

    Raises:
        TandemError: there are fewer than two pairs.
    """
    if len(pairs) < 2:
        raise TandemError(f"{len(pairs)} pairs. Negatives are sentences of other pairs: give more")
    keys = Keys()
    for first, second in pairs:
        keys.join(first, second)
    groups = np.array([keys[first] for first, _ in pairs])
    vectors = [
        encoder.encode(side, code)
        for side, code in zip(zip(*pairs, strict=True), languages, strict=True)
    ]
    of_pairs = cosine_similarity(*vectors)
    most = min(number + BEYOND, len(pairs))
    near = search(vectors[0], vectors[1], most, device=encoder.device).forward
    rows: list[tuple[int, int, float]] = []
    for row, (places, scores) in enumerate(zip(near.indices, near.scores, strict=True)):
        taken: set[str] = set()
        for place, score in zip(places.tolist(), scores.tolist(), strict=True):
            text = pairs[place][1]
            apart = groups[place] != groups[row] and text not in taken
            if apart and score <= (1 - margin) * of_pairs[row]:
                taken.add(text)
                rows.append((row, place, score))
            if len(taken) == number:
                break
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    numbers, negatives, cosines = columns
    return Mined(np.array(numbers, np.int64), np.array(negatives, np.int64), np.array(cosines))
