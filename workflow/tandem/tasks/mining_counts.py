"""What each source sentence adds to the F1 of mining, kept so that ways to mine can be compared.

Two of them are then compared on the same resampled sentences later, without searching again.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tandem.errors import TandemError
from tandem.io import atomic_path
from tandem.statistics.correlation import FloatArray

_BLOCK = 1 << 22


@dataclass(frozen=True)
class SourceCounts:
    """What each of n source sentences adds to the F1 of m methods.

    `correct` and `proposed` are (m, n) int64, pairs at or above each method's threshold; `gold` is
    (n,) int64.
    """

    correct: np.ndarray
    proposed: np.ndarray
    gold: np.ndarray


def f1_draws(systems: Sequence[SourceCounts], resamples: int, seed: int) -> FloatArray:
    """Bootstrap F1 x 100 of several systems under the same resampled source sentences.

    As `bootstrap_f1`: the sentences resampled are those that add to the F1 of some method, and
    equal ones are drawn together.

    Returns:
        (systems, methods, resamples).

    Raises:
        TandemError: when the systems mined different tasks.
    """
    gold = systems[0].gold
    if any(not np.array_equal(system.gold, gold) for system in systems):
        raise TandemError("the systems to compare mined different tasks: mine one with all again")
    columns = [part for s in systems for pair in zip(s.correct, s.proposed, strict=True)
               for part in pair]  # fmt: skip
    table = np.stack([*columns, gold], axis=1)
    table = table[table.any(axis=1)]
    shape = (len(systems), len(systems[0].correct), resamples)
    if not len(table):
        return np.zeros(shape)
    kinds, sizes = np.unique(table, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    step = max(1, _BLOCK // len(kinds))
    drawn = np.concatenate(
        [
            rng.multinomial(len(table), sizes / len(table), min(step, resamples - start)) @ kinds
            for start in range(0, resamples, step)
        ]
    )
    right, all_proposed = drawn[:, 0:-1:2], drawn[:, 1:-1:2]
    f1 = 200 * right / np.maximum(all_proposed + drawn[:, -1:], 1)
    return f1.T.reshape(shape)


def write_counts(path: str | Path, counts: SourceCounts) -> None:
    """Write counts as `.npz`: correct, proposed (methods, sentences), gold (sentences,)."""
    with atomic_path(path) as temporary:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in asdict(counts).items():
                # an explicit entry has a fixed date: same bytes
                entry = zipfile.ZipInfo(f"{name}.npy")
                entry.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(entry, "w") as stream:
                    np.lib.format.write_array(stream, array, allow_pickle=False)


def read_counts(path: str | Path) -> SourceCounts:
    """Read what `write_counts` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        return SourceCounts(stored["correct"], stored["proposed"], stored["gold"])
