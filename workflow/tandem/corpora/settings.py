"""What a configuration says of a corpus to be built."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator
from pydantic_core import PydanticCustomError

from tandem.corpora.register import Code
from tandem.filtering import Filters, parse_filters
from tandem.registry import Settings


class Bitext(Settings):
    """Parallel text: cleaned, without repetitions, no sentence of either side in two splits."""

    sources: tuple[str, ...] = Field(min_length=1)
    """Names in the registers of corpora; of pairs that several hold, the first one's is kept."""
    languages: tuple[Code, Code]
    """The first side and the second side."""
    valid: PositiveInt = 500
    """Pairs held out to choose things with."""
    test: NonNegativeInt = 500
    """Pairs held out to measure with."""
    max_pairs: PositiveInt | None = None
    """Most pairs of the training split; null: all."""
    seed: NonNegativeInt = 1
    """Of the order of the pairs, and so of the splits."""
    cleaning: Filters = parse_filters(
        {"words": {"minimum": 2}, "ratio": {}, "identical": {}, "markup": {}}
    )
    """Filters that a pair must pass, in this order."""
    duplicates: Literal["remove", "keep"] = "remove"
    """What happens to exact repetitions of a pair."""

    @field_validator("languages")
    @classmethod
    def _two(cls, languages: tuple[str, str]) -> tuple[str, str]:
        if languages[0] == languages[1]:
            raise PydanticCustomError("same", "both sides are {name}", {"name": languages[0]})
        return languages
