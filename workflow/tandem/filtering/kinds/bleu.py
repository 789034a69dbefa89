"""Paraphrases that repeat each other teach little: BLEU between the sides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import Field

from tandem.filtering.filter import Filter, Scores
from tandem.filtering.kinds.overlap import ngrams
from tandem.text.tokens import tokens

ORDERS = range(1, 5)


class SentenceBleu(Filter):
    """Smoothed BLEU of the right side, a translation, with the left as its reference, 0 to 1.

    wieting2017, section 5.7, after Nakov et al. (2012), "Optimizing for sentence-level BLEU+1
    yields short translations": one is added to the matches and to the n-grams of every order, and
    to the reference's length in the brevity penalty.
    """

    minimum: float | None = Field(None, ge=0, le=1)
    maximum: float | None = Field(None, ge=0, le=1)

    def score(self, left: str, right: str) -> Scores:
        """Return the BLEU of a pair."""
        return (sentence_bleu(tokens(left), tokens(right)),)


def sentence_bleu(reference: Sequence[str], translation: Sequence[str]) -> float:
    """Return the smoothed BLEU of a translation with one reference, 0 to 1; 0 if it is empty."""
    if not translation:
        return 0.0
    logarithms = 0.0
    for order in ORDERS:
        ours = ngrams(translation, order)
        matches = (ours & ngrams(reference, order)).total()
        logarithms += math.log((matches + 1) / (ours.total() + 1))
    brevity = min(0.0, 1 - (len(reference) + 1) / len(translation))
    return math.exp(brevity + logarithms / len(ORDERS))
