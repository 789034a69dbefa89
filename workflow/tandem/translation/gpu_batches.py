"""Batches as a GPU trains the recurrent translator on them: of few shapes, each a row of numbers.

What is beyond a batch's end has no effect: sentences of one word, labels that are ignored, pieces
that have no share in the softmax.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from tandem.segmentation.ragged import Ragged
from tandem.translation.batching import END, PAD, START

Array = NDArray[np.int64]
Numbers = TypeVar("Numbers", Array, Tensor)

IGNORED = -100
"""The label where there is none, as PyTorch's cross-entropy takes it."""


class Shape(NamedTuple):
    """What a batch has room for: sentences, words of a source and of a target, and pieces."""

    rows: int
    source: int
    target: int
    pieces: int


class Laid(NamedTuple, Generic[Numbers]):
    """A batch of padded sources and targets, counted row after row.

    Attributes:
        ids: pieces that are looked up: of the sources, of these reversed, of the decoder's inputs,
            and those of the softmax.
        reversal, last: see `Places`.
        labels: (rows * target,) their numbers among the pieces of the softmax, or `IGNORED`.
        seed: (1,) of its dropout.
    """

    ids: Numbers
    reversal: Numbers
    last: Numbers
    labels: Numbers
    seed: Numbers

    @classmethod
    def split(cls, numbers: Tensor, shape: Shape) -> Laid[Tensor]:
        """Return the parts of a row of numbers in which they lie one after the other."""
        sources, targets = shape.rows * shape.source, shape.rows * shape.target
        sizes = [2 * sources + targets + shape.pieces, sources, shape.rows, targets, 1]
        return Laid(*numbers.split(sizes))


class Softmax(NamedTuple):
    """The pieces of a batch's softmax.

    Attributes:
        pieces: those that occur, rising, and those that are drawn.
        labels: (tokens,) numbers among them.
        weights: (pieces,) logarithms of how many pieces a drawn one stands for.
    """

    pieces: Array
    labels: Array
    weights: NDArray[np.float32]

    def padded(self, room: int) -> Softmax:
        """Return one with pieces up to `room` that have no share in the sum."""
        beyond = room - len(self.pieces)
        return Softmax(
            np.pad(self.pieces, (0, beyond), constant_values=PAD),
            self.labels,
            np.pad(self.weights, (0, beyond), constant_values=-math.inf),
        )


def draw_softmax(
    labels: Array, count: int, vocabulary: int, random: np.random.Generator
) -> Softmax:
    """Draw `count` pieces for the rest of a vocabulary, as `sampled_loss` does."""
    present, numbers = np.unique(labels, return_inverse=True)
    absent = np.ones(vocabulary, np.bool_)
    absent[present] = False
    others = np.flatnonzero(absent)
    chosen = random.permutation(others)[:count]
    weights = np.zeros(len(present) + len(chosen), np.float32)
    if len(chosen):
        weights[len(present) :] = math.log(len(others) / len(chosen))
    return Softmax(np.concatenate([present, chosen]), numbers, weights)


def shapes_of(
    pairs: tuple[Ragged, Ragged],
    groups: Sequence[Sequence[int]],
    words: int,
    pieces: int,
    most: int,
) -> list[Shape]:
    """Return the shapes of batches of pairs: few for many batches.

    Args:
        pairs: sources and targets, whose rows end in END.
        groups: the pairs of each batch.
        words: most target words of a batch, unless it is of one pair.
        pieces: most pieces of a softmax beside those that occur.
        most: pieces there are.
    """
    if not groups:
        return []
    counts = np.array([len(group) for group in groups])
    order, starts = np.concatenate(groups), np.append(0, np.cumsum(counts)[:-1])
    source, target = (
        4 * -(-np.maximum.reduceat(side.lengths()[order], starts) // 4) for side in pairs
    )
    # to read further words takes a GPU longer than to read further sentences
    rows = np.zeros_like(target)
    for length in np.unique(target):
        alike = target == length
        rows[alike] = 8 * -(-counts[alike].max() // 8)
    room = np.minimum(np.maximum(words, target) + pieces, most)
    return [Shape(*sizes) for sizes in np.stack([rows, source, target, room], 1).tolist()]


def padded_places(rows: Ragged, longest: int) -> Array:
    """Return the place of each id, (tokens,), once rows are padded and stand row after row."""
    moved = np.arange(len(rows)) * longest - rows.offsets[:-1]
    return np.arange(len(rows.ids)) + moved.repeat(rows.lengths())


def lay_out(
    sources: Ragged, targets: Ragged, softmax: Softmax, shape: Shape, seed: int = 0
) -> Laid[Array]:
    """Lay out a batch whose rows end in END; its softmax is as large as the shape has it."""
    rows, longest, longest_target, _ = shape
    places, words = padded_places(sources, longest), padded_places(targets, longest_target)
    starts, lengths = np.arange(rows) * longest, np.ones(rows, np.int64)
    lengths[: len(sources)] = sources.lengths()
    source = np.full(rows * longest, PAD)
    source[starts] = END  # of rows beyond the end; attention must have something to weigh
    source[places] = sources.ids
    reversal = np.arange(rows * longest)
    turned = (2 * starts + lengths - 1)[: len(sources)]
    reversal[places] = turned.repeat(sources.lengths()) - places
    inputs = np.full((rows, longest_target + 1), PAD)
    inputs[:, 0] = START
    inputs[:, 1:].flat[words] = targets.ids
    # an END that is read after the last word changes nothing that is learned from
    ids = np.concatenate([source, source[reversal], inputs[:, :-1].ravel(), softmax.pieces])
    labels = np.full(rows * longest_target, IGNORED)
    labels[words] = softmax.labels
    return Laid(ids, reversal, starts + lengths - 1, labels, np.array([seed]))
