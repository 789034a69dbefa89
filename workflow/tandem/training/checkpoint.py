"""Checkpoints: everything a run needs to resume and end with the same bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tandem.files import saved
from tandem.files.io import atomic_folder, read_json, write_json

if TYPE_CHECKING:
    from tandem.training.loop import Trainer


@dataclass
class Epoch:
    """One line of the history."""

    epoch: int
    loss: float | None
    validation: float | None


@dataclass
class Progress:
    """Where a run stands, beside its tensors."""

    epoch: int = 0
    positions: list[int] = field(default_factory=list)
    step: int = 0
    epoch_start: int = 0
    loss_sum: float = 0.0
    history: list[Epoch] = field(default_factory=list)
    best_epoch: int = 0


def save(trainer: Trainer, folder: Path) -> None:
    """Write the run's tensors and position, replacing the last checkpoint only once complete."""
    with atomic_folder(folder) as temporary:
        tensors = {name: t.cpu().contiguous() for name, t in _tensors(trainer).items()}
        save_file(tensors, temporary / "state.safetensors")
        write_json(temporary / "progress.json", _description(trainer))
        saved.seal(temporary)


def resume(trainer: Trainer, folder: Path) -> bool:
    """Restore the checkpoint of this run; return False if there is none.

    One that is damaged, or of other settings, text or start, is ignored: the run starts again and
    will replace it.
    """
    if not saved.is_whole(folder, "progress.json", "state.safetensors"):
        return False
    found = read_json(folder / "progress.json")
    if found["run"] != _description(trainer)["run"]:
        return False
    found["progress"]["history"] = [Epoch(**entry) for entry in found["progress"]["history"]]
    trainer.progress = Progress(**found["progress"])
    tensors = load_file(folder / "state.safetensors", device=str(trainer.device))
    trainer.best = _part(tensors, "best.")
    trainer.optimizer.load_state(_part(tensors, "rows."), trainer.progress.step)
    trainer.composition.load_state_dict(_part(tensors, "weights."))
    if trainer.weights_optimizer is not None:
        _load_optimizer(trainer.weights_optimizer, tensors)
    return True


def _description(trainer: Trainer) -> dict:
    shape = list(trainer.optimizer.table.shape)
    run = {
        **trainer.settings.description(),
        "pairs": [pairs.checksum for pairs in trainer.texts],
        "table": shape,
    }
    if trainer.start:
        run["start"] = trainer.start
    return {"run": run, "progress": asdict(trainer.progress)}


def _tensors(trainer: Trainer) -> dict[str, Tensor]:
    tensors = {f"rows.{k}": v for k, v in trainer.optimizer.state().items()}
    tensors |= {f"weights.{k}": v for k, v in trainer.composition.state_dict().items()}
    tensors |= {f"best.{k}": v for k, v in trainer.best.items()}
    if trainer.weights_optimizer is not None:
        for index, state in trainer.weights_optimizer.state_dict()["state"].items():
            known = {k: v for k, v in state.items() if v is not None}
            tensors |= {f"adam.{index}.{k}": v for k, v in known.items()}
    return tensors


def _load_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in _part(tensors, "adam.").items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = tensor
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
