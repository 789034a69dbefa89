"""Splits that share no text: not a pair, and not a sentence on either side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tandem.errors import TandemError


class Elsewhere(NamedTuple):
    """Keys of the texts that other corpora hold out in their splits of these names, uint64."""

    test: np.ndarray
    valid: np.ndarray


NOWHERE = Elsewhere(*np.zeros((2, 0), np.uint64))


@dataclass(frozen=True)
class Splits:
    """Positions of each split's pairs in the corpus, int64, in shuffled order; pairs left out."""

    train: np.ndarray
    valid: np.ndarray
    test: np.ndarray
    overlapping: int
    """Pairs left out because one of their sides occurs in another split."""
    surplus: int
    """Pairs left out because the training split has its largest size."""

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
    elsewhere: Elsewhere = NOWHERE,
) -> Splits:
    """Shuffle pairs into train, validation and test splits with no text in common.

    Text is compared by key (case and white space ignored), over both sides at once. The test split
    is drawn first, then validation, from what has no text in the test split; train is the rest
    without pairs that share text with either. For one seed, test and validation do not depend on
    `max_train`, and a smaller training split is the beginning of a larger one. Cost: sorting.

    `left` and `right` are the keys of both sides (`tandem.text.spelling.key`), uint64, (n,).
    `max_train` is the most pairs to train on; None: all. Pairs with a text that another corpus
    holds out, `elsewhere`, are taken first for the same split, each text once, and for no other
    one. TandemError where no pair would be left to train on.
    """
    order = np.random.default_rng(seed).permutation(len(left))
    in_test, in_valid = (np.isin(left, keys) | np.isin(right, keys) for keys in elsewhere)
    test_part, rest = _taken(order, test, in_test, in_valid, (left, right))
    rest = _without(rest, test_part, left, right)
    valid_part, rest = _taken(rest, valid, in_valid, in_test, (left, right))
    train = _without(rest, valid_part, left, right)
    if len(test_part) < test or len(valid_part) < valid or not len(train):
        raise TandemError(
            f"{len(left):,} pairs are too few for {valid:,} validation and {test:,} test pairs "
            "that share no text with the training pairs. Ask for smaller splits (tandem train: "
            "--held-out), or give more text"
        )
    overlapping = len(left) - len(test_part) - len(valid_part) - len(train)
    surplus = 0 if max_train is None else max(len(train) - max_train, 0)
    train = train[: len(train) - surplus]
    return Splits(train, valid_part, test_part, overlapping, surplus)


def _taken(
    order: np.ndarray,
    size: int,
    wanted: np.ndarray,
    unwanted: np.ndarray,
    sides: tuple[np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Take pairs for a split: wanted ones first, unwanted ones never; also return the others.

    Of wanted ones with the same text the first is taken, or short texts that everybody has would
    fill the split; what is left of them is in neither. The masks are (n,).
    """
    free = order[~unwanted[order]]
    first, others = free[wanted[free]], free[~wanted[free]]
    left, right = (np.unique(side[first], return_index=True)[1] for side in sides)
    first = first[np.intersect1d(left, right)]
    drawn = max(size - len(first), 0)
    taken = np.zeros(len(wanted), bool)
    taken[others[:drawn]] = True
    rest = order[~(taken | wanted)[order]]
    return np.concatenate([first[:size], others[:drawn]]), rest


def _without(
    candidates: np.ndarray, taken: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Drop the candidates that have a text in common with `taken`."""
    texts = np.concatenate([left[taken], right[taken]])
    return candidates[~(np.isin(left[candidates], texts) | np.isin(right[candidates], texts))]
