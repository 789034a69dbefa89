"""Hard STS: the pairs of STS 2012-2016 whose word overlap misleads (section 4.3, Appendix D)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tandem.corpora.sts_archives import APART
from tandem.errors import TandemError
from tandem.statistics.bootstrap import bootstrap_pearson
from tandem.statistics.correlation import MINIMUM_PAIRS, is_constant
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.sts_data import correlation, read_index, read_task
from tandem.tasks.task import Encodes, Items, Places, Task
from wieting2020.methods import hard_pairs
from wieting2020.methods.hard_pairs import ALL, AS_PRINTED, HARD, HARD_MEAN, NEGATION, SPLITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandem.statistics.correlation import FloatArray


class HardSts(Task):
    """Pearson's r x 100 on all pairs together, and on the splits that `hard_pairs` describes.

    A pair is counted once for each human score that it has: of the 13,294 pairs published this
    leaves the paper's 13,023. Items: `tasks`, the STS tasks they come from; `gold`, `cosine`,
    `rates` (the symmetric word error rates) and `negated`, all (pairs,). Splits with fewer than
    three pairs, or with one human score throughout, are no units.
    """

    metric: ClassVar[str] = "pearson_x100"

    years: list[int] = [2012, 2013, 2014, 2015, 2016]
    """Years whose English pairs are taken."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the STS folder."""
        return {"sts": plan.path("corpora", "sts")}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Encode every different English sentence once. `data` has `sts`, a folder with index.json.

        Raises:
            TandemError: the folder has no English pairs of these years, or the encoder no English.
        """
        index = read_index(data["sts"])
        names = sorted(
            name
            for name, entry in index.tasks.items()
            if int(entry["year"]) in self.years and name not in APART
            and entry["languages"] == ["en", "en"]
        )  # fmt: skip
        languages = getattr(encoder, "languages", None)
        if languages is not None and "en" not in languages:
            raise TandemError("the encoder has no English: score it on other tasks")
        if not names:
            years = ", ".join(map(str, self.years))
            raise TandemError(f"{data['sts']}: no English task of {years}. Change the years")
        tasks = [read_task(Path(data["sts"]) / f"{name}.tsv") for name in names]
        lines = (zip(task.first, task.second, task.gold.tolist(), strict=True) for task in tasks)
        pairs = list(dict.fromkeys(pair for task in lines for pair in task))
        first, second, gold = map(list, zip(*pairs, strict=True))
        rows = {text: row for row, text in enumerate(dict.fromkeys([*first, *second]))}
        vectors = encoder.encode(list(rows), language="en")
        sides = (vectors[[rows[text] for text in side]] for side in (first, second))
        both = list(zip(first, second, strict=True))
        return {
            "tasks": np.array(names, dtype=str),
            "gold": np.array(gold, dtype=np.float64),
            "cosine": cosine_similarity(*sides),
            "rates": np.array([hard_pairs.error_rate(*pair) for pair in both]),
            "negated": np.array([hard_pairs.negation(*pair) for pair in both]),
        }

    def units(self, items: Items) -> list[str]:
        """Return the splits that have enough pairs, and the mean of Hard+ and Hard-."""
        names = [ALL, NEGATION, *SPLITS, *AS_PRINTED]
        usable = [name for name in names if _usable(items["gold"][_members(items, name)])]
        return [*usable, HARD_MEAN] if set(HARD) <= set(usable) else usable

    def estimate(self, items: Items, unit: str) -> float:
        """Return Pearson's r x 100 of a split, or the mean of Hard+ and Hard-."""
        if unit == HARD_MEAN:
            return float(np.mean([self.estimate(items, name) for name in HARD]))
        rows = _members(items, unit)
        return 100 * correlation(items["gold"][rows], items["cosine"][rows])

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a split of several systems: (systems, resamples), x 100.

        Pairs are drawn within the split, from a stream that depends on the seed and the split: all
        systems meet the same resamples, now or later.
        """
        if unit == HARD_MEAN:
            return np.mean([self.draws(systems, name, resamples, seed) for name in HARD], axis=0)
        same = systems[0]
        shared = ("gold", "rates", "negated")
        if any(not np.array_equal(other[key], same[key]) for other in systems for key in shared):
            problem = "the systems to compare were scored on different pairs"
            raise TandemError(f"{problem}: score them again on the same STS folder")
        rows = _members(same, unit)
        scores = np.stack([system["cosine"][rows] for system in systems])
        stream = zlib.crc32(AS_PRINTED.get(unit, unit).encode())
        rng = np.random.default_rng([seed, stream])
        return 100 * bootstrap_pearson(same["gold"][rows], scores, resamples, rng).T

    def count(self, items: Items, unit: str) -> int:
        """Count the sentence pairs behind a unit."""
        names = HARD if unit == HARD_MEAN else (unit,)
        return sum(int(_members(items, name).sum()) for name in names)

    def details(self, items: Items) -> dict[str, Any]:
        """Return the tasks, and of each split its pairs and the error rate that bounds it."""
        splits = []
        for name in (ALL, NEGATION, *SPLITS):
            entry = {"split": name, "pairs": int(_members(items, name).sum())}
            if name in SPLITS:
                entry["bound"] = round(hard_pairs.bound(items["rates"], SPLITS[name]), 4)
            splits.append(entry)
        return {"tasks": items["tasks"].tolist(), "splits": splits}


def _members(items: Items, unit: str) -> NDArray[np.bool_]:
    return hard_pairs.members(unit, items["gold"], items["rates"], items["negated"])


def _usable(gold: FloatArray) -> bool:
    """Whether a correlation with these human scores is defined."""
    return len(gold) >= MINIMUM_PAIRS and not is_constant(gold)
