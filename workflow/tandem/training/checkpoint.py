"""Checkpoints: a folder with the tensors and the place that a training resumes from."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tandem.files import saved
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_json, write_json

logger = logging.getLogger(__name__)
_TENSORS, _PLACE = "state.safetensors", "progress.json"


def write(
    folder: Path,
    identity: Mapping[str, Any],
    values: Mapping[str, Any],
    tensors: Mapping[str, Tensor],
) -> None:
    """Write a checkpoint, whole or not at all; its tensors may be on any device.

    `identity` are plain values that tell this training from others, `values` say where it is.
    """
    with atomic_folder(folder, unsealed=(_TENSORS, _PLACE)) as temporary:
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


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return an optimiser's state; names are `<number of the parameter>.<name in the state>`."""
    return {
        f"{index}.{name}": value
        for index, state in optimizer.state_dict()["state"].items()
        for name, value in state.items()
        if value is not None
    }


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Take over what `optimizer_tensors` returned of an optimiser of the same parameters."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = tensor
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})
