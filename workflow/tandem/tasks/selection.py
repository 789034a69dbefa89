"""Selection of the epoch that is kept, by a score on other text than the reported tasks.

Each function prepares text once and returns a score of an encoder, higher is better, to be called
after every epoch. `epoch_choice` is all of them by their names in a study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tandem.corpora.collection import Part, read_parts
from tandem.errors import TandemError
from tandem.files.io import read_lines, sha256
from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged, concatenate, joined
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.cosine import cosine_similarity, unit_length
from tandem.statistics.identification import best_accuracy
from tandem.tasks.sts_data import correlation, read_task
from tandem.training.pairs import Pairs, distinct, load_labelled, load_pairs
from tandem.training.run import Select

SCORES = {
    "similarity": "pearson_x100",
    "retrieval": "p_at_1_x100",
    "labels": "accuracy_x100",
    "loss": "minus_loss_nats",
    "last": "",
}
"""What an epoch is chosen by, by its name in a study: the score, the higher the better."""


def epoch_choice(
    name: str,
    segmenter: Segmenter,
    folder: str | Path,
    sides: Sequence[str],
    *,
    task: str | Path | None = None,
    languages: Iterable[str] | None = None,
) -> tuple[Select | None, Pairs | None]:
    """Return what scores epochs, and the pairs whose loss does; at most one of them is there.

    `name` is one of SCORES, `folder` the segmented text with its validation split, `task` the
    selection task, or the collection whose pairs in `languages` (None: all) choose.
    """
    if name == "similarity":
        assert task is not None
        return by_similarity(segmenter, task), None
    if name == "retrieval" and task:
        return by_collection(segmenter, task, languages), None
    if name == "retrieval":
        return by_retrieval(folder, sides), None
    if name == "labels":
        return by_labels(folder), None
    return None, load_pairs(folder, "valid", sides) if name == "loss" else None


def described_choice(
    name: str,
    folder: str | Path,
    *,
    task: str | Path | None = None,
    languages: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Return what a choice of epochs depends on, as plain values, to tell it from others.

    The arguments are those of `epoch_choice`; of the files that it reads there are the digests.
    """
    if task is not None:
        file = Path(task)
        parts = _choosing(file, languages) if file.is_dir() else []
        files = [part.path(task, "valid") for part in parts] or [file]
    else:
        files = [] if name == "last" else sorted(Path(folder).glob("valid.*"))
    return {"selection": name, "files": {file.name: sha256(file) for file in files}}


def by_similarity(segmenter: Segmenter, task: str | Path) -> Select:
    """Pearson's r x 100 on an English task (wieting2019, section 3: STS 2017 en-en)."""
    read, encode = read_task(task), segmenter.encoder("en")
    first, second = encode(read.first), encode(read.second)

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        return 100 * correlation(read.gold, cosine_similarity(embed(first), embed(second)))

    return score


def all_cosines(embed: Callable[[Ragged], np.ndarray], sides: Iterable[Ragged]) -> np.ndarray:
    """Return the cosine of each of n first sides with each second side, (n, n)."""
    left, right = (unit_length(embed(side)) for side in sides)
    return left @ right.T


def by_retrieval(folder: str | Path, sides: Sequence[str]) -> Select:
    """P@1 x 100 of the segmented validation split, the mean of both directions.

    Of equally near sentences the first counts as retrieved. Memory: n * n floats.
    """
    return _found(ragged.load_sides(folder, "valid", sides))


def by_collection(
    segmenter: Segmenter, folder: str | Path, languages: Iterable[str] | None
) -> Select:
    """P@1 x 100, as `by_retrieval`, on the validation split of a collection: the mean of its parts.

    Of the parts, those with these languages beside the pivot (None: all) that have such pairs.

    Raises:
        TandemError: none has.
    """
    scores = []
    for part in _choosing(folder, languages):
        lines = [line.split("\t") for line in read_lines(part.path(folder, "valid"))]
        sides = ((part.left, 1), (part.right, 2))
        encoded = (segmenter.encoder(code)([line[at] for line in lines]) for code, at in sides)
        scores.append(_found(tuple(encoded)))
    return lambda embed: float(np.mean([score(embed) for score in scores]))


def _choosing(folder: str | Path, languages: Iterable[str] | None) -> list[Part]:
    """Return the parts of a collection whose validation pairs choose; see `by_collection`."""
    kept = None if languages is None else {*languages}
    sizes = read_parts(folder)
    parts = [p for p in sizes if sizes[p]["valid"] and (kept is None or p.right in kept)]
    if not parts:
        raise TandemError(
            f"{folder}: no validation pairs choose an epoch. Raise `valid` of the collection"
        )
    return parts


def _found(sides: Sequence[Ragged]) -> Select:
    """P@1 x 100 of aligned sentences among all of the other side, the mean of both directions."""

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        cosines = all_cosines(embed, sides)
        rows = np.arange(len(cosines))
        return 50 * sum(float(np.mean(cosines.argmax(axis) == rows)) for axis in (0, 1))

    return score


def scored(embed: Callable[[Ragged], np.ndarray], left: Ragged, right: Ragged) -> np.ndarray:
    """Return how alike pairs are, (pairs,): their cosines, or a scorer's number of them joined.

    The latter is the mean of both orders. A sentence of several pairs is embedded once.
    """
    some = embed(left.part(0, min(1, len(left))))
    if some.shape[1] > 1:
        both = concatenate([left, right])
        first, places = distinct(both)
        return cosine_similarity(*np.split(embed(both.gather(first))[places], 2))
    return (embed(joined(left, right)) + embed(joined(right, left)))[:, 0].astype(float) / 2


def by_labels(folder: str | Path) -> Select:
    """Accuracy x 100 on segmented labelled pairs, at the cosine, or number, that makes it best."""
    pairs = load_labelled(folder, "valid")

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        scores = scored(embed, pairs.left, pairs.right)
        assert pairs.labels is not None
        return 100 * best_accuracy(scores, pairs.labels)[1]

    return score
