"""Sentences as rows of a matrix, filled up to the longest: how a GPU reads them in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tandem.encoders.encoder import Room, Tokens
from tandem.machine import send

if TYPE_CHECKING:
    from tandem.encoders.composition import Composition

Indices = NDArray[np.int64]
PADDED = 1 << 19
"""Tokens, with those that fill rows up, that are composed at a time without training."""
FEWEST = 1 << 11
"""The same where a card is so full that it is no use to try with fewer."""


def blocks(lengths: Tensor, most: int) -> Iterator[Tensor]:
    """Yield the numbers of the sentences that are not empty, those of like lengths together.

    A block, padded to its longest sentence, has at most `most` tokens, or is one sentence. The
    smaller it is, the less of it is padding.
    """
    order = torch.argsort(lengths, descending=True, stable=True)
    order = order[: int((lengths > 0).sum())]
    while len(order):
        count = max(1, most // int(lengths[order[0]]))
        yield order[:count]
        order = order[count:]


class Rows(NamedTuple):
    """Where the tokens of sentences stand.

    Attributes:
        places: (sentences, longest), 0 beyond a sentence's end.
        inside: (sentences, longest), whether there is a token.
    """

    places: Tensor
    inside: Tensor

    @classmethod
    def of(cls, offsets: Tensor, longest: int) -> Rows:
        """Return those of sentences that begin at these places, (sentences + 1,)."""
        places = offsets[:-1, None] + torch.arange(longest, device=offsets.device)
        inside = places < offsets[1:, None]
        return cls(torch.where(inside, places, 0), inside)

    def embedded(self, tokens: Tokens) -> Tensor:
        """Return the embeddings, (sentences, longest, dimension), with dropout."""
        embedded = functional.embedding(tokens.ids[self.places], tokens.table)
        if tokens.dropout is None:
            return embedded
        dropout = tokens.dropout._replace(places=tokens.dropout.places[self.places])
        return embedded * dropout.factors(tokens.table.shape[1])

    def means(self, values: Tensor) -> Tensor:
        """Return the mean of each sentence's values, (sentences, width); zeros without any."""
        inside = self.inside.unsqueeze(2)
        return (values * inside).sum(1) / inside.sum(1).clamp(min=1)


def parts_by_length(lengths: Indices, most: int = PADDED) -> Iterator[tuple[Indices, int]]:
    """Yield the numbers of sentences of like lengths, and the longest length of each part.

    Filled up to its longest sentence, a part has at most `most` tokens, or is one sentence.
    """
    order = np.argsort(-lengths, kind="stable")
    first = 0
    while first < len(order):
        longest = int(lengths[order[first]])
        last = first + max(1, most // max(1, longest))
        yield order[first:last], longest
        first = last


def composed_on_gpu(
    composition: Composition, table: Tensor, ids: Indices, offsets: Indices
) -> Tensor:
    """Return the vectors of sentences, (sentences, width), on the device of the table.

    `ids`, (tokens,), and `offsets`, (sentences + 1,), are on the host. A card that has no room for
    `PADDED` tokens gets fewer at a time.
    """
    most = PADDED
    while True:
        try:
            return _composed(composition, table, ids, offsets, most)
        except torch.OutOfMemoryError:
            if most <= FEWEST:
                raise
        most //= 4
        torch.cuda.empty_cache()


def _composed(
    composition: Composition, table: Tensor, ids: Indices, offsets: Indices, most: int
) -> Tensor:
    words = composition.encoder.words
    lengths, starts = np.diff(offsets), offsets[:-1]
    sizes = np.diff(np.append(0, np.cumsum(ids == 0))[offsets]) if words else lengths
    order, vectors = [], []
    for rows, longest in parts_by_length(sizes, most):
        if not longest:  # these and all after them have no token
            order.append(rows)
            vectors.append(table.new_zeros(len(rows), composition.encoder.width))
            continue
        ends = np.append(0, lengths[rows].cumsum())
        tokens = np.arange(ends[-1]) + np.repeat(starts[rows] - ends[:-1], lengths[rows])
        read, bounds = (send(array, table.device) for array in (ids[tokens], ends))
        room = Room(longest, int(sizes[rows].sum())) if composition.encoder.fixed_shapes else None
        vectors.append(composition(Tokens(table, read, bounds, None, room)))
        order.append(rows)
    if not order:
        return table.new_zeros(0, composition.encoder.width)
    joined, places = torch.cat(vectors), send(np.concatenate(order), table.device)
    return torch.empty_like(joined).index_copy_(0, places, joined)
