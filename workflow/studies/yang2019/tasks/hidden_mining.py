"""Mining as in BUCC, by cosine and by the margins of equations 9 and 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tandem.search.margins import Retrieval, Score
from tandem.tasks.kinds.mining import BitextMining
from tandem.tasks.task import Encodes, Items, Places, Task
from yang2019.methods import comparable, texts

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray


class HiddenMining(Task):
    """The library's mining (see `BitextMining`) of the study's task in each language."""

    metric: ClassVar[str] = BitextMining.metric

    mining: BitextMining = BitextMining(
        scores=[Score.COSINE, Score.YANG_9, Score.YANG_10],
        retrievals=[Retrieval.FORWARD, Retrieval.BACKWARD],
    )
    """How pairs are scored and chosen. Forward: for each sentence of the other language, the
    best English one."""

    @property
    def memory_mb(self) -> int:
        """Most memory of the process while it searches, in MiB."""
        return self.mining.memory_mb

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the task in the experiment's language."""
        return {"mining": comparable.path_of(plan, texts.language_beside_english(plan, experiment))}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Mine; `data` has `mining`, the folder of a task."""
        return self.mining.score(encoder, data)

    def units(self, items: Items) -> list[str]:
        """Return the methods: `<score>.<retrieval>`."""
        return self.mining.units(items)

    def estimate(self, items: Items, unit: str) -> float:
        """Return F1 x 100 of one method on the test part."""
        return self.mining.estimate(items, unit)

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap F1 x 100 of one method, resampling source sentences."""
        return self.mining.draws(systems, unit, resamples, seed)

    def count(self, items: Items, unit: str) -> int:
        """Count the source sentences with a gold pair or one that some method proposes."""
        return self.mining.count(items, unit)

    def details(self, items: Items) -> dict[str, Any]:
        """Return the sizes, and the threshold and the figures of both parts for each method."""
        return self.mining.details(items)
