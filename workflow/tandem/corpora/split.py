"""Splits that share no text: not a pair, and not a sentence on either side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tandem.errors import TandemError

PLACES = {"valid": 1, "test": 2}
"""Numbers of the splits that pairs may have to be in."""


@dataclass(frozen=True)
class Splits:
    """Positions of each split's pairs in the corpus, int64, in shuffled order; pairs left out."""

    train: np.ndarray
    valid: np.ndarray
    test: np.ndarray
    overlapping: int
    """Pairs left out because one of their sides occurs in another split."""
    surplus: int
    """Pairs left out because their split has its largest size."""

    def report(self) -> dict[str, int]:
        """Return the counts as written to `splits.json`."""
        counts = {name: len(getattr(self, name)) for name in ("train", "valid", "test")}
        return counts | {"dropped_overlapping": self.overlapping, "dropped_surplus": self.surplus}


def split_pairs(
    left: np.ndarray,
    right: np.ndarray,
    valid: int,
    test: int,
    seed: int,
    max_train: int | None,
    places: np.ndarray | None = None,
    once: bool = False,
) -> Splits:
    """Shuffle pairs into train, validation and test splits with no text in common.

    Text is compared by key (case and white space ignored), over both sides at once. The test split
    is drawn first, then validation, from what has no text in the test split; train is the rest
    without pairs that share text with either. For one seed, test and validation do not depend on
    `max_train`, and a smaller training split is the beginning of a larger one. Cost: sorting.

    `left` and `right` are the keys of both sides (`tandem.text.spelling.key`), uint64, (n,).
    `max_train` is the most pairs to train on; None: all. `places`, (n,), is the number in `PLACES`
    of the split that a pair must be in, or 0: a split with such pairs has at most as many as asked,
    and no others; the rest of them are in none. With `once` a key of a left side is not repeated in
    validation, nor in test. TandemError where too few pairs would be left.
    """
    rest = np.random.default_rng(seed).permutation(len(left))
    parts, overlapping, surplus, short = {}, 0, 0, False
    for name, size in (("test", test), ("valid", valid)):
        placed = places is not None and bool((places == PLACES[name]).any())
        wanted = PLACES[name] if placed else 0
        pool = rest if places is None else rest[places[rest] == wanted]
        drawn = pool
        if once:
            drawn = pool[np.sort(np.unique(left[pool], return_index=True)[1])]
        parts[name] = drawn[:size]
        short |= not len(drawn) if placed else len(drawn) < size
        taken = pool if placed else parts[name]
        surplus += len(taken) - len(parts[name])
        rest, dropped = _without(rest[~np.isin(rest, taken)], taken, left, right)
        overlapping += dropped
    if short or not len(rest):
        raise _too_few(len(left), valid, test)
    train = rest if max_train is None else rest[:max_train]
    surplus += len(rest) - len(train)
    return Splits(train, parts["valid"], parts["test"], overlapping, surplus)


def _too_few(pairs: int, valid: int, test: int) -> TandemError:
    problem = f"{pairs:,} pairs are too few for {valid:,} validation and {test:,} test pairs"
    remedy = "Ask for smaller splits (tandem train: --held-out), add a corpus or loosen"
    shared = "that share no text with the training pairs"
    return TandemError(f"{problem} {shared}. {remedy} the cleaning")


def _without(
    candidates: np.ndarray, taken: np.ndarray, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, int]:
    """Drop the candidates that have a text in common with `taken`; also return how many."""
    texts = np.concatenate([left[taken], right[taken]])
    keep = ~(np.isin(left[candidates], texts) | np.isin(right[candidates], texts))
    return candidates[keep], int(len(candidates) - keep.sum())
