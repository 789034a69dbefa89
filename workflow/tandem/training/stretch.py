"""Pools of pairs on a GPU: their ids are read ahead of use, and numbered where they are used.

How many tokens and types a batch has must be known before its arrays can be cut: that is asked of
the GPU once for many batches, never in a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tandem.encoders.encoder import Dropout, Sizes, Tokens
from tandem.machine import send
from tandem.segmentation.ragged import Ragged, concatenate
from tandem.training.pairs import Indices, Pairs, Span

PAIRS = 1 << 15
"""Fewest pairs that are sent at a time."""


class Stretch(NamedTuple):
    """The text of consecutive pools, on the host.

    Attributes:
        rows: sentences.
        sentences: numbers of these: of the first pool's left ones, its right ones, and so on.
        sizes: of them, in this order.
        keys, labels: of the pairs of each pool, where the text has them.
    """

    pools: list[Span]
    rows: Ragged
    sentences: Indices
    sizes: Sizes
    keys: list[Indices | None]
    labels: list[Indices | None]


def read_stretch(
    texts: Sequence[Pairs], orders: Sequence[Indices], pools: list[Span], words: bool
) -> Stretch:
    """Read the pairs of consecutive pools; `words`: the token 0 begins a word."""
    parts, sentences, base = [], [], 0
    runs = np.flatnonzero(np.diff([span.text for span in pools], prepend=-1, append=-1))
    for first, last in zip(runs[:-1], runs[1:], strict=True):  # runs of pools of one text
        run, text = pools[first:last], texts[pools[first].text]
        begin = run[0].start
        rows = orders[run[0].text][begin : run[-1].end]
        parts += [text.left.gather(rows), text.right.gather(rows)]
        for span in run:
            left = np.arange(base + span.start - begin, base + span.end - begin)
            sentences += [left, left + len(rows)]
        base += 2 * len(rows)
    joined, numbers = concatenate(parts), np.concatenate(sentences)
    pairs = [(texts[span.text], orders[span.text][span.start : span.end]) for span in pools]
    keys = [None if text.keys is None else text.keys[rows] for text, rows in pairs]
    labels = [None if text.labels is None else text.labels[rows] for text, rows in pairs]
    sizes = Sizes.count(joined.ids, joined.offsets, words).take(numbers)
    return Stretch(pools, joined, numbers, sizes, keys, labels)


class Batches:
    """The sentences of batches on a device, with the types of each batch numbered.

    Attributes:
        types: rows of the table, those of each batch after those of another, rising in it.
        ids: (tokens,) the number of each token's type in its batch.
        offsets: (sentences + batches,) where the sentences of a batch begin in it, and its end.
        sizes: of the sentences.
        sentence_bounds, token_bounds, type_bounds: (batches + 1,) where batches begin.
    """

    def __init__(
        self,
        ids: Tensor,
        offsets: Tensor,
        sentences: Tensor,
        sizes: Sizes,
        counts: NDArray[np.int64],
        vocabulary: int,
    ) -> None:
        """Gather sentences on their device and number their types, which waits for it once.

        Args:
            ids, offsets: of the sentences to choose from, as `Ragged` has them.
            sentences: numbers of those to gather, batch after batch.
            sizes: of these.
            counts: how many sentences each batch has.
            vocabulary: number of types.
        """
        device, batches = ids.device, len(counts)
        self.sizes = sizes
        self.sentence_bounds = np.append(0, counts.cumsum())
        ends_on_host = np.append(0, sizes.tokens.cumsum())
        self.token_bounds = ends_on_host[self.sentence_bounds]
        lengths = offsets.diff()[sentences]
        ends = lengths.cumsum(0)
        starts = ends - lengths
        every = torch.arange(len(sentences), device=device)
        row = every.repeat_interleave(lengths, output_size=int(ends_on_host[-1]))
        tokens = torch.arange(len(row), device=device)
        gathered = ids[tokens + (offsets[sentences] - starts)[row]].long()
        sent = send(counts, device)
        batch = torch.arange(batches, device=device)
        batch = batch.repeat_interleave(sent, output_size=len(sentences))
        last = ends[sent.cumsum(0) - 1]  # of the tokens of each batch
        first = functional.pad(last, (1, 0))[:-1]
        key, order = (batch[row] * vocabulary + gathered).sort(stable=True)
        number = functional.pad((key[1:] != key[:-1]).long(), (1, 0)).cumsum(0)
        type_ends = number[last - 1] + 1
        type_starts = functional.pad(type_ends, (1, 0))[:-1]
        numbered = number - type_starts[key // vocabulary]
        self.ids = torch.empty_like(numbered).index_copy_(0, order, numbered)
        self.offsets = starts.new_empty(len(sentences) + batches)
        self.offsets.index_copy_(0, every + batch, starts - first[batch])
        self.offsets.index_copy_(0, sent.cumsum(0) + torch.arange(batches, device=device), last - first)
        self.type_bounds = [0, *type_ends.tolist()]
        distinct = torch.arange(self.type_bounds[-1], device=device)
        self.types = key[torch.searchsorted(number, distinct)] % vocabulary

    def batch_types(self, number: int) -> Tensor:
        """Return the types of a batch."""
        return self.types[self.type_bounds[number] : self.type_bounds[number + 1]]

    def tokens_in(self, number: int) -> int:
        """Return how many tokens a batch has."""
        return int(self.token_bounds[number + 1] - self.token_bounds[number])

    def tokens(self, number: int, values: Tensor, dropout: Dropout | None = None) -> Tokens:
        """Return the tokens of a batch; `values` are the rows of its types."""
        first, end = self.sentence_bounds[number : number + 2]
        ids = self.ids[self.token_bounds[number] : self.token_bounds[number + 1]]
        offsets = self.offsets[first + number : end + number + 1]
        return Tokens(values, ids, offsets, dropout, self.sizes.take(slice(first, end)))


def keys_of(ids: Tensor, offsets: Tensor) -> Tensor:
    """Return what `pairs.sentence_keys` does; `ids` is (tokens,) int64, `offsets` (rows + 1,)."""
    places = torch.arange(len(ids), device=ids.device)
    starts = offsets[:-1].repeat_interleave(offsets.diff(), output_size=len(ids))
    mixed = (ids + 1) * _signed(0x9E3779B97F4A7C15)
    mixed ^= (mixed >> 29) & ((1 << 35) - 1)  # a shift of unsigned numbers
    mixed *= ((places - starts) * 2 + 1) * _signed(0xBF58476D1CE4E5B9)
    mixed ^= (mixed >> 32) & ((1 << 32) - 1)
    sums = functional.pad(mixed.cumsum(0), (1, 0))
    return sums[offsets[1:]] - sums[offsets[:-1]]


def _signed(number: int) -> int:
    """Return the int64 that has the bits of this uint64."""
    return number - (1 << 64)


def parts_of(tokens: Tokens, most: int) -> list[Tokens]:
    """Divide sentences into parts of about `most` tokens, or of one sentence."""
    assert tokens.sizes is not None
    ends = np.append(0, tokens.sizes.tokens.cumsum())
    bounds = np.unique(np.searchsorted(ends, np.arange(0, ends[-1] + most, most)))
    bounds[-1] = len(ends) - 1
    if len(bounds) == 2:
        return [tokens]
    parts = []
    for first, end in zip(bounds[:-1], bounds[1:], strict=True):
        offsets = tokens.offsets[first : end + 1]
        ids = tokens.ids[ends[first] : ends[end]]
        sizes = tokens.sizes.take(slice(first, end))
        parts.append(Tokens(tokens.table, ids, offsets - offsets[0], None, sizes))
    return parts
