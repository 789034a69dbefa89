"""SentencePieces of a unigram model (Kudo, 2018)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from tandem.segmentation.segmentation import (
    Encode,
    Segmentation,
    Stock,
    Texts,
    TextSize,
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

        scores = piece_scores(load_pieces(str(model), ids))
        return of_pieces(scores), list(scores)

    @classmethod
    def for_text(cls, text: TextSize, settings: Mapping[str, Any]) -> Self:
        """Choose the size by the number of pairs.

        Where nearly all pieces would be single characters, as may be in Chinese, the rarest
        characters are left out, as SentencePiece's documentation advises, and the size is raised
        for the others.
        """
        size = settings.get("size", next(size for most, size in _SIZES if text.pairs <= most))
        if len(text.characters) <= _CHARACTERS * size:
            return cls(**{"size": size, **settings})
        counts = sorted(text.characters.values(), reverse=True)
        covered, frequent, wanted = 0, 0, _COVERAGE * sum(counts)
        while covered < wanted:
            covered, frequent = covered + counts[frequent], frequent + 1
        size = max(size, math.ceil(frequent / _CHARACTERS))
        return cls(**{"size": size, "character_coverage": _COVERAGE, **settings})


_CHARACTERS = 0.9
"""Largest share of the pieces that may be single characters."""
_COVERAGE = 0.9995
"""Share of the text's characters that are kept where there would be more."""
_SIZES: tuple[tuple[float, int], ...] = ((30_000, 4000), (100_000, 8000), (math.inf, 64_000))
"""Largest numbers of pairs, each with its number of pieces (docs/own-bitext.md)."""
