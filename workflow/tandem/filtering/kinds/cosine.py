"""Sides that a sentence encoder puts far apart are seldom translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from tandem.encoders.named import find_model
from tandem.filtering.filter import Filter, Scorer, Scores

BATCH = 1024
"""Sentences encoded at a time."""


class EncoderCosine(Filter):
    """Cosine of the two sides' vectors by a sentence encoder of Tandem's, -1 to 1."""

    reads_files: ClassVar[bool] = True
    minimum: float | None = Field(None, ge=-1, le=1)
    maximum: float | None = Field(None, ge=-1, le=1)
    model: str
    """A model folder, or the name of a built model, such as many."""

    def scorer(self, languages: Sequence[str]) -> Scorer:
        """Load the encoder, and return what gives the cosines of some pairs.

        Raises:
            TandemError: there is no such model, or it does not know a language.
        """
        from tandem.encoders.model import SentenceEncoder
        from tandem.tasks.sts_data import cosine_similarity

        encoder = SentenceEncoder.load(find_model(self.model))
        for language in languages:
            encoder.segmenter.encoder(language)

        def scores(pairs: Sequence[tuple[str, str]]) -> list[Scores]:
            vectors = [
                encoder.encode(side, language, BATCH)
                for side, language in zip(zip(*pairs, strict=True), languages, strict=True)
            ]
            return [(cosine,) for cosine in cosine_similarity(*vectors).tolist()]

        return scores
