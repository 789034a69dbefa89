"""Labelled pairs that an encoder tells by a threshold of the cosine, and how well it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tandem.corpora.labelled_files import LabelledFiles, LabelledText, digest
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError, TandemError
from tandem.own_bitext.labelled_division import group_numbers, shuffled, sides
from tandem.own_bitext.quality import wilson
from tandem.statistics.bootstrap import LEVEL
from tandem.statistics.correlation import UndefinedCorrelationError, checked
from tandem.statistics.cosine import cosine_similarity
from tandem.statistics.identification import FIGURES, Ranked, best_accuracy, drawn_figures
from tandem.text.amounts import amount

DIGEST = "labelled_sha256"
"""Where a model's metadata have the digest of the labelled pairs that it was trained on."""
_RESAMPLES, _SEED = 1000, 1
_LEAST = 2
"""Fewest pairs that a threshold is calibrated on."""
_ROUNDING = 1e-6
"""More than one pair's cosine differs by from one batch to another."""


def cosines(
    encoder: SentenceEncoder, pairs: Sequence[LabelledText], languages: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosines and labels of pairs."""
    first, second, labels = zip(*pairs, strict=True)
    vectors = (encoder.encode(side, code) for side, code in
               zip((first, second), languages, strict=True))  # fmt: skip
    return cosine_similarity(*vectors), np.array(labels)


def calibrated(
    encoder: SentenceEncoder, pairs: Sequence[LabelledText], languages: Sequence[str]
) -> float:
    """Return the cosine from which pairs are most accurately taken for the same.

    Where that is none of them, it is above all cosines by more than these are rounded.
    """
    return _most_accurate(*cosines(encoder, pairs, languages))


def _most_accurate(values: np.ndarray, labels: np.ndarray) -> float:
    threshold, _ = best_accuracy(values, labels)
    return threshold if np.any(values >= threshold) else float(values.max()) + _ROUNDING


def measured(
    encoder: SentenceEncoder,
    pairs: Sequence[LabelledText],
    languages: Sequence[str],
    threshold: float,
) -> dict[str, Any]:
    """Return figures x 100 of pairs at a threshold, each with its 95% interval.

    They are those of `statistics.identification.FIGURES`; beside them are `pairs`, `groups`, which
    share sentences and are drawn as one for the intervals, and `positive_x100`.
    """
    return _figures(*cosines(encoder, pairs, languages), group_numbers(pairs), threshold)


def _figures(
    values: np.ndarray, labels: np.ndarray, groups: np.ndarray, threshold: float
) -> dict[str, Any]:
    checked(values, labels)
    ranked = Ranked(values, labels)
    estimates = ranked.figures(threshold)
    draws = drawn_figures(ranked, threshold, groups, _RESAMPLES, _SEED)
    tail = (1 - LEVEL) / 2
    bounds = np.quantile(draws, [tail, 1 - tail], axis=0).T.tolist()
    count = int(groups.max()) + 1
    if not np.ptp(draws[:, 0]):  # as where all are told right, which draws cannot doubt
        bounds[0] = wilson(estimates[0], count)
    figures: dict[str, Any] = {
        f"{name}_x100": _times_100(estimate, *interval)
        for name, estimate, interval in zip(FIGURES, estimates.tolist(), bounds, strict=True)
    }
    about = {"pairs": len(labels), "groups": count, "positive_x100": 100 * float(labels.mean())}
    return figures | about


def _times_100(estimate: float, low: float, high: float) -> dict[str, float]:
    return {"estimate": 100 * estimate, "low": 100 * low, "high": 100 * high}


def threshold_in(encoder: SentenceEncoder) -> float | None:
    """Return the threshold that training calibrated; None where it did not."""
    then = encoder.metadata.get("identification")
    if not isinstance(then, Mapping) or "threshold" not in then:
        return None
    return float(then["threshold"])


def threshold_of(encoder: SentenceEncoder) -> float:
    """Return the threshold that training calibrated; TandemError where it did not."""
    threshold = threshold_in(encoder)
    if threshold is None:
        raise TandemError(
            "this model has no threshold of paraphrases: it was not trained on labelled pairs. "
            "Give one (--at-least 0.8), or train it: tandem train PAIRS --labelled --from MODEL"
        )
    return threshold


def threshold_languages(encoder: SentenceEncoder) -> list[str]:
    """Return the languages of the pairs that calibrated the threshold; [] where none is known."""
    languages = encoder.metadata.get("languages")
    if threshold_in(encoder) is None or not isinstance(languages, list):
        return []
    return [*map(str, languages)]


def trained_on(encoder: SentenceEncoder, pairs: Iterable[LabelledText]) -> bool:
    """Tell whether an encoder, or what its training started from, was trained on these pairs."""
    wanted = digest(pairs)
    training: Any = encoder.metadata
    while isinstance(training, Mapping):
        if training.get(DIGEST) == wanted:
            return True
        start = training.get("start")
        training = start.get("training") if isinstance(start, Mapping) else None
    return False


def evaluated(
    encoder: SentenceEncoder, pairs: LabelledFiles, languages: Sequence[str]
) -> dict[str, Any]:
    """Return the figures of labelled pairs at the encoder's threshold, or at one of half of them.

    Beside those of `measured`: `threshold`; `own_threshold`, whether it is the encoder's, and then
    `threshold_languages`, of the pairs that calibrated it; `calibrated_on_pairs` where it is not;
    `best_threshold`, which tells these very pairs most accurately; `blank`, the pairs with a blank
    side, which are left out; and `trained_on`, whether the encoder was trained on these very pairs.

    Raises:
        InputError: what is judged, or calibrated on, has no two labels, or is too little.
    """
    texts: Sequence[LabelledText] = list(dict.fromkeys(pairs))
    told = {"blank": pairs.blank, "trained_on": trained_on(encoder, texts)}
    threshold = threshold_in(encoder)
    about: dict[str, Any] = {"own_threshold": threshold is not None}
    if threshold is None:
        some, texts = _halves(texts, pairs.name)
        threshold = calibrated(encoder, some, languages)
        about["calibrated_on_pairs"] = len(some)
    else:
        about["threshold_languages"] = threshold_languages(encoder)
    _check_labels(texts, pairs.name)
    try:
        values, labels = cosines(encoder, texts, languages)
        about["best_threshold"] = _most_accurate(values, labels)
        figures = _figures(values, labels, group_numbers(texts), threshold)
    except UndefinedCorrelationError as error:
        remedy = "Give pairs with words that the model knows, some similar and some not"
        raise InputError(pairs.name, None, f"no figures ({error})", remedy) from error
    return {"threshold": threshold, **about, **told, **figures}


def _halves(
    pairs: Sequence[LabelledText], name: str
) -> tuple[Sequence[LabelledText], Sequence[LabelledText]]:
    """Return half of the pairs, drawn, and of the others those without a sentence of these."""
    half = len(pairs) // 2
    if half < _LEAST:
        problem = f"{amount(len(pairs), 'different pair')}, and the model has no threshold"
        remedy = f"Give at least {2 * _LEAST}: it is calibrated on half of them"
        raise InputError(name, None, problem, remedy)
    pairs = shuffled(pairs)  # a file may be sorted by its labels
    _check_labels(pairs[:half], name)
    seen = {text for pair in pairs[:half] for text in sides(pair)}
    others = [pair for pair in pairs[half:] if seen.isdisjoint(sides(pair))]
    if not others:
        problem = (
            "the threshold is calibrated on half of the pairs, and each of the others shares a "
            "sentence with these"
        )
        raise InputError(name, None, problem, "Give pairs of which more have their own")
    return pairs[:half], others


def _check_labels(pairs: Sequence[LabelledText], name: str) -> None:
    if len({pair.label for pair in pairs}) < 2:
        problem = (
            f"all {len(pairs):,} pairs that would be judged have the same label, which says "
            "nothing of how well others are told apart"
        )
        raise InputError(name, None, problem, "Give pairs of both labels, and more of them")
