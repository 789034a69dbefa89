"""Which epoch is kept: that in which most held-out sentences find their translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.statistics.cosine import unit_length
from tandem.training.run import Select


def by_retrieval_and_margin(folder: str | Path, sides: Sequence[str]) -> Select:
    """P@1 x 100 of the segmented validation split, and a trifle that decides between equals.

    Of few pairs P@1 takes few values, and soon the highest: then the larger mean margin, of a
    sentence's translation over the nearest other, is the better epoch. A thousandth of it is added,
    which is less than one sentence counts up to 10,000 pairs.
    """
    left, right = ragged.load_sides(folder, "valid", sides)

    def score(embed: Callable[[Ragged], np.ndarray]) -> float:
        cosines = unit_length(embed(left)) @ unit_length(embed(right)).T
        own = np.diagonal(cosines)
        others = np.where(np.eye(len(own), dtype=bool), -1, cosines)
        margins = np.stack([own - others.max(axis) for axis in (0, 1)])
        return 100 * float(np.mean(margins > 0)) + float(np.mean(margins)) / 1000

    return score
