"""Scores of mining by every way to score and choose pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tandem.search.lists import Neighbours
from tandem.search.margins import Pairs, Retrieval, Score, mine
from tandem.statistics.bootstrap import percentile_interval
from tandem.tasks.mining import best_threshold, evaluate_mining, is_correct
from tandem.tasks.mining_counts import SourceCounts, f1_draws

METRIC = "f1_x100"
_DECIMALS = 4

Gold = Collection[tuple[int, int]]


@dataclass(frozen=True)
class Method:
    """One way to mine: how pairs are scored, and which are proposed."""

    score: Score
    retrieval: Retrieval


def score_mining(
    training: tuple[Neighbours, Gold],
    test: tuple[Neighbours, Gold],
    methods: Sequence[Method],
    resamples: int,
    seed: int,
) -> tuple[dict[str, Any], SourceCounts]:
    """Choose each method's threshold on the training part and score the test part at it.

    Args:
        training: neighbours and gold pairs (source row, target row) of the training part.
        test: of the test part.
        methods: the ways to mine.
        resamples: bootstrap draws behind the intervals.
        seed: of those draws.

    Returns:
        `metric` and for each method its score, retrieval, threshold, and precision, recall and F1
        x 100 of both parts, with the 95% interval of the test part's F1; and the counts of the
        test part.

    Raises:
        TandemError: as `best_threshold`.
    """
    rows, correct, proposed = [], [], []
    sentences = test[0].forward.indices.shape[0]
    for method in methods:
        threshold = best_threshold(mine(training[0], *_parts(method)), training[1])
        pairs = mine(test[0], *_parts(method))
        found = evaluate_mining(pairs, test[1], threshold.value)
        kept = pairs.above(threshold.value)
        correct.append(_per_source(kept, is_correct(kept, test[1]), sentences))
        proposed.append(_per_source(kept, np.ones(len(kept), bool), sentences))
        rows.append(
            {
                "score": str(method.score),
                "retrieval": str(method.retrieval),
                "threshold": threshold.value,
                "training": _rounded(asdict(threshold.score)),
                "test": _rounded(asdict(found)),
            }
        )
    gold = np.bincount([source for source, _ in set(test[1])], minlength=sentences)
    counts = SourceCounts(np.stack(correct), np.stack(proposed), gold.astype(np.int64))
    draws = f1_draws([counts], resamples, seed)[0]
    for row, drawn in zip(rows, draws, strict=True):
        interval = percentile_interval(row["test"]["f1"], drawn)
        row["test"] |= _rounded({"f1_low": interval.low, "f1_high": interval.high})
    bootstrap = {"resamples": resamples, "seed": seed}
    return {"metric": METRIC, "methods": rows, "bootstrap": bootstrap}, counts


def _parts(method: Method) -> tuple[Score, Retrieval]:
    return method.score, method.retrieval


def _per_source(pairs: Pairs, counted: np.ndarray, sentences: int) -> np.ndarray:
    """Count the pairs marked in `counted` by source sentence, int64 (sentences,)."""
    return np.bincount(pairs.source[counted], minlength=sentences).astype(np.int64)


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    """Round what is no whole number, so that the last bits of a sum do not reach the file."""
    return {k: round(v, _DECIMALS) if isinstance(v, float) else v for k, v in figures.items()}
