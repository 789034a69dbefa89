"""What a configuration says of a corpus to be built."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator
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


class HiddenPairs(Settings):
    """A mining task: published, or translations hidden among other sentences of a bitext."""

    bitext: str
    """Of English and the other language; what the task hides is left out of it."""
    language: Code
    """The other language; English is searched for translations of its sentences."""
    training: str | None = None
    """The corpus of a published task that thresholds are chosen on; null: hide sentences."""
    test: str | None = None
    """The corpus of a published task that is reported; null: hide sentences."""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.025
    """Sentences of a side that have a translation, where they are hidden (wieting2019, 4.3)."""
    section: PositiveInt = 25
    """Consecutive sentences that stay on one side, but for those hidden."""
    seed: NonNegativeInt = 1
    """Of what is hidden where."""

    @model_validator(mode="after")
    def _both_parts(self) -> HiddenPairs:
        if bool(self.training) != bool(self.test):
            raise PydanticCustomError("parts", "give both training and test, or null for both")
        return self

    def published(self) -> list[str]:
        """Return the corpora that it is published in: training and test part, or none."""
        return [name for name in (self.training, self.test) if name]


class StsArchives(Settings):
    """Semantic textual similarity: corpora in the registers, regrouped into tasks by year."""

    benchmark: str
    """The STS Benchmark, which is needed; the others add tasks where they can be reached."""
    companion: str | None = None
    """The tasks of 2012 to 2016 that the benchmark leaves out."""
    sts2017_input: str | None = None
    """The sentences of STS 2017."""
    sts2017_gold: str | None = None
    """Its scores."""
    selection: str = "2017.track5.en-en"
    """Task of the benchmark that chooses epochs."""

    def archives(self) -> dict[str, str]:
        """Return the corpora by what they are."""
        return self.model_dump(exclude={"selection"}, exclude_none=True)

    def optional(self) -> list[str]:
        """Return the corpora that can be done without."""
        return [name for key, name in self.archives().items() if key != "benchmark"]
