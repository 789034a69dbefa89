"""Hard negatives of pairs: similar sentences that do not say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.families import Keys
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.search.neighbours import search
from tandem.statistics.cosine import cosine_similarity, unit_length
from tandem.text import Pair

BEYOND = 20
"""Neighbours that are looked at beyond those asked for: some are too near, or say the same. Where
these do not suffice, all are looked at."""
_CELLS = 1 << 24
"""Most cosines that are in memory where all are looked at."""

Rows = NDArray[np.int64]


class Mined(NamedTuple):
    """Negatives, pair by pair: (negatives,) numbers of pairs, and of those whose second side it is.

    Attributes:
        pairs: the pair whose first sentence it is a negative of, rising.
        negatives: the first pair that it is the second sentence of.
        cosines: of the two.
        unlike: how many pairs have a cosine of 0 or below, and hence no negatives.
    """

    pairs: Rows
    negatives: Rows
    cosines: NDArray[np.float64]
    unlike: int


@dataclass(frozen=True)
class _Bounds:
    """What a negative is, of p pairs and d different second sentences.

    Attributes:
        groups: (p,) numbers, equal for pairs that say the same.
        distinct: (d,) the first pair that has each of the second sentences.
        limits: (p,) the highest cosine of a negative.
        number: most negatives of a pair.
    """

    groups: Rows
    distinct: Rows
    limits: NDArray[np.float64]
    number: int

    def best(self, rows: Rows, columns: Rows, cosines: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Tell which of some second sentences are taken, (rows, k), each row's nearest first."""
        apart = self.groups[self.distinct[columns]] != self.groups[rows][:, None]
        fit = apart & (cosines <= self.limits[rows][:, None])
        return fit & (fit.cumsum(1) <= self.number)


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
    way of other pairs; and of equal sentences one is taken. A pair has fewer, or none, where no
    more of all second sentences are such; and none where its own cosine is 0 or below, of which a
    share means nothing.

    Raises:
        TandemError: there are fewer than two pairs.
    """
    if len(pairs) < 2:
        raise TandemError(f"{len(pairs)} pairs. Negatives are sentences of other pairs: give more")
    keys = Keys()
    for first, second in pairs:
        keys.join(first, second)
    places: dict[str, int] = {}  # copies would fill the lists of neighbours
    for place, (_, second) in enumerate(pairs):
        places.setdefault(second, place)
    distinct = np.array(list(places.values()))
    left, right = (
        encoder.encode(side, code)
        for side, code in zip(zip(*pairs, strict=True), languages, strict=True)
    )
    cosines = cosine_similarity(left, right)
    groups = np.array([keys[first] for first, _ in pairs])
    bounds = _Bounds(groups, distinct, (1 - margin) * cosines, number)
    like = np.flatnonzero(cosines > 0)
    parts = [*_nearest(left, right[distinct], bounds, like, encoder.device)] if len(like) else []
    none = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    rows, negatives, scores = map(np.concatenate, zip(none, *parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return Mined(rows[order], negatives[order], scores[order], len(pairs) - len(like))


def _nearest(
    left: NDArray[np.float32], right: NDArray[np.float32], bounds: _Bounds, like: Rows, device: str
) -> Iterator[tuple[Rows, Rows, NDArray[np.floating]]]:
    """Yield pairs, those that their negatives are of, and cosines; each pair's nearest first.

    `left` are the vectors of all first sentences, `right` of the different second ones.
    """
    near = search(left[like], right, min(bounds.number + BEYOND, len(right)), device=device).forward
    taken = bounds.best(like, near.indices, near.scores)
    complete = taken.sum(1) == min(bounds.number, len(right))
    rows, columns = np.nonzero(taken & complete[:, None])
    yield like[rows], bounds.distinct[near.indices[rows, columns]], near.scores[rows, columns]
    rest, others = like[~complete], unit_length(right)
    step = max(1, _CELLS // len(right))
    for some in (rest[start : start + step] for start in range(0, len(rest), step)):
        cosines = unit_length(left[some]) @ others.T
        order = np.argsort(-cosines, axis=1, kind="stable")
        cosines = np.take_along_axis(cosines, order, 1)
        rows, columns = np.nonzero(bounds.best(some, order, cosines))
        yield some[rows], bounds.distinct[order[rows, columns]], cosines[rows, columns]
