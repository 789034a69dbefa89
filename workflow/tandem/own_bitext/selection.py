"""Which epoch is kept: that in which most held-out sentences find their translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tandem.encoders.measured import Languages, name_of
from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.tasks.selection import all_cosines
from tandem.training.run import Select


def by_all(folder: Path, pairs: Sequence[Languages]) -> Select:
    """Score epochs by the mean of `by_retrieval_and_margin` over pairs of languages.

    The folder has one for each, of its name.
    """
    scores = [by_retrieval_and_margin(folder / name_of(pair), pair) for pair in pairs]
    return lambda embed: sum(score(embed) for score in scores) / len(scores)


def by_retrieval_and_margin(folder: str | Path, sides: Sequence[str]) -> Select:
    """Score epochs by P@1 x 100 on the segmented validation split, and equal ones by margin.

    On few pairs P@1 takes few values, and soon its highest. Then the better epoch has the larger
    mean margin of a sentence's translation over the nearest other sentence. A thousandth of it is
    added, which is less than one sentence counts among up to 10,000 pairs. A translation that is
    only as near as another sentence does not count as found. Memory: 2 * n * n floats.
    """
    split = ragged.load_sides(folder, "valid", sides)

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        cosines = all_cosines(embed, split)
        true = np.diagonal(cosines)
        others = np.where(np.eye(len(true), dtype=bool), -1, cosines)
        margins = np.stack([true - others.max(axis) for axis in (0, 1)])
        return 100 * float(np.mean(margins > 0)) + float(np.mean(margins)) / 1000

    return score
