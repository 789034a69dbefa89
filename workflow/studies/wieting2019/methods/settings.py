"""A panel, a set of languages to compare: its text, and the encoders trained for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt

from tandem.filtering.filter import Filters, parse_filters
from tandem.registry import ConfigurationError, Settings
from tandem.studies.named_run import NamedRun

THRESHOLD = 0.3
"""The SP overlap that divides low from high, "judging by the plot" (wieting2019, line 113)."""

PERMUTATIONS = 10_000
"""Random permutations behind a p-value with something held fixed."""

FEWEST = 8
"""Fewest languages over which a correlation is reported: intervals of fewer mean little."""

FEWEST_FAMILIES = 10
"""Fewest families of languages whose resampling tests a correlation.

Of 7 the interval can be all of -100 to 100, so that no claim could be decided.
"""


class LanguageEncoders(NamedRun):
    """The encoders that are trained for each language of a panel; names are the study's."""

    encoder: str = "sp"
    """The encoder whose architecture they have; their pieces are the panel's."""
    objective: str = "margin"
    """The objective that training minimises."""
    recipe: str = "sp"
    """The recipe; the encoder is taken as it is after the last epoch."""
    marked: bool = False
    """Also train every encoder with each non-English piece marked."""
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1)] = [1, 2, 3, 4, 5]
    """One encoder is trained with each seed; their spread gives the error bars."""


class Panel(Settings):
    """Languages with equal amounts of text, on the same English as far as corpora allow."""

    sources: Annotated[list[str], Field(min_length=1)]
    """Registered corpora; where several have a sentence, the first's translation is taken."""
    languages: list[str] | None = None
    """Languages to choose among; null: all of the sources that are in the register of languages."""
    number: PositiveInt | None = None
    """How many languages are taken, those with most text; null: all that have enough."""
    least: PositiveInt = 1
    """Fewest English sentences that a language must have, after cleaning."""
    pairs: PositiveInt | None = None
    """Pairs of each language; null: as many as all of them have."""
    candidates: PositiveInt | None = None
    """Most English sentences to choose from, for each language and source; null: all."""
    seed: NonNegativeInt = 1
    """Seed of the choice of sentences."""
    cleaning: Filters = parse_filters({"words": {}, "ratio": {}, "identical": {}, "markup": {}})
    """Filters that a pair must pass, in this order."""
    pieces: PositiveInt
    """Most SentencePieces of each language; those of English are learned separately."""
    character_coverage: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the text's characters that the pieces cover."""
    encoders: LanguageEncoders = LanguageEncoders()
    """What is trained for each language."""
    batches: PositiveInt = 1
    """Number of jobs among which its languages are divided; changes no result."""

    def codes(self, registered: Iterable[str], held: Mapping[str, Collection[str]]) -> list[str]:
        """Return the languages to choose among.

        Args:
            registered: codes in the register of languages.
            held: for each corpus the languages that it holds.

        Raises:
            ConfigurationError: naming the corpora that no register lists, or the languages that no
                source holds or the register lacks.
        """
        if absent := [name for name in self.sources if name not in held]:
            raise ConfigurationError(f"no register lists {', '.join(absent)}")
        available = {code for name in self.sources for code in held[name]}
        codes = [code for code in registered if code in available]
        if wrong := [code for code in self.languages or () if code not in codes]:
            raise ConfigurationError(
                f"languages {', '.join(wrong)}: not in the register of languages, or in none of "
                + ", ".join(self.sources)
            )
        return self.languages or codes
