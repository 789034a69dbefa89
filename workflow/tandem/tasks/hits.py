"""Which sentences found their translation first, kept so that encoders can be compared."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tandem.io import atomic_path
from tandem.statistics.correlation import FloatArray

Hits = dict[str, np.ndarray]
"""`<side>-<other side>` to which sentences of the one found theirs in the other, bool (n,)."""


def hit_draws(systems: Sequence[np.ndarray], resamples: int, seed: int) -> FloatArray:
    """Bootstrap P@1 (not x 100) of systems, each bool (n,), on the same resampled sentences.

    Equal n and seed give the same resamples, in this call and in any other.

    Returns:
        (systems, resamples).
    """
    table = np.stack(systems, axis=1).astype(np.float64)
    n = len(table)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), resamples)
    return (times @ table).T / n


def write_hits(path: str | Path, hits: Hits) -> None:
    """Write hits as `.npz`, an array for each direction."""
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in hits.items():
            # an explicit entry has a fixed date: same bytes
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def read_hits(path: str | Path) -> Hits:
    """Read what `write_hits` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
