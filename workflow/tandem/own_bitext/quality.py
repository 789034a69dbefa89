"""How good an encoder is on held-out pairs, and its thresholds for translations.

The thresholds are chosen on some pairs, and everything is reported on others. Margins are taken
in a crowd of training sentences, none of which translates another, since those who mine search
many sentences too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tandem.encoders.measured import quality_in
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError, TandemError
from tandem.own_bitext.mined import NEIGHBOURS
from tandem.search.margins import Retrieval, Score, mean_cosines, mine, score_pairs
from tandem.search.neighbours import search
from tandem.statistics.bootstrap import Interval, bootstrap
from tandem.statistics.correlation import (
    MINIMUM_PAIRS,
    UndefinedCorrelationError,
    pearson_rows,
    spearman_rows,
)
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.kinds.mining import figures, is_correct
from tandem.tasks.kinds.retrieval import first_hits
from tandem.tasks.sts_data import read_task
from tandem.text import Pair
from tandem.text.amounts import amount

KEPT = 0.95
"""Share of true pairs that a threshold keeps."""
CROWD = 10_000
"""Most training pairs that the crowd is taken from."""
_Z = 1.959964
"""The normal quantile of a two-sided 95% interval."""
_LEAST = 4
_RESAMPLES, _SEED = 1000, 1


class Similarity(NamedTuple):
    """Pearson's r and Spearman's rho x 100 with human scores, and the number of pairs."""

    pearson_x100: Interval
    spearman_x100: Interval
    pairs: int


class Sides(NamedTuple):
    """Vectors of n pairs: the first sides and the second, float32, both (n, d)."""

    left: np.ndarray
    right: np.ndarray

    def __len__(self) -> int:
        return len(self.left)


def encoded(encoder: SentenceEncoder, pairs: Sequence[Pair], languages: Sequence[str]) -> Sides:
    """Return the vectors of pairs."""
    sides = zip(*pairs, strict=True) if pairs else ((), ())
    return Sides(*map(encoder.encode, sides, languages))


def thresholds(pairs: Sides, crowd: Sides) -> dict[str, float]:
    """Return, for each way to score, the highest threshold that keeps 95% of true pairs.

    There is none where more than 5% of them have a side without a word that is known, and none of
    a ratio that 5% do not have.
    """
    lost = math.floor((1 - KEPT) * len(pairs))
    if np.sum(~(pairs.left.any(1) & pairs.right.any(1))) > lost:
        return {}
    near = search(*_among(pairs, crowd), NEIGHBOURS)
    left, right = (mean_cosines(lists)[: len(pairs)] for lists in near)
    cosines = np.array(cosine_similarity(*pairs))
    scores = {str(score): score_pairs(cosines, left, right, score) for score in Score}
    limits = {name: float(np.sort(values)[lost]) for name, values in scores.items()}
    return {name: limit for name, limit in limits.items() if math.isfinite(limit)}


def retrieval(pairs: Sides) -> dict[str, float]:
    """Return P@1 x 100, the mean of both directions, with its 95% interval."""
    share = float(np.mean(first_hits(*pairs)))
    low, high = wilson(share, len(pairs))
    return {"p_at_1_x100": 100 * share, "low": 100 * low, "high": 100 * high, "pairs": len(pairs)}


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return the 95% interval of a share of `count` (Wilson, 1927), which holds near 0 and 1."""
    spread = _Z * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    centre, total = share + _Z**2 / (2 * count), 1 + _Z**2 / count
    return (centre - spread) / total, (centre + spread) / total


def filtering(pairs: Sides, threshold: float) -> dict[str, float]:
    """Return the shares x 100 of true pairs, and of wrong ones, whose cosine is high enough.

    A wrong pair is a sentence with the translation of the next.
    """
    true = np.array(cosine_similarity(*pairs))
    wrong = np.array(cosine_similarity(pairs.left, np.roll(pairs.right, 1, axis=0)))
    shares = [100 * float(np.mean(cosines >= threshold)) for cosines in (true, wrong)]
    return dict(zip(("true_kept_x100", "wrong_kept_x100"), shares, strict=True))


def mining(pairs: Sides, crowd: Sides, threshold: float) -> dict[str, float]:
    """Return precision, recall and F1 x 100 where every second sentence has no translation.

    The pairs and the crowd are mined together; what is proposed for the pairs' first sides counts.
    `targets` is the number of sentences that are searched.
    """
    gold = len(pairs) // 2
    left, right = _among(pairs, crowd)
    right = np.concatenate([right[:gold], right[len(pairs) :]])
    mined = mine(search(left, right, NEIGHBOURS), Score.RATIO, Retrieval.MAX).above(threshold)
    mined = mined.take(mined.source < len(pairs))
    wanted = [(row, row) for row in range(gold)]
    shares = figures(int(is_correct(mined, wanted).sum()), len(mined), gold)
    shown = {f"{name}_x100": shares[name] for name in ("precision", "recall", "f1")}
    return shown | {"targets": len(right)}


def examples(
    encoder: SentenceEncoder, held_out: Sequence[Pair], languages: Sequence[str]
) -> list[str]:
    """Return lines with the first sentence that finds its translation, and the first that does not.

    They are for the eyes of those who train: no file holds them, since a text may be private.
    """
    _, pairs = halves(held_out)
    vectors = encoded(encoder, pairs, languages)
    nearest = search(vectors.left, vectors.right, 1).forward.indices[:, 0].tolist()
    hit = next((row for row, place in enumerate(nearest) if row == place), None)
    miss = next((row for row, place in enumerate(nearest) if row != place), None)
    lines = []
    if hit is not None:
        lines += [f"hit: {pairs[hit][0]}", f"      finds: {pairs[hit][1]}"]
    if miss is not None:
        sentence, right = pairs[miss]
        lines += [f"miss: {sentence}", f"      finds: {pairs[nearest[miss]][1]}"]
        lines += [f"      right: {right}"]
    return lines


def quality(
    encoder: SentenceEncoder,
    held_out: Sequence[Pair],
    training: Sequence[Pair],
    languages: Sequence[str],
) -> dict[str, Any]:
    """Return thresholds from the first half of the held-out pairs, and figures of the second.

    No text of the second half stands in the first. The crowd is taken from the `training` pairs.
    """
    around = encoded(encoder, training[:CROWD], languages)
    middle = len(around) // 2
    crowd = Sides(around.left[:middle], around.right[middle:])
    first, second = halves(held_out)
    limits = thresholds(encoded(encoder, first, languages), crowd)
    calibration = {"thresholds": limits, "calibrated_on_pairs": len(first)}
    return calibration | measured(encoder, second, crowd, languages, limits)


def evaluated(
    encoder: SentenceEncoder, pairs: Sequence[Pair], languages: Sequence[str]
) -> dict[str, Any]:
    """Return what `quality` does for pairs that the encoder has not seen.

    Its thresholds are those that were measured in these languages; where none were, the first half
    of the pairs calibrates it, and the other half tells how good it is. TandemError where fewer
    than four pairs differ.
    """
    pairs = different(pairs)
    crowd = encoded(encoder, [], languages)
    if limits := quality_in(encoder.metadata, languages).get("thresholds"):
        return {"thresholds": limits} | measured(encoder, pairs, crowd, languages, limits)
    return quality(encoder, pairs, [], languages)


def different(pairs: Iterable[Pair]) -> list[Pair]:
    """Return each of the pairs once; TandemError where these are fewer than four."""
    kept = list(dict.fromkeys(pairs))
    if len(kept) < _LEAST:
        raise TandemError(f"{len(kept)} different pairs are too few. Give at least {_LEAST}")
    return kept


def halves(pairs: Sequence[Pair]) -> tuple[Sequence[Pair], Sequence[Pair]]:
    """Return the first half, and of the second the pairs without a text of the first.

    TandemError where there are none.
    """
    half = len(pairs) // 2
    seen = {text for pair in pairs[:half] for text in pair}
    others = [pair for pair in pairs[half:] if seen.isdisjoint(pair)]
    if not others:
        raise TandemError(
            f"the thresholds are calibrated on the first {half:,} pairs to measure on, and each of "
            "the others has a text in common with one of these, so that none is left to report on. "
            "Give pairs of which more have texts of their own"
        )
    return pairs[:half], others


def measured(
    encoder: SentenceEncoder,
    pairs: Sequence[Pair],
    crowd: Sides,
    languages: Sequence[str],
    limits: Mapping[str, float],
) -> dict[str, Any]:
    """Return the figures of some pairs at thresholds, `limits`, that were chosen on others.

    Those at a threshold that is absent are absent.
    """
    vectors = encoded(encoder, pairs, languages)
    at: dict[str, Any] = {}
    if Score.COSINE in limits:
        at["filtering"] = filtering(vectors, limits[Score.COSINE])
    if Score.RATIO in limits:
        at["mining"] = mining(vectors, crowd, limits[Score.RATIO])
    return {
        "retrieval": retrieval(vectors),
        **at,
    }


def similarity(encoder: SentenceEncoder, path: str | Path, languages: Sequence[str]) -> Similarity:
    """Return r and rho x 100, with intervals, between cosines and the scores of an STS file.

    The file has score (0 to 5), sentence, sentence, between tabs. InputError where its scores or
    their cosines define no correlation.
    """
    task = read_task(path, languages)
    if len(task.gold) < MINIMUM_PAIRS:
        problem = f"{amount(len(task.gold), 'pair')}, and a correlation needs {MINIMUM_PAIRS}"
        raise InputError(path, None, problem, "Give more pairs with their scores")
    vectors = map(encoder.encode, (task.first, task.second), languages)
    samples = task.gold, cosine_similarity(*vectors)
    kinds = (pearson_rows, spearman_rows)
    try:
        r, rho = (_times_100(bootstrap(kind, samples, _RESAMPLES, _SEED)) for kind in kinds)
    except UndefinedCorrelationError as error:
        remedy = "Give pairs with words that the model knows, some similar and some not"
        raise InputError(path, None, f"no correlation ({error})", remedy) from error
    return Similarity(r, rho, len(task.gold))


def _times_100(interval: Interval) -> Interval:
    return Interval(*(100 * value for value in astuple(interval)))


def _among(pairs: Sides, crowd: Sides) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors of each side, those of the pairs before those of the crowd."""
    left, right = (np.concatenate(both) for both in zip(pairs, crowd, strict=True))
    return left, right
