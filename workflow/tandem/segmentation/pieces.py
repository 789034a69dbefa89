"""Tokens to SentencePieces, many at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import sentencepiece as spm

from tandem.segmentation.ragged import Ragged

_THREADS = 2
"""For the new words of a batch: more threads take longer to start than to encode."""


class PieceEncoder:
    """Maps tokens to the ids of their SentencePieces, unknown ones left out.

    Each token is encoded by itself. In a longer text the sums of scores are rounded otherwise,
    which changes a choice between pieces that are equally good ("000 0" and "0 000").
    """

    def __init__(self, model: Path, ids: Mapping[str, int], mark: str) -> None:
        """Take the id of a piece from `ids`, where `mark` is put before it."""
        self._processor = spm.SentencePieceProcessor(model_file=str(model))
        pieces = map(self._processor.id_to_piece, range(self._processor.vocab_size()))
        self._ids = np.array([ids.get(mark + piece, -1) for piece in pieces], np.int32)
        self._ids[self._processor.unk_id()] = -1

    def __call__(self, tokens: Sequence[str]) -> Ragged:
        """Return the ids of each token in lower case."""
        texts = [token.lower() for token in tokens]
        rows = self._processor.encode(texts, num_threads=_THREADS)
        pieces = np.fromiter(chain.from_iterable(rows), np.int64)
        ends = np.cumsum([0, *map(len, rows)])
        ids = self._ids[pieces]
        known = np.append(0, np.cumsum(ids >= 0))
        return Ragged(ids[ids >= 0], known[ends])
