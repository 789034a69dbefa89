"""Batches of pairs for decoders: pairs of like lengths, filled up, as arrays of known shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tandem.machine import send
from tandem.segmentation.ragged import Ragged

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from tandem.training.pairs import Pairs

Indices = NDArray[np.int64]
Values = TypeVar("Values")
"""Arrays of the host, or tensors of a device."""


class Text(NamedTuple, Generic[Values]):
    """Sentences of one language, as an encoder reads them and as a decoder writes them.

    Attributes:
        ids: (tokens,) int64, all sentences one after the other.
        offsets: (sentences + 1,) where each begins.
        inputs: (sentences, steps) the edge and the tokens, filled up with the edge.
        labels: (tokens + sentences,) what follows each of them: the tokens, and the edge.
        places: (tokens + sentences,) of the labels among all inputs, row after row.
        rows: (tokens + sentences,) the sentence of each label.
    """

    ids: Values
    offsets: Values
    inputs: Values
    labels: Values
    places: Values
    rows: Values

    @staticmethod
    def of(sentences: Ragged, edge: int) -> Text[Any]:
        """Return sentences, as arrays, between `edge`, an id beyond the vocabulary."""
        ids, lengths = sentences.ids.astype(np.int64), sentences.lengths()
        rows = np.repeat(np.arange(len(lengths)), lengths + 1)
        ends = np.cumsum(lengths + 1)
        step = np.arange(len(rows)) - np.repeat(ends - lengths - 1, lengths + 1)
        longest = int(lengths.max(initial=0)) + 1
        labels = np.full(len(rows), edge)
        inside = np.ones(len(rows), np.bool_)
        inside[ends - 1] = False
        labels[inside] = ids
        inputs = np.full((len(lengths), longest), edge)
        inputs[rows[inside], step[inside] + 1] = ids
        return Text(ids, sentences.offsets, inputs, labels, rows * longest + step, rows)

    def sent(self, device: str | torch.device) -> Text[Tensor]:
        """Return arrays as tensors of a device, which is not waited for."""
        return Text(*(send(array, device) for array in self))  # type: ignore[arg-type]


def groups(lengths: Indices, tokens: int, random: np.random.Generator) -> list[Indices]:
    """Return numbers of pairs in groups of like lengths of at most `tokens`, filled up, or one.

    `lengths`, (pairs,), are those of the longer sides. Pairs of one length are in a random order,
    and so are the groups; how many groups there are does not depend on the draw.
    """
    order = random.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    sizes = lengths[order] + 1
    parts, start = [], 0
    while start < len(order):
        # the last of a group is its longest
        most = sizes[start : start + max(1, tokens // int(sizes[start]))]
        count = max(1, int((np.arange(1, len(most) + 1) * most <= tokens).sum()))
        parts.append(order[start : start + count])
        start += count
    return [parts[number] for number in random.permutation(len(parts))]


def batches(
    lengths: Indices, tokens: int, parts: int, random: np.random.Generator
) -> list[list[Indices]]:
    """Return batches of at most `tokens`, each of so many `groups`; the last one may have fewer."""
    every = groups(lengths, max(1, tokens // parts), random)
    return [every[first : first + parts] for first in range(0, len(every), parts)]


def longer(pairs: Pairs) -> Indices:
    """Return the length of the longer side of each pair, (pairs,)."""
    return np.maximum(pairs.left.lengths(), pairs.right.lengths())
