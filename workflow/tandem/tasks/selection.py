"""Selection of the epoch that is kept, by a score on other text than the reported tasks.

Each function prepares text once and returns a score of an encoder, higher is better, to be called
after every epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.cosine import cosine_similarity, unit_length
from tandem.tasks.sts_data import correlation, read_task
from tandem.training.run import Select


def by_similarity(segmenter: Segmenter, task: str | Path) -> Select:
    """Pearson's r x 100 on an English task (wieting2019, section 3: STS 2017 en-en)."""
    read, encode = read_task(task), segmenter.encoder("en")
    first, second = encode(read.first), encode(read.second)

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        return 100 * correlation(read.gold, cosine_similarity(embed(first), embed(second)))

    return score


def by_retrieval(folder: str | Path, sides: Sequence[str]) -> Select:
    """P@1 x 100 of the segmented validation split, the mean of both directions.

    The n sentences of the split are searched among each other, in n * n floats.
    """
    left, right = ragged.load_sides(folder, "valid", sides)

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        cosines = unit_length(embed(left)) @ unit_length(embed(right)).T
        rows = np.arange(len(cosines))
        return 50 * sum(float(np.mean(cosines.argmax(axis) == rows)) for axis in (0, 1))

    return score


def by_retrieval_and_margin(folder: str | Path, sides: Sequence[str]) -> Select:
    """P@1 x 100 as `by_retrieval`, and of equal ones the larger mean margin.

    On few pairs P@1 takes few values, and soon its highest. Then the better epoch has the larger
    mean margin of a sentence's translation over the nearest other sentence. A thousandth of it is
    added, which is less than one sentence counts among up to 10,000 pairs.
    """
    left, right = ragged.load_sides(folder, "valid", sides)

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        cosines = unit_length(embed(left)) @ unit_length(embed(right)).T
        true = np.diagonal(cosines)
        others = np.where(np.eye(len(true), dtype=bool), -1, cosines)
        margins = np.stack([true - others.max(axis) for axis in (0, 1)])
        return 100 * float(np.mean(margins > 0)) + float(np.mean(margins)) / 1000

    return score
