"""Sentences in padded batches of like length, and streams of them in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from tandem.translation.translator import EMPTY, Translation

Ids = list[int]
Piece = TypeVar("Piece", int, str)

PAD, UNKNOWN, START, END = 0, 1, 2, 3
"""Ids fixed when the pieces are trained, so that no other file has to hold them."""
WINDOW = 8192
"""Sentences read ahead and sorted by length: memory is bounded by it, order is restored in it."""
BATCH_TOKENS = 8192
"""Padded source tokens of a decoding batch."""


class Batch(NamedTuple):
    """A training batch, right-padded with PAD.

    source: (batch, source) ending in END; lengths: (batch,) of it; inputs: (batch, target)
    starting with START; labels: (batch, target) ending in END.
    """

    source: Tensor
    lengths: Tensor
    inputs: Tensor
    labels: Tensor


def pad(rows: Sequence[Ids]) -> Tensor:
    """Stack id lists as (rows, longest), padded on the right."""
    table = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return torch.from_numpy(table)


def pad_sources(rows: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Source ids (rows, longest), each ended by END, and their lengths (rows,)."""
    ended = [[*row, END] for row in rows]
    return pad(ended), torch.tensor([len(row) for row in ended])


def make_batch(sources: Sequence[Ids], targets: Sequence[Ids]) -> Batch:
    """Make a batch of aligned source and target id lists."""
    source, lengths = pad_sources(sources)
    inputs = pad([[START, *row] for row in targets])
    labels = pad([[*row, END] for row in targets])
    return Batch(source, lengths, inputs, labels)


def group_by_length(
    sources: Sequence[Sized], targets: Sequence[Sized], tokens: int, seed: Sequence[int] | None
) -> list[list[int]]:
    """Group pairs into batches of at most `tokens` padded target tokens (at least one pair).

    Sorting by length leaves little padding. A seed draws the order within one length and the
    order of the batches; None keeps the sorted order. Returns lists of positions.
    """
    rng = None if seed is None else np.random.default_rng(seed)
    order = np.arange(len(sources)) if rng is None else rng.permutation(len(sources))
    lengths = np.array([[len(s), len(t)] for s, t in zip(sources, targets, strict=True)])
    lengths = lengths.reshape(-1, 2)[order]
    order = order[np.lexsort((lengths[:, 0], lengths[:, 1]))]
    batches: list[list[int]] = []
    current: list[int] = []
    for place in order.tolist():
        # sorted: this pair is the longest so far, so the padded size is its length times the rows
        if current and (len(current) + 1) * (len(targets[place]) + 1) > tokens:
            batches.append(current)
            current = []
        current.append(place)
    if current:
        batches.append(current)
    if rng is not None:
        rng.shuffle(batches)
    return batches


def translate_in_windows(
    sentences: Iterable[str],
    cut: Callable[[list[str]], list[list[Piece]]],
    translate_batch: Callable[[Sequence[list[Piece]]], list[Translation]],
    tokens: int = BATCH_TOKENS,
) -> Iterator[Translation]:
    """Yield one translation per sentence, in input order.

    `cut` segments sentences, `translate_batch` translates segmented ones of at most `tokens`
    padded tokens. A sentence without pieces becomes the empty translation.
    """
    stream = iter(sentences)
    while window := list(islice(stream, WINDOW)):
        results = [EMPTY] * len(window)
        cuts = cut(window)
        places = [place for place, row in enumerate(cuts) if row]
        rows = [cuts[place] for place in places]
        for group in group_by_length(rows, rows, tokens, seed=None):
            translations = translate_batch([rows[i] for i in group])
            for i, translation in zip(group, translations, strict=True):
                results[places[i]] = translation
        yield from results
