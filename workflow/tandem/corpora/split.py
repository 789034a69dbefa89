"""Splits that share no text: not a pair, and not a sentence on either side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tandem.errors import TandemError


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
    left: np.ndarray, right: np.ndarray, valid: int, test: int, seed: int, max_train: int | None
) -> Splits:
    """Shuffle pairs into train, validation and test splits with no text in common.

    Text is compared by key (case and white space ignored), over both sides at once. The test split
    is drawn first, then validation, from what has no text in the test split; train is the rest
    without pairs that share text with either. For one seed, test and validation do not depend on
    `max_train`, and a smaller training split is the beginning of a larger one. Cost: sorting.

    `left` and `right` are the keys of both sides (`tandem.text.spelling.key`), uint64, (n,).
    `max_train` is the most pairs to train on; None: all. TandemError where none would be left.
    """
    order = np.random.default_rng(seed).permutation(len(left))
    test_part, rest = order[:test], order[test:]
    rest, dropped_test = _without(rest, test_part, left, right)
    valid_part, rest = rest[:valid], rest[valid:]
    train, dropped_valid = _without(rest, valid_part, left, right)
    if len(test_part) < test or len(valid_part) < valid or not len(train):
        raise TandemError(
            f"{len(left):,} pairs are too few for {valid:,} validation and {test:,} test pairs "
            "that share no text with the training pairs. Ask for smaller splits (tandem train: "
            "--held-out), add a corpus or loosen the cleaning"
        )
    surplus = 0 if max_train is None else max(len(train) - max_train, 0)
    train = train[: len(train) - surplus]
    return Splits(train, valid_part, test_part, dropped_test + dropped_valid, surplus)


def _without(
    candidates: np.ndarray, taken: np.ndarray, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, int]:
    """Drop the candidates that have a text in common with `taken`; also return how many."""
    texts = np.concatenate([left[taken], right[taken]])
    keep = ~(np.isin(left[candidates], texts) | np.isin(right[candidates], texts))
    return candidates[keep], int(len(candidates) - keep.sum())
