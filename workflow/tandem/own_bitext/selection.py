"""Which epoch is kept: that in which most held-out sentences find their translation.

Of what writes sentences it is the one with the least loss on held-out pairs: P@1 tells nothing of
decoders, and stands still while they learn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tandem.encoders.measured import Languages, name_of
from tandem.objectives.kinds.generative import Generative
from tandem.objectives.objective import Objective
from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.tasks.selection import SCORES, all_cosines
from tandem.training.pairs import Pairs
from tandem.training.run import Select


class Selection(NamedTuple):
    """What chooses an epoch.

    Attributes:
        score: what it is called, the higher the better.
        select: scores an encoder; None: the loss on the pairs `held_out` does.
    """

    score: str
    select: Select | None = None
    held_out: Pairs | None = None


def selection(
    objective: Objective, folder: Path, pairs: Sequence[Languages], held_out: Sequence[Pairs]
) -> Selection:
    """Return what chooses an epoch: see `by_all`, which reads `folder`, and above.

    `held_out` are the validation pairs of each pair of languages.
    """
    if isinstance(objective, Generative):
        return Selection(SCORES["loss"], held_out=held_out[0])
    return Selection(SCORES["retrieval"], by_all(folder, pairs))


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
