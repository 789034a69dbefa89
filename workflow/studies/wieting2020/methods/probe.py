"""Probes: what a linear classifier reads out of frozen sentence vectors (section 5.2)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tandem.errors import InputError
from tandem.files.io import MAX_DOCUMENT_BYTES, read_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARTS = {"tr": "training", "va": "validation", "te": "test"}
"""The parts of a set, by SentEval's marks."""


@dataclass(frozen=True)
class Labelled:
    """One part of a probing set: n sentences with what is to be told of each.

    Sentences that mean the same, such as a verse in several versions, have one meaning; where the
    set has none, each sentence has its own.
    """

    labels: list[str]
    sentences: list[str]
    meanings: list[str]


@dataclass(frozen=True)
class Probed:
    """What a probe tells of the test part."""

    right: NDArray[np.bool_]
    """Which of the test sentences it labels right, (n,)."""
    strength: float
    """The inverse of the weight of the squared norm that is best on the validation part."""
    validation: float
    """The share of the validation part that it labels right with it."""


def read_set(path: Path, most: dict[str, int | None], seed: int) -> dict[str, Labelled]:
    """Read a set in SentEval's form: lines of tr, va or te, the label, and the sentence, by tabs.

    A fourth column, which a set has in all lines or in none, is the meaning of the sentence.

    Args:
        path: the file.
        most: of each part, the most sentences that are taken; null: all.
        seed: of the choice, where a part has more.

    Raises:
        InputError: a line has another form, a part is empty, or the training part has one label.
    """
    parts, widths = {mark: Labelled([], [], []) for mark in PARTS}, set[int]()
    for number, line in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        columns = line.split("\t")
        widths.add(len(columns))
        if widths not in ({3}, {4}) or columns[0] not in parts:
            remedy = (
                "Give tr, va or te, a label, a sentence and, in all lines or in none, its meaning, "
                "with tabs between"
            )
            raise InputError(path, number, "no line of a probing set", remedy)
        part = parts[columns[0]]
        part.labels.append(columns[1])
        part.sentences.append(columns[2])
        part.meanings.append(columns[3] if len(columns) > 3 else str(number))
    for mark, part in parts.items():
        if not part.labels:
            raise InputError(path, None, f"it has no {PARTS[mark]} part", f"Add lines with {mark}")
    parts = {mark: _drawn(part, most[mark], seed) for mark, part in parts.items()}
    if len(set(parts["tr"].labels)) < 2:
        raise InputError(
            path, None, "its training part has one label", "Add another, or more lines"
        )
    return parts


def _drawn(part: Labelled, most: int | None, seed: int) -> Labelled:
    """Return at most so many sentences, in their order."""
    if most is None or len(part.labels) <= most:
        return part
    rows = np.sort(np.random.default_rng(seed).permutation(len(part.labels))[:most]).tolist()
    columns = (part.labels, part.sentences, part.meanings)
    return Labelled(*([column[row] for row in rows] for column in columns))


def chance(training: Sequence[str], test: Sequence[str]) -> float:
    """Return the share of test labels that are the most frequent label of the training part."""
    labels, counts = np.unique(training, return_counts=True)
    return float(np.mean(np.array(test) == labels[counts.argmax()]))


def probe(
    vectors: dict[str, np.ndarray], labels: dict[str, list[str]], strengths: Iterable[float]
) -> Probed:
    """Fit a logistic regression on standardised vectors; its strength is chosen on `va` alone.

    Args:
        vectors: by part, (n, dimension).
        labels: by part, n; a label that the training part lacks is never told.
        strengths: inverse weights of the squared norm that are tried; of equals, the least counts.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler().fit(vectors["tr"])
    inputs = {mark: scale.transform(part) for mark, part in vectors.items()}
    truth = {mark: np.array(part) for mark, part in labels.items()}
    # each fit goes on from the one before, which was held closer to 0
    model = LogisticRegression(max_iter=500, tol=1e-3, warm_start=True)
    best = None
    for strength in sorted(strengths):
        with warnings.catch_warnings():
            # a fit that is cut off is a probe like any other: the validation part decides
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.set_params(C=strength).fit(inputs["tr"], truth["tr"])
        share = float(np.mean(model.predict(inputs["va"]) == truth["va"]))
        if best is None or share > best.validation:
            best = Probed(model.predict(inputs["te"]) == truth["te"], strength, share)
    assert best is not None
    return best
