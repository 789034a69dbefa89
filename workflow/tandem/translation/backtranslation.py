"""The settings of back-translated text."""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveInt

from tandem.filtering.filter import Filters, parse_filters
from tandem.registry import Settings


class Backtranslation(Settings):
    """Back-translated text: one side of a bitext, paired with the translation of its other side."""

    bitext: str
    """The bitext that is back-translated."""
    translator: str
    """The translator; the side in its target language is kept, the other is translated."""
    pairs: NonNegativeInt | None = None
    """How many pairs of the training split, from its start; null: all. The validation and the test
    split are translated too."""
    cleaning: Filters = parse_filters({"identical": {}})
    """Filters that a pair of text and back-translation must pass, in this order."""
    shards: PositiveInt = 1
    """Number of jobs that share the translation; changes no result."""
