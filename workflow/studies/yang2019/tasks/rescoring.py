"""Mining in two stages: nearest neighbours, then a classifier trained on the training part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from tandem.tasks.kinds.mining import BitextMining, figures
from tandem.tasks.task import Encodes, Items, Places, Task, device_of
from yang2019.methods import comparable, texts

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray

UNIT = "classifier.intersection"


class Rescoring(Task):
    """F1 of the pairs of nearest neighbours that a classifier takes for translations (section 6.2).

    It learns from the nearest neighbours of the training part, gold or not; of the test part it
    judges the pairs that are nearest to each other, and takes those more likely than not to be
    translations. Items are those of the library's mining, and `development`: of the development
    pairs, how many are correct, proposed and gold.
    """

    metric: ClassVar[str] = BitextMining.metric

    model: str | None = None
    """What is fine-tuned: a folder, or a name that transformers finds, such as
    bert-base-multilingual-cased, the paper's. Null: a light classifier, logistic regression on the
    two vectors and on scores, lengths, numbers and names of a pair."""
    epochs: PositiveInt = 3
    """Passes over the pairs in fine-tuning."""
    batch: PositiveInt = 32
    """Pairs in a batch of fine-tuning."""
    learning_rate: PositiveFloat = 2e-5
    """Of AdamW in fine-tuning."""
    seed: NonNegativeInt = 1
    """Seed of the choice of negatives, of the development pairs and of fine-tuning."""
    memory_mb: PositiveInt = 2048
    """Most memory of the process while it searches, in MiB."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the task in the experiment's language."""
        return {"mining": comparable.path_of(plan, texts.language_beside_english(plan, experiment))}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Search both parts, learn on the first, and count on the second."""
        from tandem.search.margins import Retrieval
        from yang2019.methods import candidates, classifiers

        folder = Path(data["mining"])
        training, test = (
            candidates.find(encoder, folder, part, way, 4, self.memory_mb << 20, self.model is None)
            for part, way in (("training", Retrieval.FORWARD), ("test", Retrieval.INTERSECTION))
        )
        division = classifiers.divide(training.gold, self.seed)
        if self.model is None:
            first, second = classifiers.light(training, test, division)
        else:
            first, second = classifiers.fine_tuned(
                self.model, training, test, division, self.seed, self.epochs, self.batch,
                self.learning_rate, device_of(encoder),
            )  # fmt: skip
        held = division.development
        kept = second >= 0.5
        n = len(test.texts[0])
        source, right = test.pairs.source, test.gold
        counts = (first[held] >= 0.5, training.gold[held])
        developed = [int((counts[0] & counts[1]).sum()), *(int(marks.sum()) for marks in counts)]
        return {
            "method": np.array([UNIT]),
            "correct": np.bincount(source[kept & right], minlength=n)[None].astype(np.int64),
            "proposed": np.bincount(source[kept], minlength=n)[None].astype(np.int64),
            "gold": np.bincount([r for r, _ in test.wanted], minlength=n).astype(np.int64),
            "development": np.array(developed, np.int64),
        }

    def units(self, items: Items) -> list[str]:
        """Return the one method."""
        return [UNIT]

    def estimate(self, items: Items, unit: str) -> float:
        """Return F1 x 100 on the test part."""
        return self._figures(items)["f1"]

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap F1 x 100, resampling source sentences as the library's mining does."""
        return BitextMining().draws(systems, unit, resamples, seed)

    def count(self, items: Items, unit: str) -> int:
        """Count the source sentences with a gold pair or one that is proposed."""
        return int((items["gold"] + items["proposed"].sum(axis=0) > 0).sum())

    def details(self, items: Items) -> dict[str, Any]:
        """Return the figures on the test part and on the development pairs."""
        test, developed = self._figures(items), figures(*items["development"].tolist())
        return {
            key: {name: round(value, 4) for name, value in part.items()}
            for key, part in (("test", test), ("development", developed))
        }

    def _figures(self, items: Items) -> dict[str, float]:
        counts = (items["correct"][0], items["proposed"][0], items["gold"])
        return figures(*(int(numbers.sum()) for numbers in counts))
