"""Mining: which of the translations hidden in two texts are found, scored as BUCC does.

Zweigenbaum et al. (2018, "Overview of the Third BUCC Shared Task"): a list of proposed pairs is
compared with a hidden gold list by precision, recall and F1. The threshold on the score is the one
with the best F1 on the training part, applied unchanged to the test part.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import PositiveInt

from tandem.corpora.mining_task import PARTS, gold_rows, mining_language, read_part
from tandem.corpora.readers.bucc import MiningTask
from tandem.errors import TandemError
from tandem.search.margins import MinedPairs, Retrieval, Score, mine
from tandem.tasks.task import Encodes, Items, Places, Task, device_of

if TYPE_CHECKING:
    from tandem.search.neighbours import Neighbours
    from tandem.statistics.correlation import FloatArray

Gold = Collection[tuple[int, int]]
"""(source row, target row) of the pairs to be found."""


class BitextMining(Task):
    """F1 of the pairs mined from the test part, by each way to score and choose them.

    Items, for m methods and n source sentences of the test part: method (m,), their names;
    threshold (m,); training (m, 3), pairs that are correct, proposed and gold at it in the training
    part; best (m, 3), the same in the test part at the threshold that would be best there, an upper
    bound that chooses nothing; correct and proposed (m, n), the same of
    each source sentence of the test part, and gold (n,); mining, the name of the task; sentences
    (4,), of each side of the training and test part.
    """

    metric: ClassVar[str] = "f1_x100"

    scores: list[Score] = [Score.RATIO]
    """How pairs are scored."""
    retrievals: list[Retrieval] = [Retrieval.MAX]
    """Which pairs are proposed; every score is combined with every one of these."""
    neighbours: PositiveInt = 4
    """Number of nearest neighbours that the margin uses."""
    memory_mb: PositiveInt = 2048
    """Most memory of the process while it searches, in MiB."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the folder of the task that is hidden in the sources of the experiment's corpus."""
        corpus = plan.setting(experiment).corpus
        name = plan.mining_of(corpus)
        if name is None:
            raise TandemError(f"{experiment}: no mining task is hidden in {corpus}. Add one")
        return {"mining": plan.path("mining", name)}

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Search both parts of a task, choose thresholds on the first, and count on the second.

        `data` has `mining`, the folder of a task.
        """
        folder = Path(data["mining"])
        parts = [read_part(folder, part) for part in PARTS]
        sentences = [len(side) for part in parts for side in (part.source, part.target)]
        gold = [gold_rows(part) for part in parts]
        near = [self._search(encoder, part, mining_language(folder)) for part in parts]
        del parts
        n, method, threshold, training = sentences[2], [], [], []
        best, correct, proposed = [], [], []
        for score, retrieval in product(self.scores, self.retrievals):
            value, counts = best_threshold(mine(near[0], score, retrieval), gold[0])
            mined = mine(near[1], score, retrieval)
            kept = mined.above(value)
            method.append(f"{score}.{retrieval}")
            threshold.append(value)
            training.append(counts)
            best.append(best_threshold(mined, gold[1])[1])
            correct.append(np.bincount(kept.source[is_correct(kept, gold[1])], minlength=n))
            proposed.append(np.bincount(kept.source, minlength=n))
        return {
            "mining": np.array(folder.name),
            "sentences": np.array(sentences, np.int64),
            "method": np.array(method),
            "threshold": np.array(threshold, np.float64),
            "training": np.array(training, np.int64),
            "best": np.array(best, np.int64),
            "correct": np.stack(correct).astype(np.int64),
            "proposed": np.stack(proposed).astype(np.int64),
            "gold": np.bincount([row for row, _ in gold[1]], minlength=n).astype(np.int64),
        }

    def _search(self, encoder: Encodes, part: MiningTask, language: str) -> Neighbours:
        """Encode both sides to disk, so that memory stays bounded, and search them."""
        from tandem.search.neighbours import search
        from tandem.tasks.vectors import vectors_on_disk

        sides = (language, part.source.values()), ("en", part.target.values())
        with vectors_on_disk(encoder, *sides) as (source, target):
            return search(
                source, target, self.neighbours,
                memory_bytes=self.memory_mb << 20, device=device_of(encoder),
            )  # fmt: skip

    def units(self, items: Items) -> list[str]:
        """Return the methods: `<score>.<retrieval>`."""
        return items["method"].tolist()

    def estimate(self, items: Items, unit: str) -> float:
        """Return F1 x 100 of one method on the test part."""
        return figures(*self._counts(items, unit))["f1"]

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap F1 x 100 of one method, resampling source sentences: (systems, resamples).

        Each sentence is drawn as often in all systems, and in any other call on the same task.
        """
        first = systems[0]
        if any(not np.array_equal(s[k], first[k]) for s in systems for k in ("gold", "method")):
            raise TandemError("the systems to compare mined different tasks: mine one with all")
        rows = [s[k] for s in systems for k in ("correct", "proposed")]
        counts = np.concatenate([*rows, [first["gold"]]])
        drawn = _drawn_counts(counts.astype(np.int32).tobytes(), len(counts), resamples, seed)
        right, proposed = drawn[:-1].reshape(len(systems), 2, -1, resamples).swapaxes(0, 1)
        place = self.units(first).index(unit)
        return 200 * right[:, place] / np.maximum(proposed[:, place] + drawn[-1], 1)

    def count(self, items: Items, unit: str) -> int:
        """Count the source sentences with a gold pair or one that some method proposes."""
        return int((items["gold"] + items["proposed"].sum(axis=0) > 0).sum())

    def details(self, items: Items) -> dict[str, Any]:
        """Return the task mined, and each method's threshold and figures on both parts."""
        return {
            "mining": str(items["mining"]),
            "neighbours": self.neighbours,
            "sentences": items["sentences"].tolist(),
            "methods": {
                unit: {
                    "threshold": float(items["threshold"][place]),
                    "training": _rounded(figures(*items["training"][place].tolist())),
                    "test": _rounded(figures(*self._counts(items, unit))),
                    "best": _rounded(figures(*items["best"][place].tolist())),
                }
                for place, unit in enumerate(self.units(items))
            },
        }

    def _counts(self, items: Items, unit: str) -> tuple[int, int, int]:
        """Return how many pairs of the test part are correct, proposed and gold."""
        place = self.units(items).index(unit)
        rows = (items["correct"][place], items["proposed"][place], items["gold"])
        correct, proposed, gold = (int(counts.sum()) for counts in rows)
        return correct, proposed, gold


def figures(correct: int, proposed: int, gold: int) -> dict[str, float]:
    """Return precision, recall and F1 x 100, and the counts; a ratio of nothing to nothing is 0."""
    return {
        "precision": 100 * correct / max(proposed, 1),
        "recall": 100 * correct / max(gold, 1),
        "f1": 200 * correct / max(proposed + gold, 1),
        "correct": correct,
        "proposed": proposed,
        "gold": gold,
    }


def is_correct(pairs: MinedPairs, gold: Gold) -> np.ndarray:
    """Tell which mined pairs are in the gold list, bool (p,)."""
    wanted = set(gold)
    mined = zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)
    return np.fromiter((pair in wanted for pair in mined), bool, len(pairs))


def best_threshold(pairs: MinedPairs, gold: Gold) -> tuple[float, tuple[int, int, int]]:
    """Find the threshold with the best F1: pairs that score it or more are proposed.

    Pairs of equal score are proposed together or not at all. Of thresholds with equal F1
    the highest is taken. Returns also the numbers of correct, proposed and gold pairs at it.
    """
    total = len(set(gold))
    if not len(pairs) or not total:
        raise TandemError(f"no threshold follows from {len(pairs)} pairs and {total} gold pairs")
    correct = np.cumsum(is_correct(pairs, gold))
    last = np.flatnonzero(np.append(pairs.score[1:] != pairs.score[:-1], True))
    # F1 = 2c / (p + g); compared as fractions of integers rounded alike, ties are true ties
    f1 = 2 * correct[last] / (last + 1 + total)
    best = int(last[np.argmax(f1)])
    return float(pairs.score[best]), (int(correct[best]), best + 1, total)


@lru_cache(maxsize=1)  # the draws of an experiment serve all its methods
def _drawn_counts(table: bytes, rows: int, resamples: int, seed: int) -> FloatArray:
    """Sum an int32 table (rows, n) over n sentences drawn with replacement: (rows, resamples).

    How often each sentence is drawn follows from n and the seed alone, never from the table.
    """
    counts = np.frombuffer(table, np.int32).reshape(rows, -1).astype(np.float64)
    n, used = counts.shape[1], np.flatnonzero(counts.any(axis=0))
    counts = counts[:, used]
    rng = np.random.default_rng(seed)
    draws = (np.bincount(rng.integers(n, size=n), minlength=n)[used] for _ in range(resamples))
    return np.stack([counts @ times for times in draws], axis=1)


def _rounded(values: dict[str, float]) -> dict[str, float]:
    """Round all but whole numbers, so that the last bits of a sum do not reach the file."""
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
