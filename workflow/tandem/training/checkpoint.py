"""Checkpoints: a folder with the tensors and the place that a training resumes from."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from tandem.files import saved
from tandem.files.io import atomic_folder, read_json, write_json

logger = logging.getLogger(__name__)
_TENSORS, _PLACE = "state.safetensors", "progress.json"


def write(
    folder: Path,
    identity: Mapping[str, Any],
    values: Mapping[str, Any],
    tensors: Mapping[str, Tensor],
) -> None:
    """Write a checkpoint, whole or not at all.

    Args:
        folder: where to write.
        identity: plain values that tell this training from others.
        values: the place that the training is at, as plain values.
        tensors: on any device.
    """
    with atomic_folder(folder) as temporary:
        stored = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
        save_file(stored, temporary / _TENSORS)
        write_json(temporary / _PLACE, {"run": dict(identity), **values})
        saved.seal(temporary)


def read(
    folder: Path, identity: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Tensor]] | None:
    """Return values and tensors (on the CPU) of a whole checkpoint of this training, or None."""
    if not saved.is_whole(folder, _PLACE, _TENSORS):
        return None
    values = read_json(folder / _PLACE)
    if values.pop("run") != dict(identity):
        logger.warning("%s is of another training: beginning anew", folder)
        return None
    return values, load_file(folder / _TENSORS)


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose names begin with a prefix, without it."""
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
