"""Large tables in blocks of rows, of which one is held at a time."""

from __future__ import annotations

from collections.abc import Iterator

BLOCK_ELEMENTS = 1 << 21
"""Values held at once (16 MiB as float64): bounds memory, never changes a number."""


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Cut `rows` rows of `width` values into blocks of bounded size."""
    step = max(1, BLOCK_ELEMENTS // width)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
