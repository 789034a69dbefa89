"""Splits that share no text: not a pair, and not a sentence on either side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tandem.errors import TandemError

PLACES = {"valid": 1, "test": 2}
"""Numbers of the splits that pairs may have to be in."""


class Elsewhere(NamedTuple):
    """Bare keys (`tandem.text.spelling.bare_key`) of texts that other corpora hold out, uint64.

    In their splits of these names.
    """

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
    elsewhere: Elsewhere = NOWHERE,
    places: np.ndarray | None = None,
    once: bool = False,
    bare: tuple[np.ndarray, np.ndarray] | None = None,
) -> Splits:
    """Shuffle pairs into train, validation and test splits with no text in common.

    Text is compared by key (case and white space ignored), over both sides at once. The test split
    is drawn first, then validation, from what has no text in the test split; train is the rest
    without pairs that share text with either. For one seed, test and validation do not depend on
    `max_train`, and a smaller training split is the beginning of a larger one. Cost: sorting.

    `left` and `right` are the keys of both sides (`tandem.text.spelling.key`), uint64, (n,);
    `max_train` is the most pairs to train on, None: all. Pairs with a text that another corpus
    holds out, `elsewhere`, by `bare`, bare keys like `left` and `right` (None: these), are taken
    first for the same split, each text once, and for no other. `places`, (n,), are numbers in
    `PLACES` of the split that a pair must be in, or 0: a split with such pairs has at most as many
    as asked, and no others; the rest are in none. With `once` no key of a left side is repeated in
    a split that is held out. TandemError where too few would be left.
    """
    rest = np.random.default_rng(seed).permutation(len(left))
    held = [_has(keys, *(bare or (left, right))) for keys in elsewhere]
    surplus, short, parts = 0, False, []
    for name, size, masks in (("test", test, held), ("valid", valid, held[::-1])):
        placed = bool(places is not None and (places == PLACES[name]).any())
        if places is None and not once:
            part, rest = _taken(rest, size, masks[0], masks[1], (left, right))
            taken = part
        else:
            pool = rest if places is None else rest[places[rest] == placed * PLACES[name]]
            part = _drawn(pool, size, left if once else None)
            taken = pool if placed else part
            rest = rest[~np.isin(rest, taken)]
        short |= not len(part) if placed else len(part) < size
        surplus += len(taken) - len(part)
        parts.append(part)
        rest = _without(rest, taken, left, right)
    if short or not len(rest):
        raise _too_few(len(left), valid, test)
    overlapping = len(left) - sum(map(len, parts)) - len(rest) - surplus
    train = rest[:max_train]
    surplus += len(rest) - len(train)
    return Splits(train, parts[1], parts[0], overlapping, surplus)


def with_aside(
    splits: Splits,
    main: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    seed: int,
    elsewhere: Elsewhere = NOWHERE,
) -> Splits:
    """Add pairs that are only trained on to the training split of others, in a new order.

    `main`, bool (n,), is true of the pairs that `splits` are of; `left` and `right`, (n,), are bare
    keys of all. Of the others, those with a text that is held out, here or `elsewhere`, are left
    out; `overlapping` does not count them.
    """
    rows = np.flatnonzero(main)
    train, valid, test = (rows[part] for part in (splits.train, splits.valid, splits.test))
    others = _without(np.flatnonzero(~main), np.concatenate([valid, test]), left, right)
    held = np.concatenate(elsewhere)
    others = others[~_has(held, left[others], right[others])]
    both = np.concatenate([train, others])
    order = np.random.default_rng(seed).permutation(len(both))
    return Splits(both[order], valid, test, splits.overlapping, splits.surplus)


def _has(keys: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tell which pairs have one of the keys on a side, (n,) bool."""
    return np.isin(left, keys) | np.isin(right, keys)


def _drawn(pool: np.ndarray, size: int, keys: np.ndarray | None) -> np.ndarray:
    """Return the first of a pool, at most so many; of pairs with equal `keys`, (n,), the first."""
    if keys is not None:
        pool = pool[np.sort(np.unique(keys[pool], return_index=True)[1])]
    return pool[:size]


def _too_few(pairs: int, valid: int, test: int) -> TandemError:
    return TandemError(
        f"{pairs:,} pairs are too few for {valid:,} validation and {test:,} test pairs that share "
        "no text with the training pairs. Ask for smaller splits (tandem train: --held-out), or "
        "give more text"
    )


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
    return candidates[~_has(texts, left[candidates], right[candidates])]
