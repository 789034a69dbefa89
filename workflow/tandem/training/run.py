"""From a segmented bitext to a model folder."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tandem.encoders.composition import EncoderConfig
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.io import atomic_folder
from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.scheme import language_of
from tandem.segmentation.segmenter import Segmenter
from tandem.training.batches import Pairs
from tandem.training.loop import Epoch, Trainer, TrainingConfig, initialise

Embed = Callable[[Ragged], np.ndarray]
Select = Callable[[Embed], float]
"""Scores an embedding function: the epoch with the highest score is kept."""


def load_pairs(folder: str | Path, split: str, sides: tuple[str, str], count: int) -> Pairs:
    """Map the first `count` pairs of a segmented split into memory.

    Raises:
        TandemError: the split has fewer.
    """
    left, right = (ragged.load(Path(folder) / f"{split}.{side}") for side in sides)
    if len(left) < count:
        raise TandemError(
            f"{folder} has {len(left):,} training pairs and the setting asks for {count:,}: "
            "lower `pairs` in the settings, or give the corpus more text"
        )
    monolingual = language_of(sides[0]) == language_of(sides[1])
    return Pairs(left.head(count), right.head(count), monolingual)


def train_encoder(
    segmenter: Segmenter,
    architecture: EncoderConfig,
    config: TrainingConfig,
    pairs: Pairs,
    select: Select,
    checkpoint: Path,
    device: str = "auto",
) -> tuple[SentenceEncoder, list[Epoch]]:
    """Train an encoder, resuming from `checkpoint` if a run of the same settings left one there."""
    trainer = Trainer(architecture, len(segmenter), pairs, config, choose_device(device))

    def validate(table: Tensor, composition: nn.Module) -> float:
        encoder = SentenceEncoder(architecture, segmenter, table, composition)
        score = select(encoder.encode_ids)
        composition.train()
        return score

    trained = trainer.run(validate, checkpoint)
    shutil.rmtree(checkpoint, ignore_errors=True)
    metadata = {"settings": asdict(config), "pairs": trained.pairs, "epoch": trained.best_epoch}
    encoder = SentenceEncoder(architecture, segmenter, trained.table, trained.composition, metadata)
    return encoder, trained.history


def untrained_encoder(
    segmenter: Segmenter, architecture: EncoderConfig, seed: int, select: Select
) -> tuple[SentenceEncoder, list[Epoch]]:
    """Return the random baseline: the parameters that training with this seed begins from."""
    table, composition = initialise(architecture, len(segmenter), seed)
    metadata = {"settings": {"seed": seed}, "pairs": 0, "epoch": 0}
    encoder = SentenceEncoder(architecture, segmenter, table, composition, metadata)
    return encoder, [Epoch(0, None, select(encoder.encode_ids))]


def save_trained(
    folder: str | Path,
    encoder: SentenceEncoder,
    history: list[Epoch],
    provenance: dict[str, Any],
    score: str = "pearson_x100",
) -> None:
    """Write the model folder: the encoder, with how it came about, and history.csv.

    `score` names what validation measured, for the head of that column.
    """
    encoder.metadata |= provenance
    with atomic_folder(folder) as temporary:
        encoder.write(temporary)
        with open(temporary / "history.csv", "w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["epoch", "loss", f"validation_{score}"])
            for entry in history:
                loss = "" if entry.loss is None else f"{entry.loss:.6f}"
                writer.writerow([entry.epoch, loss, f"{entry.validation:.4f}"])


def choose_device(device: str) -> str:
    """Resolve `auto`: CUDA where there is one."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return device
