"""Classifiers that tell translations from other near sentences (section 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yang2019.methods.candidates import Candidates

NEGATIVES = 10
"""Negatives for each positive (the paper's 1:10)."""
DEVELOPMENT = 0.2
"""Share of the pairs that are kept for development (the paper's 20%)."""


class Division(NamedTuple):
    """Places of the candidates that a classifier learns from, and of its development pairs."""

    learned: NDArray[np.int64]
    development: NDArray[np.int64]


def divide(gold: NDArray[np.bool_], seed: int) -> Division:
    """Draw negatives for the positives, and divide both.

    The negatives are drawn from all candidates that are not gold, at most 10 for each positive;
    where a task has fewer, all are taken.
    """
    rng = np.random.default_rng(seed)
    positives, negatives = np.flatnonzero(gold), np.flatnonzero(~gold)
    most = min(len(negatives), NEGATIVES * len(positives))
    negatives = rng.permutation(negatives)[:most]
    parts = [rng.permutation(places) for places in (positives, negatives)]
    cuts = [round(DEVELOPMENT * len(places)) for places in parts]
    learned, held = (
        np.concatenate([places[cut:] if rest else places[:cut]
                        for places, cut in zip(parts, cuts, strict=True)])
        for rest in (True, False)
    )  # fmt: skip
    return Division(rng.permutation(learned), held)


def light(
    training: Candidates, test: Candidates, division: Division
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probability of each candidate of both parts, by logistic regression.

    Its input is `candidates.FEATURES` and, in each dimension, the distance of the two vectors and
    their product; the strength of its regularization is the one with the best log-likelihood of the
    development pairs.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.preprocessing import StandardScaler

    inputs = [_inputs(candidates) for candidates in (training, test)]
    scale = StandardScaler().fit(inputs[0][division.learned])
    inputs = [scale.transform(part) for part in inputs]
    rows, held = division
    best, lowest = None, np.inf
    for strength in (0.0001, 0.001, 0.01, 0.1, 1.0):
        model = LogisticRegression(C=strength, max_iter=2000)
        model.fit(inputs[0][rows], training.gold[rows])
        probabilities = model.predict_proba(inputs[0][held])[:, 1]
        loss = log_loss(training.gold[held], probabilities, labels=[False, True])
        if loss < lowest:
            best, lowest = model, loss
    assert best is not None
    first, second = (best.predict_proba(part)[:, 1] for part in inputs)
    return first, second


def _inputs(candidates: Candidates) -> NDArray[np.float64]:
    assert candidates.vectors is not None
    source, english = candidates.vectors.astype(np.float64).swapaxes(0, 1)
    blocks = [candidates.features, np.abs(source - english), source * english]
    return np.concatenate(blocks, axis=1)


def fine_tuned(
    model: str,
    training: Candidates,
    test: Candidates,
    division: Division,
    seed: int,
    epochs: int,
    batch: int,
    learning_rate: float,
    device: str = "cpu",
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probability of each candidate of both parts, by a fine-tuned transformer.

    `model` is a folder, or a name that transformers finds: bert-base-multilingual-cased in the
    paper. No code of the folder is run. The epoch with the best log-likelihood of the development
    pairs is taken.
    """
    from tandem.machine import gpu_errors
    from tandem.training.course import Course
    from yang2019.methods.fine_tuning import FineTuning

    held = division.development
    with gpu_errors("Lower `batch` of the task", device):
        learner = FineTuning(model, training, division.learned, seed, batch, learning_rate, device)
        course = Course(learner, {}, epochs)
        course.run(
            lambda _: _likelihood(learner.probabilities(training, held), training.gold[held]),
            show=False,
            from_start=False,
        )
        learner.network.load_state_dict(course.best)
        first, second = (learner.probabilities(part, np.arange(len(part.gold)))
                         for part in (training, test))  # fmt: skip
    return first, second


def _likelihood(
    probabilities: NDArray[np.float64], gold: Sequence[bool] | NDArray[np.bool_]
) -> float:
    """Return the mean log-likelihood of the gold labels; 0 without any."""
    sure = np.clip(probabilities, 1e-7, 1 - 1e-7)
    return float(np.where(gold, np.log(sure), np.log(1 - sure)).mean()) if len(sure) else 0.0
