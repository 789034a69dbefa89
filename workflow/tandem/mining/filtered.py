"""Neighbours that the filters of a run refuse: copies, numbers that differ, other lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.encoders.named import open_encoder
from tandem.filtering.filter import parse_filters
from tandem.filtering.stream import CHUNK, Work
from tandem.mining.sentences import Sentences
from tandem.search.neighbours import NOBODY, Lists

Refuses = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Tells which pairs are refused, bool (n,), by the numbers of a sentence and of its neighbour."""


def refusing(
    rules: Mapping[str, Any], languages: Sequence[str], sides: Sequence[Sentences], backward: bool,
    device: str,
) -> Refuses:  # fmt: skip
    """Load the filters of the rules of `tandem filter`, and return what tells refused pairs.

    `backward` is whether the sentence is of the second side, its neighbour of the first. A filter
    always sees the first side first.
    """
    opened = partial(open_encoder, device=device)
    work = Work(parse_filters(rules, files=True), languages, opened, scores=True)

    def refuses(sentences: NDArray[np.int64], neighbours: NDArray[np.int64]) -> NDArray[np.bool_]:
        numbers = (neighbours, sentences) if backward else (sentences, neighbours)
        texts = (side.texts(some) for side, some in zip(sides, numbers, strict=True))
        scored = work.block(list(zip(*texts, strict=True)), {}).scores
        # a line begins with the filters that refuse the pair
        return np.array([not line.startswith(b"\t") for line in scored.split(b"\n")[:-1]])

    return refuses


def refuse(rows: NDArray[np.int64], lists: Lists, refuses: Refuses) -> NDArray[np.bool_]:
    """Return which neighbours of the sentences `rows` (n,) are refused, bool (n, w)."""
    refused = np.zeros(lists.indices.shape, bool)
    places = np.argwhere(lists.indices != NOBODY)
    for start in range(0, len(places), CHUNK):
        row, column = places[start : start + CHUNK].T
        refused[row, column] = refuses(rows[row], lists.indices[row, column])
    return refused
