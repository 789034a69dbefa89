"""P@1 of an encoder on the held-out sentences of a bitext, and which sentences it found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.io import read_lines
from tandem.statistics.bootstrap import percentile_interval
from tandem.tasks.hits import Hits, hit_draws
from tandem.tasks.retrieval import first_hits
from tandem.tasks.task import Encodes

METRIC = "p_at_1_x100"
SPLIT = "test"
_DECIMALS = 4


def score_retrieval(
    encoder: Encodes, corpus: str | Path, sides: Sequence[str], resamples: int, seed: int
) -> tuple[dict[str, Any], Hits]:
    """Search the test split of a corpus for translations, in both directions.

    Returns:
        `metric`, `sentences` and `directions`: by `<side>-<other side>` P@1 x 100 with its 95%
        interval over sentences; and the hits behind them.
    """
    left, right = sides
    vectors = [
        encoder.encode(read_lines(Path(corpus) / f"{SPLIT}.{side}"), language=side)
        for side in sides
    ]
    forward, backward = first_hits(*vectors)
    hits = {f"{left}-{right}": forward, f"{right}-{left}": backward}
    directions = {}
    for name, found in hits.items():
        interval = percentile_interval(found.mean(), hit_draws([found], resamples, seed)[0])
        directions[name] = {
            "p_at_1": _x100(interval.estimate),
            "low": _x100(interval.low),
            "high": _x100(interval.high),
        }
    scores = {
        "metric": METRIC,
        "sentences": len(forward),
        "directions": directions,
        "bootstrap": {"resamples": resamples, "seed": seed},
    }
    return scores, hits


def _x100(value: float) -> float:
    return round(100 * float(value), _DECIMALS)
