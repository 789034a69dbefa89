"""Text that a language model finds unlikely is seldom well written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from tandem.filtering.filter import Filter, OpenEncoder, Scorer, Scores
from tandem.text import Pair
from tandem.text.tokens import tokens


class LanguageModelCost(Filter):
    """Cost of a side by an n-gram language model, in nats per token.

    wieting2017, section 5.6: the translations that a language model of references finds likely are
    kept. The cost is the negative logarithm of the probability, the end included.
    """

    reads: ClassVar[tuple[str, ...]] = ("model",)
    model: str
    """An ARPA file, packed or not, of lower-case tokens: words and single marks."""
    side: Literal["left", "right"] = "right"
    """The side whose cost counts."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The side that counts."""
        return (self.side,)

    def scorer(self, languages: Sequence[str], open_encoder: OpenEncoder) -> Scorer:
        """Read the model, and return a function that computes the costs of pairs."""
        from tandem.filtering.ngram_model import load

        model, place = load(self.model), ("left", "right").index(self.side)

        def scores(pairs: Sequence[Pair]) -> list[Scores]:
            return [(model.cost(tokens(pair[place])),) for pair in pairs]

        return scores
