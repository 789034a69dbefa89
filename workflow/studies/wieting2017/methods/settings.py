"""What the filtering experiments compare: texts, filters with their bounds, encoders."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from tandem.registry import Settings
from tandem.studies.named_run import NamedRun

Bound = tuple[float | None, float | None]
"""Lowest and highest score that is kept; null: any."""
COMBINED, UNFILTERED = "combined", "none"
"""Names of conditions that no filter may have."""
UNTRAINED = "untrained"
"""Name of the encoders that training starts from, which no text may have."""


class Text(Settings):
    """Pairs of English sentences with the same meaning."""

    label: str
    """Its name in tables."""
    backtranslation: str | None = None
    """References and their back-translations: the test split of a back-translated bitext, which its
    translator has never seen; its validation split is held apart to train what scores pairs."""
    collection: str | None = None
    """Two versions of a text: the pairs of one language of a collection."""
    versions: tuple[str, str] | None = None
    """Which versions of the collection are paired, such as [en, en-basic]; null: any two."""
    bitext: str | None = None
    """Two versions of a text: the training split of a bitext, both of whose sides are English."""
    growth: bool = True
    """Whether learning curves are made of it; never of a control."""
    control: Literal["random", "identical"] | None = None
    """Pairs of the references of another text, each with a random other one (random) or with itself
    (identical)."""
    of: str | None = None
    """The text whose references a control pairs."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = [self.backtranslation, self.collection, self.bitext, self.control]
        if sum(s is not None for s in sources) != 1 or (self.control is None) != (not self.of):
            raise ValueError("give backtranslation, collection, bitext, or control and of")
        if self.versions and not self.collection:
            raise ValueError("versions: they are those of a collection; give it")
        return self

    @property
    def source(self) -> str:
        """What its pairs are: back-translated, people (two versions by people), or control."""
        if self.control:
            return "control"
        return "back-translated" if self.backtranslation else "people"


class Filter(Settings):
    """A score of pairs, and the bounds that are tried."""

    label: str
    """Its name in tables."""
    score: str
    """The column of scores; see `wieting2017.methods.scoring`."""
    bounds: Annotated[list[Bound], Field(min_length=1)]
    """Lowest and highest score that is kept, or, with `shares`, where they lie as shares of the
    pairs: (null, 0.5) keeps the lower half."""
    shares: bool = False
    """Whether bounds are shares of the text's pairs, from 0 to 1."""


class Compared(NamedRun):
    """An encoder that is trained on every text and condition, and scored after the last epoch."""

    label: str
    """Its name in tables."""
    filters: list[str]
    """The filters that are tried with it."""
    learning_rates: list[PositiveFloat] = []
    """Learning rates that are tried on every text, unfiltered, with all seeds. Of those within one
    standard error of the best on the development task the nearest to the recipe's trains all
    conditions of the text. Empty: the recipe's."""
    frequent: PositiveFloat | None = None
    """What word vectors are multiplied by: a / (a + p) with this a, where p is the share of a word
    in the study's text (Arora, Liang and Ma, 2017, section 3), so that frequent words weigh less
    from the start. 0.001 there; null: vectors as they are."""


class Experiment(Settings):
    """The filtering experiments (wieting2017, section 5)."""

    texts: dict[str, Text]
    """What encoders can be trained on."""
    compare: list[str] | None = None
    """Those that are compared; null: all."""
    candidates: PositiveInt
    """Pairs of each text that training pairs are chosen from; 100,000 in the paper."""
    size: PositiveInt
    """Training pairs in every condition; 24,000 in the paper."""
    filters: dict[str, Filter]
    """Filters by name."""
    encoders: dict[str, Compared]
    """The encoders that are compared."""
    cosine: str | None = None
    """The folder of a Tandem encoder that knows English: its cosine of a reference and a paraphrase
    is a score of pairs. Null: that of AVG, trained on the pairs held apart."""
    start: str | None = None
    """What word vectors start from: a file of them (word2vec's text or binary form, also packed),
    or the folder of a Tandem encoder, which gives each word's vector; null: what the seed draws."""
    baseline: str | None = None
    """Instead of `start`, a pretrained encoder, such as minilm: word vectors start from its
    encodings of the words, on as many principal axes as there are dimensions. The vocabulary then
    has the words of its tokeniser besides those of the texts, as it has those of a file."""
    growth: list[PositiveInt] = []
    """Numbers of pairs of the learning curves, with the best filter and without any."""
    development: str
    """The task that bounds are chosen on; STS 2016 in the paper."""
    test: str
    """The task that is reported."""
    further: list[str] = []
    """Tasks reported beside it, of the compared conditions; SICK and Twitter in the paper."""
    seed: NonNegativeInt = 1
    """Seed of the candidates' order and of the classifiers' training."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if UNTRAINED in self.texts:
            raise ValueError(f"texts: {UNTRAINED} is no name of a text")
        for name, text in self.texts.items():
            if text.of is not None and self.texts.get(text.of, text).control is not None:
                raise ValueError(f"texts.{name}.of: no text {text.of!r} with pairs of its own")
        if unknown := [name for name in self.compare or () if name not in self.texts]:
            raise ValueError(f"compare: no text {unknown[0]!r}")
        for name, entry in self.encoders.items():
            if unknown := [key for key in entry.filters if key not in self.filters]:
                raise ValueError(f"encoders.{name}.filters: no filter {unknown[0]!r}")
        if self.start and self.baseline:
            raise ValueError("baseline: word vectors start from `start`; leave one out")
        if {COMBINED, UNFILTERED} & self.filters.keys():
            raise ValueError(f"filters: {COMBINED} and {UNFILTERED} are no names of filters")
        return self

    @property
    def compared(self) -> dict[str, Text]:
        """The texts that are compared, by name."""
        return {name: self.texts[name] for name in self.compare or self.texts}

    def random_pairs(self, text: str) -> str | None:
        """Name the compared control that pairs a text's references at random, if there is one."""
        named = self.compared.items()
        return next((n for n, t in named if (t.control, t.of) == ("random", text)), None)

    def filtered(self, text: str) -> bool:
        """Whether filters are tried on a text: on those that are back-translated."""
        return self.texts[text].backtranslation is not None
