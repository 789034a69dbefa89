"""Segmented pairs of sentences, the text of a training."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem.corpora.bitext import meanings
from tandem.files.io import read_json
from tandem.segmentation import ragged
from tandem.segmentation.collection import KINDS
from tandem.segmentation.ragged import Ragged, concatenate, joined
from tandem.segmentation.segmentation import side_language
from tandem.text import language_of

Indices = NDArray[np.int64]
TOGETHER = 8
"""Most pairs of a group."""


@dataclass(frozen=True)
class Pairs:
    """Segmented pairs of sentences.

    Attributes:
        monolingual: both sides are of one language.
        keys: (pairs,) int64, equal for pairs that mean the same, perhaps in other languages, or
            (2, pairs), equal for sentences that do, of either side; None: none are known.
        passes: (pairs,) how often each is drawn in an epoch, on average; None: once.
        labels: (pairs,) int8, 1 where both sides mean the same and 0 where not; None: all do.
        languages: codes of both sides, as a segmenter has them, where all pairs have the same.
        groups: (pairs,) int64, equal for pairs that stand beside each other in every epoch; None:
            each is shuffled by itself.
    """

    left: Ragged
    right: Ragged
    monolingual: bool
    keys: NDArray[np.int64] | None = None
    passes: NDArray[np.float32] | None = None
    labels: NDArray[np.int8] | None = None
    languages: tuple[str, ...] = ()
    groups: Indices | None = None

    @cached_property
    def checksum(self) -> int:
        """CRC-32 of all that it holds."""
        checksum = int(self.monolingual)
        arrays = (v for side in (self.left, self.right) for v in (side.offsets, side.ids))
        for values in (*arrays, self.keys, self.passes, self.labels):
            if values is not None:
                checksum = zlib.crc32(np.ascontiguousarray(values).data, checksum)
        return checksum

    @cached_property
    def usable(self) -> Indices:
        """The pairs with tokens on both sides."""
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
        order = drawn[random.permutation(len(drawn))]
        if self.groups is None:
            return order
        ranks = random.permutation(self.groups.max(initial=-1) + 1)
        return order[np.argsort(ranks[self.groups[order]], kind="stable")]

    def grouped(self) -> Pairs:
        """Keep pairs that share a sentence together, directly or by way of others.

        At most `TOGETHER` of them: a sentence of a thousand pairs would fill whole batches.
        """
        sides = np.split(sentence_keys(concatenate([self.left, self.right])), 2)
        linked = meanings(*sides)
        order = np.argsort(linked, kind="stable")
        first = np.searchsorted(linked[order], linked[order])
        groups = np.empty(len(linked), np.int64)
        groups[order] = (np.arange(len(linked)) - first) // TOGETHER
        _, groups = np.unique(np.stack([linked, groups]), axis=1, return_inverse=True)
        return replace(self, groups=groups.ravel())

    def sentence_keys(self, rows: Indices, taken: Ragged) -> NDArray[np.int64]:
        """Return keys of `taken`, the sentences of some rows: equal ones translate each other."""
        stored = self.stored_keys(rows)
        return sentence_keys(taken) if stored is None else stored

    def stored_keys(self, rows: Indices) -> NDArray[np.int64] | None:
        """Return the keys of the left sentences of some rows, then of the right ones, if any."""
        if self.keys is None:
            return None
        return np.broadcast_to(self.keys, (2, len(self.left)))[:, rows].ravel()

    def some(self, rows: Indices) -> Pairs:
        """Return some of the pairs, as pairs."""
        names = ("keys", "passes", "labels", "groups")
        arrays = {name: getattr(self, name) for name in names}
        some: dict[str, Any] = {k: a[..., rows] for k, a in arrays.items() if a is not None}
        return replace(self, left=self.left.gather(rows), right=self.right.gather(rows), **some)

    def joined(self) -> Pairs:
        """Return pairs whose sides are both sentences as one, in either order."""
        left, right = joined(self.left, self.right), joined(self.right, self.left)
        return replace(self, left=left, right=right)

    def take(self, rows: Indices) -> Ragged:
        """Return the left sentences of the given pairs followed by the right ones."""
        return concatenate([self.left.gather(rows), self.right.gather(rows)])


class Span(NamedTuple):
    """Pairs `start` to `end` in an epoch's order of the text of this number."""

    text: int
    start: int
    end: int


def distinct(rows: Ragged) -> tuple[Indices, Indices]:
    """Return the first row of each spelling, and for every row the number of its spelling."""
    _, first, numbers = np.unique(sentence_keys(rows), return_index=True, return_inverse=True)
    return first, numbers


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


def load_pairs(folder: str | Path, split: str, sides: Sequence[str]) -> Pairs:
    """Map the pairs of a segmented split into memory, with their keys where it has any."""
    left, right = ragged.load_sides(folder, split, sides)
    file = Path(folder) / f"{split}.keys.npy"
    keys = ragged.load_array(file, (np.int64,)) if file.exists() else None
    first, second = map(language_of, sides)
    return Pairs(left, right, first == second, keys, languages=tuple(map(side_language, sides)))


def load_collection(folder: str | Path, pools: str = "mixed") -> list[Pairs]:
    """Map the segmented pairs of a collection into memory: those of two languages, then of one.

    Each text returned has separate mega-batches: `pools` is mixed, or source for one text of each
    corpus.
    """
    texts, folder = [], Path(folder)
    parts = read_json(folder / "parts.json")["parts"]
    for kind in KINDS:
        left, right = ragged.load_sides(folder, kind, ("left", "right"))
        keys = ragged.load_array(folder / f"{kind}.keys.npy", (np.int64,))
        passes = ragged.load_array(folder / f"{kind}.passes.npy", (np.float32,))
        sizes = Counter[str]()
        for part in (part for part in parts if part["kind"] == kind):
            sizes[part["source"] if pools == "source" else ""] += part["pairs"]
        ends = np.cumsum([0, *sizes.values()])
        for start, end in pairwise(ends.tolist()):
            sides = left.part(start, end), right.part(start, end)
            texts.append(Pairs(*sides, kind == KINDS[1], keys[start:end], passes[start:end]))
    return texts


def load_labelled(folder: str | Path, split: str) -> Pairs:
    """Map the labelled pairs of a split into memory, as they are."""
    left, right = ragged.load_sides(folder, split, ("left", "right"))
    names = ("left.keys", "right.keys", "labels")
    arrays = (ragged.load_array(Path(folder) / f"{split}.{n}.npy", (np.int64,)) for n in names)
    *keys, labels = arrays
    return Pairs(left, right, False, np.stack(keys), labels=labels.astype(np.int8))


def load_texts(folder: str | Path, sides: Sequence[str], pools: str) -> list[Pairs]:
    """Map the training pairs into memory: a bitext's, or without `sides` what the folder has."""
    if (Path(folder) / "train.labels.npy").exists():
        return [load_labelled(folder, "train")]
    return [load_pairs(folder, "train", sides)] if sides else load_collection(folder, pools)
