"""The text that encoders are trained on, and what they are trained to do with it: a setting."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from tandem.corpora.register import Code
from tandem.registry import Settings


class Setting(Settings):
    """The text that encoders are trained on, and how they are trained."""

    label: str
    """Its heading in tables."""
    corpus: str
    """Name of a bitext, a back-translation, a collection or labelled pairs."""
    turns: tuple[str, ...] = ()
    """Of a back-translation, those of the same bitext by other translators: the study's first seed
    is trained on `corpus`, the second on the first of these, and so on. So the spread over seeds
    has that of translators in it."""
    encoders: dict[str, str] = {}
    """The encoders that are trained in this setting, each with its recipe."""
    objective: str | dict[str, str]
    """Name of the objective that training minimises, or that of each encoder."""
    pairs: PositiveInt | None
    """Training pairs, a sample of the training split; each seed draws its own. Segmentations are
    learned from it too. Null, for a collection: all."""
    sources: tuple[str, ...] | None = None
    """Of a collection, the corpora whose pairs are trained on, or patterns: `freedict-*`, or
    `!wordnet` for all but that. Null: all."""
    languages: tuple[Code, ...] | None = None
    """Of a collection, the languages that are trained on, beside its pivot; null: all."""
    temperature: Annotated[float, Field(ge=1)] = 1.0
    """Of a collection: each corpus in each language has a share of an epoch in proportion to its
    pairs to the power of 1 / temperature."""
    weights: dict[str, PositiveFloat] = {}
    """Of a collection, how many times as often an epoch draws the pairs of a corpus, or of those
    that a pattern matches, the first pattern that does."""
    pools: Literal["mixed", "source"] = "mixed"
    """Of a collection, what a mega-batch, from which negatives are chosen, holds: pairs of all that
    is trained on (mixed), or of one corpus (source). Pairs of two languages and pairs of one are
    never mixed."""
    seeds: PositiveInt | None = None
    """Train encoders with so many of the study's seeds, the first ones; null: with as many as each
    has."""
    start: str | None = None
    """The encoder that training starts from, and whose segmentation is used: that of an experiment,
    with the same seed or else its first, a pretrained one by its name in the study, or the folder
    of a model (a path with a /). Null: training starts from what the seed draws."""
    trained: bool = True
    """Whether encoders are trained; else they stay as their seed draws them."""
    selection: Literal["similarity", "retrieval", "labels", "loss", "last"] = "similarity"
    """What selects the epoch: r on `sts.selection`, P@1 on the validation split of a bitext or a
    collection (of the languages that are trained on), the accuracy on that of labelled pairs, or
    the loss on that of a bitext, of objectives that have one; last: nothing, the last one is
    kept."""

    def objective_of(self, encoder: str) -> str:
        """Return the name of the objective that trains an encoder."""
        return self.objective if isinstance(self.objective, str) else self.objective[encoder]

    @property
    def corpora(self) -> tuple[str, ...]:
        """The corpora that the seeds are trained on, in the order of the seeds."""
        return self.corpus, *self.turns

    @property
    def start_folder(self) -> str | None:
        """The folder of a model that training starts from."""
        return self.start if self.start and "/" in self.start else None

    @property
    def start_experiment(self) -> str | None:
        """The experiment whose encoder training starts from."""
        return self.start if self.start and not self.start_folder and "." in self.start else None

    @property
    def start_pretrained(self) -> str | None:
        """The pretrained encoder that training starts from."""
        return None if self.start_folder or self.start_experiment else self.start
