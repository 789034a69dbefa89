"""How many CPU threads the arithmetic of a block may use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Use `count` threads inside the block, and what was set before after it."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
