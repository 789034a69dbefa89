"""The translator's own subword vocabulary: one SentencePiece model for both languages."""

from __future__ import annotations

import io
from collections.abc import Iterable

import sentencepiece as spm

from tandem.errors import TandemError

PAD, UNKNOWN, START, END = 0, 1, 2, 3
"""Ids fixed at training, so that no other file has to say them."""


def train_pieces(lines: Iterable[str], size: int) -> bytes:
    """Train a unigram vocabulary of at most `size` pieces on lines; return the model's bytes.

    Lines come from an iterator and the model goes to memory, so no path enters the bytes; one
    thread, since the sums of several depend on their number.

    Raises:
        TandemError: no text, or more characters than `size` has room for.
    """
    model = io.BytesIO()
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise TandemError("no text to train the translator's pieces on: the training side is empty")
    try:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(kept),
            model_writer=model,
            model_type="unigram",
            vocab_size=size,
            hard_vocab_limit=False,
            character_coverage=0.9995,
            num_threads=1,
            pad_id=PAD,
            unk_id=UNKNOWN,
            bos_id=START,
            eos_id=END,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise TandemError(f"the translator's pieces: {error}. Raise its `pieces`") from error
    return model.getvalue()
