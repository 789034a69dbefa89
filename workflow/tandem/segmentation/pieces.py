"""SentencePiece models: learned from tokens, and tokens to the ids of their pieces."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece as spm

from tandem.errors import InputError, TandemError
from tandem.files.saved import REMEDY
from tandem.segmentation.ragged import Ragged
from tandem.text.tokens import Roles, split

_THREADS = 2
"""For the new words of a batch: more threads take longer to start than to encode."""


class PieceEncoder:
    """Maps tokens to the ids of their SentencePieces.

    Each token is encoded by itself. In a longer text the sums of scores are rounded differently,
    which changes a choice between pieces that are equally good ("000 0" and "0 000"). A character
    outside the pieces is left out and divides its token, as a space would.
    """

    def __init__(self, model: Path, ids: Mapping[str, int]) -> None:
        """Take the id of each piece of a model from `ids`.

        Raises:
            InputError: it is no such model, or a text could hold a piece without an id.
        """
        self._processor = load_pieces(model)
        scores = piece_scores(self._processor)
        self._alphabet = alphabet(scores)
        whole = self._alphabet <= scores.keys() and all(map(isfinite, scores.values()))
        if not (whole and scores.keys() <= ids.keys()):
            raise InputError(model, None, "its pieces are not those of the vocabulary", REMEDY)
        pieces = self._processor.id_to_piece([*range(self._processor.vocab_size())])
        self._ids = np.array([ids.get(piece, -1) for piece in pieces], np.int32)
        self._roles = Roles(self._alphabet)

    def __call__(self, tokens: Sequence[str]) -> Ragged:
        """Return the ids of each token."""
        texts = [
            token if self._alphabet.issuperset(token) else " ".join(split(token, self._roles))
            for token in tokens
        ]
        rows = self._processor.encode(texts, num_threads=_THREADS)
        pieces = np.fromiter(chain.from_iterable(rows), np.int64)
        return Ragged(self._ids[pieces], np.cumsum([0, *map(len, rows)]))


def load_pieces(path: str | Path) -> spm.SentencePieceProcessor:
    """Load a SentencePiece model; InputError if it is none."""
    try:
        processor = spm.SentencePieceProcessor(model_file=str(path))
        processor.id_to_piece([*range(processor.vocab_size())])  # they may be no UTF-8
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        problem = f"not a readable SentencePiece model ({error})"
        raise InputError(path, None, problem, REMEDY) from error
    return processor


def piece_scores(processor: spm.SentencePieceProcessor) -> dict[str, float]:
    """Return the pieces of a model with their scores, in the order of their numbers."""
    numbers = [*range(processor.vocab_size())]
    numbers.remove(processor.unk_id())
    return dict(zip(processor.id_to_piece(numbers), processor.get_score(numbers), strict=True))


def alphabet(pieces: Iterable[str]) -> frozenset[str]:
    """Return the characters that pieces are made of."""
    return frozenset(chain.from_iterable(pieces))


def train_unigram(
    lines: Iterable[str],
    size: int,
    coverage: float,
    threads: int,
    **options: Any,  # noqa: ANN401
) -> bytes:
    """Train a unigram model of at most `size` pieces; return its bytes.

    Lines come from an iterator and the model goes to memory, so no path enters the bytes.

    Raises:
        TandemError: too little text, or more characters than pieces.
    """
    model = io.BytesIO()
    try:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=model,
            model_type="unigram",
            vocab_size=size,
            hard_vocab_limit=False,
            character_coverage=coverage,
            num_threads=threads,
            minloglevel=2,
            **options,
        )
    except RuntimeError as error:
        raise TandemError(
            f"SentencePiece could not learn {size} pieces ({error}): give it more text, or ask for "
            "another number of them (size of a segmentation, pieces of a translator)"
        ) from error
    return model.getvalue()
