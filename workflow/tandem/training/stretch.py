"""Consecutive pools of pairs: read on the host ahead of use, and held on a GPU while it uses them.

What a GPU is told in numbers, such as how many tokens a batch has, it would have to be waited for:
so arrays there are made of the next larger of a few sizes, and what is beyond the end is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tandem.encoders.encoder import Room
from tandem.machine import send
from tandem.segmentation.ragged import Ragged, concatenate
from tandem.training.pairs import Indices, Pairs, Span

PAIRS = 1 << 15
"""Fewest pairs that are sent at a time."""


class Stretch(NamedTuple):
    """The text of consecutive pools, on the host.

    Attributes:
        rows: sentences.
        marks: (rows,) how many words each has; empty where they are not grouped.
        sentences: numbers of the first pool's left sentences, its right ones, and so on.
        bounds: (pools + 1,) where the sentences of each pool begin.
        lengths, sizes: of these sentences, in tokens, and in words where tokens are grouped.
        keys: of the left sentences of each pool and then its right ones, where the text has them.
        labels: of the pairs of each pool, where the text has them.
    """

    pools: list[Span]
    rows: Ragged
    marks: Indices
    sentences: Indices
    bounds: Indices
    lengths: Indices
    sizes: Indices
    keys: list[Indices | None]
    labels: list[NDArray[np.int8] | None]

    def rooms(self) -> list[tuple[int, Room]]:
        """Return what room each pool needs, tokens and more: as much as others of its size."""
        counts, starts = np.diff(self.bounds), self.bounds[:-1]
        needs = np.stack([
            np.add.reduceat(self.lengths, starts),
            np.maximum.reduceat(self.sizes, starts),
            np.add.reduceat(self.sizes, starts),
        ])  # fmt: skip
        for count in np.unique(counts):
            alike = counts == count
            needs[:, alike] = needs[:, alike].max(1, keepdims=True)
        return [room_for(*need) for need in needs.T.tolist()]


def room_for(tokens: int, longest: int, words: int) -> tuple[int, Room]:
    """Return numbers of tokens and of words that are at least these: a few cover all."""
    return rounded(tokens), Room(-8 * (-longest // 8), rounded(words))


def rounded(number: int) -> int:
    """Return the next multiple of an eighth of the power of two below a number."""
    step = max(1, (1 << max(number - 1, 1).bit_length()) // 16)
    return -step * (-number // step)


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
    marks = np.zeros(0, np.int64)
    if words:
        marks = np.diff(np.append(0, np.cumsum(joined.ids == 0))[joined.offsets])
    lengths = joined.lengths()[numbers]
    pairs = [(texts[span.text], orders[span.text][span.start : span.end]) for span in pools]
    keys = [text.stored_keys(rows) for text, rows in pairs]
    labels = [None if text.labels is None else text.labels[rows] for text, rows in pairs]
    bounds = np.append(0, np.cumsum([2 * len(rows) for _, rows in pairs]))
    sizes = marks[numbers] if words else lengths
    return Stretch(pools, joined, marks, numbers, bounds, lengths, sizes, keys, labels)


class Shelf:
    """The text of a stretch on a GPU, where the text of the next one will be too.

    Attributes:
        ids: (tokens,) int32, of all sentences, and perhaps more.
        offsets: (sentences + 1,), and perhaps more.
        marks: (sentences,) words of each, where they are grouped.
    """

    def __init__(self, device: torch.device) -> None:
        self.ids = torch.zeros(0, dtype=torch.int32, device=device)
        self.offsets = self.marks = torch.zeros(0, dtype=torch.int64, device=device)

    def put(self, stretch: Stretch) -> bool:
        """Replace the text; return whether it is at another place, since it needs more room."""
        ids, offsets = stretch.rows.ids.astype(np.int32), stretch.rows.offsets
        arrays: dict[str, NDArray[Any]] = {"ids": ids, "offsets": offsets, "marks": stretch.marks}
        moved = False
        for name, array in arrays.items():
            shelf: Tensor = getattr(self, name)
            if len(shelf) < len(array):
                shelf, moved = shelf.new_zeros(rounded(len(array) + len(array) // 4)), True
                setattr(self, name, shelf)
            shelf[: len(array)].copy_(send(array, shelf.device))
        return moved

    def gather(self, sentences: Tensor, room: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return the ids of some sentences, where each begins, and which each token is of.

        Shapes are (room,), (sentences + 1,) and (room,); after the last sentence ids are 0, of a
        sentence after the last.
        """
        starts = self.offsets[sentences]
        offsets = functional.pad((self.offsets[sentences + 1] - starts).cumsum(0), (1, 0))
        tokens = torch.arange(room, device=sentences.device)
        rows = torch.searchsorted(offsets[1:], tokens, right=True)
        inside = rows < len(sentences)
        among = rows.clamp(max=len(sentences) - 1)
        places = tokens + (starts - offsets[:-1])[among]
        ids = torch.where(inside, self.ids[torch.where(inside, places, 0)], 0)
        return ids, offsets, rows

    def needs(self, batches: Sequence[Tensor]) -> Tensor:
        """Return what the largest of some batches, each (batches, sentences), needs room for.

        These are three numbers, of tokens, of tokens or words in a sentence, and of all of these.
        """
        most = []
        for sentences in batches:
            tokens = self.offsets[sentences + 1] - self.offsets[sentences]
            sizes = self.marks[sentences] if len(self.marks) else tokens
            most.append(torch.stack([tokens.sum(-1).max(), sizes.max(), sizes.sum(-1).max()]))
        return torch.stack(most).amax(0)


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
