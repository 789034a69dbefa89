"""SentencePieces of a unigram model (Kudo, 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, PositiveInt

from tandem.segmentation.segmentation import (
    Encode,
    Segmentation,
    Stock,
    Texts,
    Vocabulary,
    batches,
    side_language,
)


class Sentencepiece(Segmentation):
    """SentencePieces, learned from the text."""

    unit: ClassVar[str] = "SentencePieces"
    has_models: ClassVar[bool] = True

    separate: bool = False
    """Learn one model for each language rather than one for all; pieces with the same spelling
    still share an id."""
    character_coverage: Annotated[float, Field(ge=0.98, le=1)] = 1.0
    """Share of the text's characters that are covered; other characters are unknown."""
    threads: PositiveInt = 1
    """Threads of SentencePiece's trainer: they change the last digits of what is learned."""

    def learn(self, texts: Texts, folder: Path) -> Vocabulary:
        """Train a model of all languages, or one of each."""
        from tandem.segmentation.pieces import load_pieces, piece_scores, train_unigram
        from tandem.segmentation.trigrams import spelled

        languages = sorted({side_language(side) for side in texts})
        models: dict[str, Path | None] = {}
        groups = [[language] for language in languages] if self.separate else [languages]
        for group in groups:
            sides = [text for side, text in texts.items() if side_language(side) in group]
            sample = chain.from_iterable(islice(lines(), self.sample) for lines in sides)
            model = train_unigram(
                spelled(batches(sample)),
                self.size,
                self.character_coverage,
                self.threads,
                normalization_rule_name="identity",  # the tokens are normalised
                bos_id=-1,
                eos_id=-1,
                max_sentence_length=100_000,
            )
            path = folder / f"{'-'.join(group) if self.separate else 'joint'}.model"
            path.write_bytes(model)
            models.update(dict.fromkeys(group, path))
        pieces = (
            self.token_mark(language) + piece
            for language, path in models.items()
            for piece in piece_scores(load_pieces(str(path)))
        )
        return Vocabulary(list(dict.fromkeys(pieces)), models)  # each spelling once

    def encoder(self, ids: Mapping[str, int], model: Path | None) -> Encode:
        """Let the model divide each word."""
        from tandem.segmentation.lookup import lookup
        from tandem.segmentation.pieces import PieceEncoder

        assert model is not None
        return lookup(PieceEncoder(model, ids))

    def tokenizer(self, ids: Mapping[str, int], model: Path | None) -> Stock:
        """Return a Unigram tokeniser."""
        from tandem.segmentation.pieces import load_pieces, piece_scores
        from tandem.segmentation.stock_tokenizer import of_pieces

        scores = piece_scores(load_pieces(str(model)))
        return of_pieces(scores), list(scores)
