"""Figures of an autoencoder from what was measured of each sentence, and their bootstrap."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tandem.errors import TandemError
from tandem.tasks.task import Items

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray


def estimate(items: Items, figure: str) -> float:
    """Return a figure: a mean over sentences in nats, or the perplexity of a token."""
    return float(_figure(items, figure, np.ones((1, len(items["tokens"]))))[0])


def draws(systems: Sequence[Items], figure: str, resamples: int, seed: int) -> FloatArray:
    """Bootstrap a figure of several systems on the same sentences: (systems, resamples).

    Raises:
        TandemError: they were measured on different numbers of sentences.
    """
    counts = {len(items["tokens"]) for items in systems}
    if len(counts) > 1:
        raise TandemError("autoencoders were measured on other sentences: measure them again")
    count = counts.pop()
    random = np.random.default_rng([seed, zlib.crc32(figure.encode())])
    times = random.multinomial(count, np.full(count, 1 / count), size=resamples)
    return np.stack([_figure(items, figure, times) for items in systems])


def _figure(items: Items, figure: str, times: np.ndarray) -> FloatArray:
    """Return a figure for each resample, `times` that each sentence is in it, (resamples, n)."""
    if figure == "perplexity":
        return np.exp(times @ items["negative_log_likelihood"] / (times @ items["tokens"]))
    means: FloatArray = times @ items[figure] / times.sum(1)
    return means
