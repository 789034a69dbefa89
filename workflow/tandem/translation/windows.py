"""Translating a stream of sentences in batches of like length, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from tandem.translation.base import EMPTY, Translation
from tandem.translation.padding import group_by_length

Piece = TypeVar("Piece", int, str)

WINDOW = 8192
"""Sentences read ahead and sorted by length: memory is bounded by it, order is restored in it."""
BATCH_TOKENS = 8192
"""Padded source tokens of a decoding batch."""


def translate_in_windows(
    sentences: Iterable[str],
    cut: Callable[[list[str]], list[list[Piece]]],
    translate_batch: Callable[[Sequence[list[Piece]]], list[Translation]],
) -> Iterator[Translation]:
    """Yield one translation per sentence, in input order.

    `cut` segments sentences, `translate_batch` translates segmented ones. A sentence of which
    nothing is left after segmentation becomes the empty translation.
    """
    stream = iter(sentences)
    while window := list(islice(stream, WINDOW)):
        results = [EMPTY] * len(window)
        cuts = cut(window)
        places = [place for place, row in enumerate(cuts) if row]
        rows = [cuts[place] for place in places]
        for group in group_by_length(rows, rows, BATCH_TOKENS, seed=None):
            translations = translate_batch([rows[i] for i in group])
            for i, translation in zip(group, translations, strict=True):
                results[places[i]] = translation
        yield from results
