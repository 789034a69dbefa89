"""The settings of corpora that are to be built."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator
from pydantic_core import PydanticCustomError

from tandem.corpora.register import Code
from tandem.filtering.filter import Filters, parse_filters
from tandem.registry import Settings

Share = Annotated[float, Field(gt=0, lt=0.5)]
Sections = dict[Literal["valid", "test"], Annotated[tuple[str, ...], Field(min_length=1)]]


class Bitext(Settings):
    """Parallel text: cleaned, without repetitions, no sentence of either side in two splits."""

    sources: tuple[str, ...] = Field(min_length=1)
    """Names in the registers of corpora; a pair that several hold is taken from the first."""
    languages: tuple[Code, Code]
    """The first side and the second side."""
    valid: PositiveInt = 500
    """Pairs of the validation split."""
    test: NonNegativeInt = 500
    """Pairs of the test split."""
    max_pairs: PositiveInt | None = None
    """Largest size of the training split, in pairs; null: all pairs."""
    seed: NonNegativeInt = 1
    """Seed of the order of the pairs, and so of the splits."""
    cleaning: Filters = parse_filters(
        {"words": {"minimum": 2}, "ratio": {}, "identical": {}, "markup": {}}
    )
    """Filters that a pair must pass, in this order."""
    duplicates: Literal["remove", "keep"] = "remove"
    """What happens to exact repetitions of a pair."""
    sections: Sections | None = None
    """Sections of the sources (books, components of messages) whose pairs are in this split alone,
    which has at most the number of pairs stated. A split that is not here is drawn from all other
    pairs; so are both if this is null."""
    versions: bool = False
    """Whether sentences come in several versions. Pairs that share a sentence, be it through
    others, then mean the same: they are in one split, the validation and the test split have one
    of them, and in training none is a negative of another."""
    without_sts: bool = False
    """Whether pairs with a sentence of the study's STS tasks are left out, whatever its case and
    punctuation."""

    @field_validator("languages")
    @classmethod
    def _two(cls, languages: tuple[str, str]) -> tuple[str, str]:
        if languages[0] == languages[1]:
            raise PydanticCustomError("same", "both sides are {name}", {"name": languages[0]})
        return languages


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


class Collection(Settings):
    """Parallel text of many languages; whole sections (books, components) are held out."""

    sources: tuple[str, ...] = Field(min_length=1)
    """Names in the registers of corpora, or patterns such as `freedict-*`; a pair that several hold
    is taken from the first."""
    pivot: Code = "en"
    """The language that all others are paired with. Versions of it, such as en-GB, are also paired
    with each other."""
    languages: tuple[Code, ...] | None = None
    """The other languages; null: all that the sources have."""
    valid: Share = 0.02
    """Share of each source in the validation split."""
    test: Share = 0.02
    """Share of each source in the test split."""
    whole: dict[Literal["train", "valid", "test"], tuple[str, ...]] = {}
    """Sources, or patterns of them, that a split has whole: dictionaries that are only trained on,
    or text of another kind that is only scored."""
    seed: NonNegativeInt = 1
    """Seed of the choice of the sections that are held out."""
    cleaning: Filters = parse_filters({"words": {}, "ratio": {}, "identical": {}, "markup": {}})
    """Filters that a pair must pass, in this order."""


class HiddenPairs(Settings):
    """A mining task: published, or translations hidden among other sentences of a bitext."""

    bitext: str
    """A bitext of English and the other language; the hidden sentences are left out of it."""
    language: Code
    """The other language; translations of its sentences are searched for in the English text."""
    training: str | None = None
    """Corpus with the training part of a published task, for thresholds; null: hide pairs."""
    test: str | None = None
    """Corpus with the test part of a published task, which is reported; null: hide pairs."""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.025
    """Where pairs are hidden, the share of a side that has a translation (wieting2019, 4.3)."""
    sentences: PositiveInt = 8000
    """Where pairs are hidden, about how many sentences each side of each part has. The task takes
    twice as many different pairs out of the training text, but never more than a third of all."""
    section: PositiveInt = 25
    """Number of consecutive sentences that go to the same side, except those hidden."""
    seed: NonNegativeInt = 1
    """Seed of the choice of hidden pairs and of sides."""

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
    """The STS Benchmark, which is required; the others add tasks where they can be downloaded."""
    companion: str | None = None
    """STS Companion: tasks of 2012 to 2016 that the benchmark leaves out."""
    sts2017_input: str | None = None
    """The sentences of STS 2017."""
    sts2017_gold: str | None = None
    """The human scores of STS 2017."""
    sick: str | None = None
    """SICK (SemEval 2014): SICK.txt or its annotated test part; the task 2014.SICK, which counts in
    no year's mean."""
    twitter: str | None = None
    """The tweets of PIT-2015 (SemEval 2015): test.data; the task 2015.twitter, which counts in no
    year's mean."""
    selection: str = "2017.track5.en-en"
    """The task of the benchmark that selects the epoch."""

    def archives(self) -> dict[str, str]:
        """Return the corpora by the fields that name them."""
        return self.model_dump(exclude={"selection"}, exclude_none=True)

    def optional(self) -> list[str]:
        """Return the corpora that can be done without."""
        return [name for key, name in self.archives().items() if key != "benchmark"]


class Labelled(Settings):
    """Pairs of sentences that are labelled as saying the same or not, in several languages."""

    source: str
    """Name in the registers of corpora; its reader gives labelled pairs."""
    languages: tuple[Code, ...] = Field(min_length=1)
    """The languages that are trained on."""
    tested: tuple[Code, ...] = Field(min_length=1)
    """The languages that encoders are scored in."""
    across: bool = False
    """Whether sentences are trained on across languages too: beside each pair of one language,
    its first sentence with its own translation, and with that of the second sentence, in a language
    drawn by the seed."""
    implied: bool = False
    """Whether pairs are trained on, too, whose label follows from those of others: paraphrases of
    one sentence say the same, and a paraphrase of a sentence is none of what that differs from."""
    pairs: PositiveInt | None = None
    """Most training pairs of a language, before those across languages and implied ones; null:
    all."""
    together: bool = False
    """Whether training pairs that share sentences, be it through others, are drawn together or not
    at all: else few that say the same come with one that shares a sentence and does not."""
    valid: PositiveInt | None = None
    """Most pairs of each language in the validation split; null: all."""
    test: PositiveInt | None = None
    """Most pairs of each language in the test split; null: all."""
    seed: NonNegativeInt = 1
    """Seed of what is drawn."""
