"""What one training step reads: shuffled pairs, mega-batches, dropout masks, scrambled tokens."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from tandem.encoders.encoder import Dropout
from tandem.segmentation.ragged import Ragged, concatenate

Indices = NDArray[np.int64]
_POOL = 1 << 22
_STEPS = 1 << 16


@dataclass(frozen=True)
class Pairs:
    """Segmented pairs of sentences.

    Attributes:
        monolingual: both sides are of one language.
        keys: (pairs,) int64, equal for pairs that say the same, perhaps in other languages; None:
            nothing is known of that.
        passes: (pairs,) how often each is drawn in an epoch, on the average; None: once.
    """

    left: Ragged
    right: Ragged
    monolingual: bool
    keys: NDArray[np.int64] | None = None
    passes: NDArray[np.float32] | None = None

    @cached_property
    def checksum(self) -> int:
        """CRC-32 of all that it holds."""
        found = int(self.monolingual)
        arrays = (v for side in (self.left, self.right) for v in (side.offsets, side.ids))
        for values in (*arrays, self.keys, self.passes):
            if values is not None:
                found = zlib.crc32(np.ascontiguousarray(values).data, found)
        return found

    @cached_property
    def usable(self) -> Indices:
        """The pairs of which both sides have tokens."""
        filled = (self.left.lengths() > 0) & (self.right.lengths() > 0)
        return np.flatnonzero(filled)

    @property
    def longest(self) -> int:
        """The most pairs that an epoch can have."""
        if self.passes is None:
            return len(self.usable)
        return int(self.passes[self.usable].sum(dtype=np.float64)) + 1

    def epoch(self, random: np.random.Generator) -> Indices:
        """Return usable pairs in a random order, each as often as an epoch draws it."""
        drawn = self.usable
        if self.passes is not None:
            # systematic sampling: evenly spaced marks over the sum of passes
            ends = np.cumsum(self.passes[drawn], dtype=np.float64)
            marks = np.floor(ends + random.random()).astype(np.int64)
            drawn = np.repeat(drawn, np.diff(marks, prepend=0))
        return drawn[random.permutation(len(drawn))]

    def sentence_keys(self, rows: Indices, taken: Ragged) -> NDArray[np.int64]:
        """Return keys of `taken`, the sentences of some rows: equal ones translate each other."""
        return sentence_keys(taken) if self.keys is None else np.tile(self.keys[rows], 2)

    def take(self, rows: Indices) -> Ragged:
        """Return the left sentences of the given pairs followed by the right ones."""
        return concatenate([self.left.gather(rows), self.right.gather(rows)])


def generator(*key: int) -> np.random.Generator:
    """Return the random numbers of a place in the run, so that a resumed run draws the same."""
    return np.random.Generator(np.random.SFC64(list(key)))


def sentence_keys(rows: Ragged) -> NDArray[np.int64]:
    """Return (rows,) 64-bit keys, equal for equal rows and (but for chance of 2^-64) only those."""
    lengths = rows.lengths()
    position = np.arange(len(rows.ids)) - np.repeat(rows.offsets[:-1], lengths)
    mixed = (rows.ids.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= (position.astype(np.uint64) * np.uint64(2) + np.uint64(1)) * np.uint64(
        0xBF58476D1CE4E5B9
    )
    mixed ^= mixed >> np.uint64(32)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return (sums[rows.offsets[1:]] - sums[rows.offsets[:-1]]).view(np.int64)


def scramble(rows: Ragged, rate: float, random: np.random.Generator) -> Ragged:
    """Shuffle the tokens of a share `rate` of the sentences (wieting2019, section 2)."""
    if rate == 0:
        return rows
    sentence = np.repeat(np.arange(len(rows)), rows.lengths())
    chosen = random.random(len(rows)) < rate
    place = np.arange(len(rows.ids), dtype=np.float64)
    drawn = random.random(len(rows.ids))
    # within a chosen sentence order by the draw, elsewhere by place
    order = np.lexsort((np.where(chosen[sentence], drawn, place), sentence))
    return Ragged(rows.ids[order], rows.offsets)


class DropoutPool:
    """Draws dropout for token embeddings: 0 with probability `rate`, else 1 / (1 - rate).

    Drawing a million random numbers costs more than the rest of a step, so each token has a window,
    at a random place, of 4 million zeros and ones drawn once.
    """

    def __init__(self, rate: float, dimension: int, seed: int, device: torch.device) -> None:
        """Draw the pool, 4 MB, once."""
        self._places, self._scale = _POOL - dimension, 1 / (1 - rate)
        drawn = generator(seed, 0).integers(0, _STEPS, _POOL, dtype=np.uint16)
        keep = (drawn >= round(rate * _STEPS)).astype(np.uint8)
        self._keep = torch.from_numpy(keep).to(device)

    def draw(self, tokens: int, random: np.random.Generator) -> Dropout:
        """Return the dropout of so many tokens."""
        places = torch.from_numpy(random.integers(0, self._places, tokens))
        return Dropout(self._keep, places.to(self._keep.device), self._scale)
