"""Candidate pairs of a mining task: nearest neighbours, and the features that classify them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tandem.corpora.mining_task import gold_rows, mining_language, read_part
from tandem.search.margins import MinedPairs, Retrieval, Score, mean_cosines, mine
from tandem.statistics.cosine import unit_length
from tandem.tasks.vectors import vectors_on_disk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.tasks.task import Encodes

FEATURES = ("cosine", "yang-9", "yang-10", "lengths", "numbers", "names")
"""The features of a pair that a light classifier gets beside its vectors."""


class Candidates(NamedTuple):
    """The pairs proposed in one part of a task, best cosine first.

    Attributes:
        pairs: rows of the source, rows of the English side, cosines.
        gold: (pairs,) bool, whether a pair is in the gold list.
        wanted: (source row, English row) of the gold list.
        texts: sentences of the source and of the English side.
        ids: their names.
        features: (pairs, FEATURES).
        vectors: (pairs, 2, dimension), of length 1; None unless they were to be kept.
    """

    pairs: MinedPairs
    gold: NDArray[np.bool_]
    wanted: list[tuple[int, int]]
    texts: tuple[list[str], list[str]]
    ids: tuple[list[str], list[str]]
    features: NDArray[np.float64]
    vectors: NDArray[np.float32] | None


def find(
    encoder: Encodes,
    folder: Path,
    part: str,
    retrieval: Retrieval,
    neighbours: int,
    memory_bytes: int,
    keep_vectors: bool = False,
) -> Candidates:
    """Search one part of a task both ways, and propose pairs by cosine.

    Retrieval.FORWARD pairs each source sentence with the nearest English one; INTERSECTION keeps
    of these only sentences that are nearest to each other (section 6.2).
    """
    from tandem.search.neighbours import search
    from tandem.tasks.kinds.mining import is_correct
    from tandem.tasks.task import device_of

    task = read_part(folder, part)
    sides = list(task.source.values()), list(task.target.values())
    texts = zip((mining_language(folder), "en"), sides, strict=True)
    with vectors_on_disk(encoder, *texts) as (source, target):
        bound, device = memory_bytes, device_of(encoder)
        near = search(source, target, neighbours, memory_bytes=bound, device=device)
        pairs = mine(near, Score.COSINE, retrieval)
        kept = None
        if keep_vectors:
            places = zip((source, target), (pairs.source, pairs.target), strict=True)
            chosen = [np.load(file, mmap_mode="r")[rows] for file, rows in places]
            kept = np.stack([unit_length(rows).astype(np.float32) for rows in chosen], axis=1)
    wanted = gold_rows(task)
    means = [mean_cosines(lists) for lists in near]
    ids = list(task.source), list(task.target)
    return Candidates(
        pairs, is_correct(pairs, wanted), wanted, sides, ids, features(pairs, means, sides), kept
    )


def features(
    pairs: MinedPairs, means: Sequence[NDArray], sides: Sequence[Sequence[str]]
) -> NDArray[np.float64]:
    """Return the FEATURES of each pair, (pairs, features).

    `means` has, for the source and for English, each sentence's mean cosine with its neighbours.
    """
    from tandem.search.margins import score_pairs

    near = means[0][pairs.source], means[1][pairs.target]
    margins = [score_pairs(pairs.score, *near, score) for score in (Score.YANG_9, Score.YANG_10)]
    texts = [
        (sides[0][left], sides[1][right])
        for left, right in zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)
    ]
    lengths = [abs(np.log((len(a) + 1) / (len(b) + 1))) for a, b in texts]
    numbers_apart = [float(numbers(a) != numbers(b)) for a, b in texts]
    shared = [len(capitals(a) & capitals(b)) / max(len(capitals(b)), 1) for a, b in texts]
    columns: list[Any] = [pairs.score, *margins, lengths, numbers_apart, shared]
    return np.nan_to_num(np.stack(columns, axis=1).astype(np.float64), posinf=0, neginf=0)


def numbers(text: str) -> tuple[str, ...]:
    """Return the numbers of a text, sorted, as digits without separators."""
    import re

    spellings = re.findall(r"\d[\d.,\u00a0 ]*", text)
    return tuple(sorted("".join(c for c in number if c.isdigit()) for number in spellings))


def capitals(text: str) -> set[str]:
    """Return the words of a text, after the first, that begin with a capital letter."""
    return {word.strip(".,;:!?\"'()") for word in text.split()[1:] if word[:1].isupper()}
