"""Which pairs are proposed, from complete neighbour lists, a group of sentences at a time.

`tandem.search.margins.mine` decides, here as in `tandem mine`: first about the lists of a group,
beside which the other side has lists of one neighbour, at the mean cosine of its own; then about
all, where a proposal is a list of one neighbour whose score is that of the pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tandem.search.margins import MinedPairs, Retrieval, Score, mine
from tandem.search.neighbours import NOBODY, Lists, Neighbours


def propose(lists: Lists, means: NDArray[np.float64], score: Score) -> MinedPairs:
    """Return the best neighbour of each sentence of a group, by its row in the lists, (n, k).

    `means`, (m,), are the mean cosines of all sentences of the other side to their neighbours.
    """
    if not len(lists.indices):
        return MinedPairs(*(np.zeros(0, kind) for kind in (np.int64, np.int64, np.float64)))
    anybody = np.zeros((len(means), 1), np.int64)
    others = Lists(anybody, means[:, None])  # float64, to the last digit
    return mine(Neighbours(lists, others), score, Retrieval.FORWARD)


def choose(sides: Sequence[MinedPairs], sizes: Sequence[int], retrieval: Retrieval) -> MinedPairs:
    """Return the pairs that are chosen from what the sentences of both sides propose, best first.

    `sides` are the proposals of the first and of the second side, the proposing sentence first;
    `sizes` are the numbers of sentences. Memory is linear in these.
    """
    forward, backward = (_lists(*both) for both in zip(sides, sizes, strict=True))
    return mine(Neighbours(forward, backward), Score.COSINE, retrieval)


def _lists(proposals: MinedPairs, size: int) -> Lists:
    """Return proposals as lists of one neighbour."""
    indices, scores = np.full((size, 1), NOBODY, np.int64), np.full((size, 1), -np.inf)
    indices[proposals.source, 0] = proposals.target
    scores[proposals.source, 0] = proposals.score
    return Lists(indices, scores)  # float64, to the last digit


def read_proposals(paths: Sequence[str]) -> MinedPairs:
    """Read the proposals of a side's groups, whose files hold source, target and score."""
    parts = [np.load(path) for path in paths]
    return MinedPairs(
        *(np.concatenate([part[name] for part in parts]) for name in ("source", "target", "score"))
    )
