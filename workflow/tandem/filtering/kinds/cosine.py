"""Sides that a sentence encoder puts far apart are seldom translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from tandem.filtering.filter import Filter, FindModel, OpenEncoder, Scorer, Scores
from tandem.statistics.cosine import cosine_similarity
from tandem.text import Pair


class EncoderCosine(Filter):
    """Cosine of the two sides' vectors by a sentence encoder of Tandem's, -1 to 1."""

    reads: ClassVar[tuple[str, ...]] = ("model",)
    minimum: float | None = Field(None, ge=-1, le=1)
    maximum: float | None = Field(None, ge=-1, le=1)
    model: str
    """A model folder, or the name of a built model, such as many."""

    def inputs(self, find_model: FindModel) -> list[str]:
        """Return the folder of the model."""
        return [str(find_model(self.model))]

    def scorer(self, languages: Sequence[str], open_encoder: OpenEncoder) -> Scorer:
        """Load the encoder; return what computes cosines. Refuses a missing model or language."""
        encode = open_encoder(self.model, languages)

        def scores(pairs: Sequence[Pair]) -> list[Scores]:
            vectors = map(encode, zip(*pairs, strict=True), languages)
            return [(cosine,) for cosine in cosine_similarity(*vectors).tolist()]

        return scores
