"""Some of many texts, drawn in one pass."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def reservoir(items: Iterable[Item], most: int, seed: int) -> tuple[list[Item], int]:
    """Return at most so many items, drawn by a seed, in their order, and how many there were.

    Vitter (1985, "Random sampling with a reservoir"), algorithm R. Memory: what is drawn.
    """
    size, kept, draw = 0, list[tuple[int, Item]](), random.Random(seed).randrange
    for size, item in enumerate(items, start=1):
        if size <= most:
            kept.append((size, item))
        elif (place := draw(size)) < most:
            kept[place] = size, item
    return [item for _, item in sorted(kept, key=lambda entry: entry[0])], size
