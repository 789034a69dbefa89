"""Items of a score as .npz: arrays by name, the same bytes for the same arrays."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tandem.io import atomic_path


def write_items(path: str | Path, items: Mapping[str, np.ndarray]) -> None:
    """Write arrays by name, compressed."""
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in items.items():
            # an explicit entry has a fixed date: same bytes
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def read_items(path: str | Path) -> dict[str, np.ndarray]:
    """Read what `write_items` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
