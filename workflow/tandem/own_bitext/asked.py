"""What a training is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal

from pydantic import ValidationError

from tandem.corpora.settings import Bitext
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.measured import Languages
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.named import SHIPPED
from tandem.errors import TandemError
from tandem.filtering.filter import parse_filters
from tandem.machine import place
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.own_bitext import recipes
from tandem.registry import faults
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.text.languages import meant

_STARTED = (
    "starting from small, which comes with Tandem and knows these languages: few pairs gain by it, "
    "and the licences of its text count, too (--from none starts from nothing)"
)
_CLEANING: dict[str, dict] = {"words": {}, "ratio": {}, "identical": {}, "markup": {}}


def plain(pairs: Sequence[Languages]) -> list[Any]:
    """Return the languages of pairs as metadata have them: flat where there are only two."""
    rows = [list(languages) for languages in pairs]
    return rows[0] if len(rows) == 1 else rows


def usual_start(languages: Collection[str], main_pairs: int) -> SentenceEncoder | None:
    """Return `small`, which Tandem brings along, where few pairs gain from it; else None."""
    if main_pairs > recipes.STARTED:
        return None
    small = SentenceEncoder.load(SHIPPED / "small")
    return small if {*languages} <= {*small.languages} else None


def start_in_words(how: Asked, main_pairs: int) -> list[str]:
    """Say whether a training that said nothing of it starts from `small`, and where not, why.

    `how` has its start. Of many pairs nothing is said: they start from nothing.
    """
    if how.start is not None:
        return [_STARTED]
    if main_pairs > recipes.STARTED:
        return []
    codes = SentenceEncoder.load(SHIPPED / "small").languages
    unknown = [code for code in how.languages if code not in codes]
    words = f"starting from nothing: small does not know {' or '.join(unknown)}"
    others = [meant(code, codes) for code in unknown]
    if all(others):
        pairs = zip(unknown, others, strict=True)
        names = " and ".join(f"{other} for {code}" for code, other in pairs)
        words += f", but {names}. With that code (--languages) few pairs gain by starting from it"
    return [words]


@dataclass(frozen=True)
class Asked:
    """What a training is asked for.

    Attributes:
        pairs: the languages of the two sides, of all pairs of languages that are trained on.
        encoder: of the model, unless it starts from another; None: the mean of its embeddings.
        segmentation: settings of `Segmentation` that replace those that follow from the amount of
            text, unless it starts from another model.
        start: a trained encoder to start from, with its segmentation; auto: `small`, for few pairs
            of languages that it knows, unless `encoder` or `segmentation` is given (see `started`).
        objective: the loss; None: the margin loss.
        recipe: settings of `Recipe` that replace those that follow from the amount of text.
        also_per_pair: most pairs of text that is only trained on for each of one's own; they are
            drawn by the seed, since more would count for more.
        held_out: most pairs held out for each of three purposes: to stop on, to calibrate
            thresholds on, to report on.
        seed: of the order of the pairs and of what is drawn.
        device: cpu, cuda, or auto.
    """

    pairs: tuple[Languages, ...]
    encoder: Encoder | None = None
    segmentation: Mapping[str, Any] = field(default_factory=dict)
    start: SentenceEncoder | Literal["auto"] | None = "auto"
    objective: Objective | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    also_per_pair: int = recipes.ALSO_PER_PAIR
    held_out: int = 500
    seed: int = 1
    device: str = "auto"

    def __post_init__(self) -> None:
        """Refuse settings that make no sense, before any work: TandemError names the setting."""
        if self.start == "auto" and (self.encoder or self.segmentation):
            object.__setattr__(self, "start", None)
        self._check_start()
        try:
            for languages in self.pairs:
                self.bitext(("pairs",), languages)
            objective, recipe = recipes.followed(1, objective=self.objective, **self.recipe)
            segmentation = recipes.segmentation(1, Counter(), (), self.segmentation)
        except ValidationError as error:
            raise TandemError("; ".join(faults(error))) from error
        recipe.check(objective, self.kind)
        if self.objective is not None:
            learned = self.trained.segmenter.segmentation if self.trained else segmentation
            self.objective.check(self.kind, len(self.pairs), learned)
        if recipe.frozen != "none":
            from tandem.encoders.composition import check_freezing

            check_freezing(self.kind, recipe.frozen_layers)
        if not (self.trained or segmentation.learnable):
            raise TandemError(
                f"segmentation {segmentation.kind}: it comes with an encoder. Start from one that "
                "has it, or give another segmentation"
            )
        if not self.trained and not self.kind.reads(segmentation):
            problem = f"{self.kind.kind} does not read {segmentation.kind}"
            raise TandemError(f"{problem}. Give another segmentation or encoder")

    def _check_start(self) -> None:
        """Refuse what is no model to start from, or does not fit what else is asked for."""
        if self.also_per_pair < 1:
            raise TandemError(f"also_per_pair: {self.also_per_pair} is below 1. Give 1 or more")
        if not self.trained:
            return
        if not isinstance(self.trained, SentenceEncoder):
            raise TandemError(
                f"start: {self.trained!r} is no encoder. Give one, such as "
                'SentenceEncoder.load("small"), or "auto", or None'
            )
        decided = [] if self.encoder is None else ["encoder (with its dimension)"]
        decided += ["segmentation" if name == "kind" else name for name in self.segmentation]
        if decided:
            raise TandemError(
                f"{' and '.join(decided)}: the model that training starts from decides that. "
                "Leave it out, or start from none"
            )
        self.trained.check(self.languages)

    @property
    def trained(self) -> SentenceEncoder | None:
        """The encoder to start from, if there is one and it is decided."""
        return None if self.start == "auto" else self.start

    @property
    def kind(self) -> Encoder:
        """The encoder that is trained: that of the model to start from, if there is one."""
        return self.trained.kind if self.trained else self.encoder or Averaging()

    def started(self, main_pairs: int) -> Asked:
        """Return what is asked for with a start that is decided, for so many pairs of one's own."""
        if self.start != "auto":
            return self
        return replace(self, start=usual_start(self.languages, main_pairs))

    @property
    def languages(self) -> list[str]:
        """All languages, in the order of the pairs."""
        return list(dict.fromkeys(chain.from_iterable(self.pairs)))

    def bitext(
        self, sources: Sequence[str], languages: Languages, usual_ratio: float = 1.0
    ) -> Bitext:
        """Return how pairs are cleaned and divided: the test split is calibrated and reported on.

        `usual_ratio` is that of the lengths of their sides, which differs by language.

        Raises:
            ValidationError: a setting makes no sense.
        """
        return Bitext(
            sources=tuple(sources),
            languages=languages,
            valid=self.held_out,
            test=2 * self.held_out,
            seed=self.seed,
            cleaning=parse_filters(_CLEANING | {"ratio": {"usual": usual_ratio}}),
        )

    def description(self) -> dict[str, Any]:
        """Return all that decides what the model becomes, as plain values; see `settled`."""
        return {
            "encoder": ENCODERS.dump(self.kind),
            "segmentation": dict(self.segmentation),
            "start": self.trained.digest() if self.trained else self.start,
            "objective": self.objective and OBJECTIVES.dump(self.objective),
            "recipe": dict(self.recipe),
            "also_per_pair": self.also_per_pair,
            "held_out": self.held_out,
            "seed": self.seed,
            "device": place(self.device).partition(":")[0],  # any card of a machine
        }

    def settled(
        self, description: Mapping[str, Any], pairs: int, main_pairs: int
    ) -> dict[str, Any]:
        """Return a description with the settings that follow from the numbers of pairs.

        `pairs` are trained on, `main_pairs` are one's own. What was asked for and what follows
        where it was not are then the same.
        """
        if description["start"] == "auto":
            start = usual_start(self.languages, main_pairs)
            encoder = {"encoder": ENCODERS.dump(start.kind)} if start else {}
            description = {**description, "start": start and start.digest(), **encoder}
        objective, segmentation = description["objective"], description["segmentation"]
        objective, recipe = recipes.followed(
            pairs,
            ENCODERS.parse(description["encoder"]),
            objective and OBJECTIVES.parse(objective),
            **description["recipe"],
        )
        learned = recipes.segmentation(pairs, Counter(), self.languages, segmentation)
        return {
            **description,
            "objective": OBJECTIVES.dump(objective),
            "recipe": recipe.model_dump(mode="json"),
            "segmentation": {
                **SEGMENTATIONS.dump(learned),
                "sample": min(recipes.sample(segmentation), pairs),
                # it follows from the characters of the text, not from its pairs
                "character_coverage": segmentation.get("character_coverage"),
            },
        }
