"""Which pairs are proposed, from complete neighbour lists, a group of sentences at a time.

`tandem.search.margins.mine` decides, here as in `tandem mine`, about the lists of a group; beside
them the other side has lists of one neighbour, at the mean cosine of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tandem.search.margins import MinedPairs, Retrieval, Score, mine
from tandem.search.neighbours import NOBODY, Lists, Neighbours


def propose(lists: Lists, means: NDArray[np.float64], score: Score) -> MinedPairs:
    """Return the best neighbour of each sentence of a group, by its row in the lists, (n, k).

    `means`, (m,), are the mean cosines of sentences of the other side to their own neighbours; the
    lists have places in them.
    """
    if not (len(lists.indices) and len(means)):
        return MinedPairs(*(np.zeros(0, kind) for kind in (np.int64, np.int64, np.float64)))
    anybody = np.zeros((len(means), 1), np.int64)
    others = Lists(anybody, means[:, None])  # float64, to the last digit
    return mine(Neighbours(lists, others), score, Retrieval.FORWARD)


def of_few(lists: Lists) -> tuple[NDArray[np.int64], Lists]:
    """Return the numbers of all neighbours in some lists, ascending, and lists of places in them.

    So a group needs the means of its own neighbours only, however large their side is.
    """
    there = lists.indices != NOBODY
    numbers, places = np.unique(lists.indices[there], return_inverse=True)
    indices = np.full(lists.indices.shape, NOBODY, np.int64)
    indices[there] = places
    return numbers, Lists(indices, lists.scores)


def read_means(paths: Sequence[str], numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean cosines of ascending sentences, (n,), from the files of a side's groups."""
    means = np.zeros(len(numbers))
    for path in paths:
        with np.load(path) as part:
            _, places, rows = np.intersect1d(
                numbers, part["rows"], assume_unique=True, return_indices=True
            )
            means[places] = part["means"][rows]
    return means
