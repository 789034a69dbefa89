"""Text in batches of bounded memory, however long its lines are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from tandem.text import Pair

Item = TypeVar("Item")

CHARACTERS = 1 << 21
"""Most characters of a batch: to segment them takes about 30 bytes for each. A thousand sentences
have a tenth of these."""


def batches(
    items: Iterable[Item], most: int, characters: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Yield the items in lists of at most `most`, and of at most CHARACTERS or a single item.

    `characters` counts those of an item.
    """
    batch: list[Item] = []
    total = 0
    for item in items:
        size = characters(item)
        if batch and total + size > CHARACTERS:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size
        if len(batch) == most:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def of_pair(pair: Pair) -> int:
    """Return the characters of both sides."""
    return len(pair[0]) + len(pair[1])
