"""Whether a model has begun to learn: its held-out loss beside that of frequencies alone."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from tandem.errors import InputError
from tandem.files.io import read_json
from tandem.objectives.objective import OBJECTIVES
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.training.pairs import load_pairs

if TYPE_CHECKING:
    from tandem.objectives.kinds.generative import Generative

COLUMN = "validation_minus_loss_nats"
"""Where history.csv has the held-out loss, with its sign turned."""


def objective_of(model: Path) -> Generative:
    """Return what a model was trained for, from its folder."""
    stored = read_json(model / "decoders/decoders.json")["objective"]
    return cast("Generative", OBJECTIVES.parse(stored))


def held_out_loss(model: Path) -> float:
    """Return the least loss of held-out pairs after an epoch, in nats for each.

    Raises:
        InputError: the model's history has no such loss.
    """
    path = model / "history.csv"
    with open(path, encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    losses = [-float(line[COLUMN]) for line in lines if line.get(COLUMN) and int(line["epoch"])]
    if not losses:
        remedy = "Give its setting `selection: loss`"
        raise InputError(path, None, "a training without a held-out loss", remedy)
    return min(losses)


def unigram_loss(segmented: Path, sides: Sequence[str], objective: Generative) -> float:
    """Return the held-out loss, in nats for each pair, of writing each token by its frequency.

    That is what decoders reach that know neither the sentence nor what stands before a token, with
    the objective's smoothing of translations. The divergence from the prior would come to it.
    """
    train, held = (load_pairs(segmented, split, sides) for split in ("train", "valid"))
    types, total = len(Segmenter.load(segmented / "segmenter")) + 1, 0.0
    smoothing = [(side, 0.0) for side in objective.reconstructed]
    smoothing += [(side, objective.smoothing) for side in objective.translated]
    for side, share in smoothing:
        read, written = ((pairs.left, pairs.right)[side] for pairs in (train, held))
        rows = held.usable
        total += frequency_loss(counts(read, types), counts(written.gather(rows), types), share)
    return total / len(held.usable)


def counts(sentences: Ragged, types: int) -> NDArray[np.int64]:
    """Count each type, (types,); the last one ends every sentence."""
    numbers = np.bincount(sentences.ids, minlength=types)
    numbers[types - 1] += len(sentences.lengths())
    return numbers


def frequency_loss(
    read: NDArray[np.int64], written: NDArray[np.int64], smoothing: float = 0.0
) -> float:
    """Return the loss, in nats, of tokens with the counts `written` by the frequencies of `read`.

    Each type counts once more than it was read. The probabilities are those that are best for what
    label smoothing asks for.
    """
    share = (read + 1) / (read + 1).sum()
    logarithms = np.log((1 - smoothing) * share + smoothing / len(share))
    exact = -(written * logarithms).sum()
    return float((1 - smoothing) * exact - smoothing * written.sum() * logarithms.mean())
