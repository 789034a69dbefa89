"""The candidates of a mining task in the order of their cosine: precision, recall and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import PositiveInt

from tandem.errors import TandemError
from tandem.tasks.task import Encodes, Items, Places, Task
from yang2019.methods import comparable, failures, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.statistics.correlation import FloatArray

UNIT = "average-precision"
_POINTS = 200


class RankedMining(Task):
    """Average precision x 100 of a forward search by cosine (section 6.3, Figure 5).

    It is the mean over gold pairs of the precision at the rank of each; 0 for pairs that are not
    proposed. Items: `source` (p,), the row of each candidate, best cosine first; `cosine` and
    `gold` (p,); `wanted` (n,), gold pairs of each source sentence; `failures`, the worst as JSON.
    """

    metric: ClassVar[str] = "ap_x100"

    part: Literal["training", "test"] = "training"
    """Which part of the task; the paper's is the training part."""
    failures: PositiveInt = 20
    """How many pairs of each kind of failure are kept: those farthest from the threshold."""
    memory_mb: PositiveInt = 2048
    """Most memory of the process while it searches, in MiB."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the task in the experiment's language."""
        return {"mining": comparable.path_of(plan, texts.language_beside_english(plan, experiment))}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Search one part; `data` has `mining`, the folder of a task."""
        import json

        from tandem.search.margins import Retrieval
        from tandem.tasks.kinds.mining import best_threshold
        from yang2019.methods import candidates

        proposed = candidates.find(
            encoder, Path(data["mining"]), self.part, Retrieval.FORWARD, 4, self.memory_mb << 20
        )
        threshold, _ = best_threshold(proposed.pairs, proposed.wanted)
        kept = failures.sorted_out(proposed, threshold, self.failures)
        return {
            "source": proposed.pairs.source,
            "cosine": proposed.pairs.score,
            "gold": proposed.gold,
            "wanted": np.bincount(
                [row for row, _ in proposed.wanted], minlength=len(proposed.texts[0])
            ).astype(np.int64),
            "failures": np.array(json.dumps(kept)),
        }

    def units(self, items: Items) -> list[str]:
        """Return the one figure."""
        return [UNIT]

    def estimate(self, items: Items, unit: str) -> float:
        """Return the average precision x 100."""
        times = np.ones(len(items["wanted"]), np.int64)
        return 100 * average_precision(items, times)

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap, resampling source sentences: (systems, resamples), x 100."""
        n = len(systems[0]["wanted"])
        if any(not np.array_equal(s["wanted"], systems[0]["wanted"]) for s in systems):
            raise TandemError("the systems to compare mined different tasks: mine one with all")
        rng = np.random.default_rng(seed)
        drawn = (np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(resamples))
        rows = [[100 * average_precision(s, times) for s in systems] for times in drawn]
        return np.array(rows).T

    def count(self, items: Items, unit: str) -> int:
        """Count the gold pairs."""
        return int(items["wanted"].sum())

    def details(self, items: Items) -> dict[str, Any]:
        """Return points of the precision-recall curve, and the failures."""
        import json

        recall, precision = curve(items, np.ones(len(items["wanted"]), np.int64))
        # as many again at the top, where precision changes with every candidate
        spaced = [space(1, len(recall), _POINTS) for space in (np.linspace, np.geomspace)]
        places = np.unique(np.concatenate(spaced).astype(np.int64)) - 1
        points = [[round(float(v[place]), 5) for v in (recall, precision, items["cosine"])]
                  for place in places]  # fmt: skip
        return {"curve": points, **json.loads(str(items["failures"]))}


def curve(items: Items, times: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision after each candidate, (p,), each source counted `times`."""
    weight = times[items["source"]]
    right = np.cumsum(weight * items["gold"])
    proposed = np.cumsum(weight)
    total = max(int((times * items["wanted"]).sum()), 1)
    return right / total, right / np.maximum(proposed, 1)


def average_precision(items: Items, times: NDArray[np.int64]) -> float:
    """Return the area under the steps of the precision-recall curve."""
    recall, precision = curve(items, times)
    return float((np.diff(recall, prepend=0) * precision).sum())
