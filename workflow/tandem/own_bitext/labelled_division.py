"""Labelled pairs in parts: what is trained on, and what is held out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tandem.corpora.families import Keys
from tandem.corpora.labelled_files import LabelledText
from tandem.errors import InputError
from tandem.text.amounts import amount

LEAST = 40
"""Fewest pairs with texts of their own that can be divided."""


def divided(
    pairs: Sequence[LabelledText], held_out: int, seed: int, place: str = "the pairs"
) -> dict[str, list[LabelledText]]:
    """Divide pairs into parts without a sentence in common: train, valid, calibration, test.

    At most `held_out` pairs are in each of the last three, and at most a tenth of all. Where
    sentences are shared so widely that this cannot be, as by negatives that are mined, parts have
    no first sentence and no paraphrase of one in common, and what is trained on has no sentence of
    a pair that is held out. `place` is where they are from, in messages.

    Raises:
        InputError: there are too few, or a part has one label alone.
    """
    most = min(held_out, len(pairs) // 10)
    groups = _together(pairs, by_negatives=True)
    apart = sum(len(group) for group in groups if len(group) <= most) >= len(pairs) // 2
    if not apart:
        groups = _together(pairs, by_negatives=False)
    if len(groups) < LEAST:
        problem = (
            f"{amount(len(pairs), 'labelled pair')} in {amount(len(groups), 'group')} without a "
            f"sentence in common, and at least {LEAST} groups are needed: some are held out"
        )
        raise InputError(place, None, problem, "Give pairs of more different sentences")
    parts: dict[str, list[LabelledText]] = {
        name: [] for name in ("valid", "calibration", "test", "train")
    }
    for number in np.random.default_rng(seed).permutation(len(groups)):
        group = groups[number]
        fits = (n for n in parts if n != "train" and len(parts[n]) + len(group) <= most)
        parts[next(fits, "train")] += group
    if not apart:
        held = {text for name in parts if name != "train" for p in parts[name] for text in sides(p)}
        parts["train"] = [pair for pair in parts["train"] if held.isdisjoint(sides(pair))]
    for name, part in parts.items():
        if len({pair.label for pair in part}) < 2:
            problem = f"all {len(part):,} pairs of the part {name} have the same label"
            raise InputError(place, None, problem, "Give pairs of both labels, and more of them")
    return parts


def sides(pair: LabelledText) -> tuple[str, str]:
    """Return both sentences in lower case, as `Keys` compares them."""
    return pair.first.lower(), pair.second.lower()


def _together(pairs: Sequence[LabelledText], by_negatives: bool) -> list[list[LabelledText]]:
    """Return the groups of `_numbers`, in the order of their first pairs."""
    groups: dict[int, list[LabelledText]] = {}
    for pair, number in zip(pairs, _numbers(pairs, by_negatives).tolist(), strict=True):
        groups.setdefault(number, []).append(pair)
    return list(groups.values())


def _numbers(pairs: Sequence[LabelledText], by_negatives: bool) -> np.ndarray:
    """Return the number of each pair's group, (pairs,): their first sentences say the same.

    By negatives: also those that share any sentence, be it through others.
    """
    keys = Keys()
    for pair in pairs:
        if pair.label or by_negatives:
            keys.join(pair.first, pair.second)
    return np.array([keys[pair.first] for pair in pairs], np.int64)


def group_numbers(pairs: Sequence[LabelledText]) -> np.ndarray:
    """Return the number of each pair's group, from 0 on, (pairs,): they share sentences.

    Be it through others; where that makes one group of more than half of the pairs, as by negatives
    that are mined, those whose first sentences say the same are a group.
    """
    numbers = _numbers(pairs, by_negatives=True)
    if 2 * np.bincount(numbers).max() > len(pairs):
        numbers = _numbers(pairs, by_negatives=False)
    return numbers


def shuffled(pairs: Sequence[LabelledText]) -> list[LabelledText]:
    """Return pairs in an order that is drawn, always the same for as many."""
    return [pairs[number] for number in np.random.default_rng(1).permutation(len(pairs))]
