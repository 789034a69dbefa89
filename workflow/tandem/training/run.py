"""From a segmented bitext to a model folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from tandem.encoders.composition import Composition, as_encoder, initialise
from tandem.encoders.encoder import Encoder
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.files.io import atomic_folder, read_json, write_lines
from tandem.machine import place
from tandem.segmentation import ragged
from tandem.segmentation.collection import KINDS
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.scheme import language_of
from tandem.segmentation.segmenter import Segmenter
from tandem.training.batches import Pairs
from tandem.training.checkpoint import Epoch
from tandem.training.loop import Run, Trainer

Select = Callable[[Callable[[Ragged], np.ndarray]], float]
"""Scores a function from n segmented sentences to (n, d): the epoch that scores best is kept."""


def load_pairs(folder: str | Path, split: str, sides: Sequence[str]) -> Pairs:
    """Map the pairs of a segmented split into memory."""
    left, right = ragged.load_sides(folder, split, sides)
    return Pairs(left, right, language_of(sides[0]) == language_of(sides[1]))


def load_collection(folder: str | Path, pools: str = "mixed") -> list[Pairs]:
    """Map the segmented pairs of a collection into memory: those of two languages, then of one.

    Each of the texts returned has mega-batches of its own: `pools` is mixed, or source, for a text
    of each corpus.
    """
    texts, folder = [], Path(folder)
    parts = read_json(folder / "parts.json")["parts"]
    for kind in KINDS:
        left, right = ragged.load_sides(folder, kind, ("left", "right"))
        keys = ragged.load_array(folder / f"{kind}.keys.npy", (np.int64,))
        passes = ragged.load_array(folder / f"{kind}.passes.npy", (np.float32,))
        sizes = Counter[str]()
        for part in (part for part in parts if part["kind"] == kind):
            sizes[part["source"] if pools == "source" else ""] += part["pairs"]
        ends = np.cumsum([0, *sizes.values()])
        for start, end in pairwise(ends.tolist()):
            sides = left.part(start, end), right.part(start, end)
            texts.append(Pairs(*sides, kind == KINDS[1], keys[start:end], passes[start:end]))
    return texts


def load_texts(folder: str | Path, sides: Sequence[str], pools: str) -> list[Pairs]:
    """Map what is trained on into memory: a bitext's training split; a collection has no sides."""
    return [load_pairs(folder, "train", sides)] if sides else load_collection(folder, pools)


def train_encoder(
    run: Run,
    segmenter: Segmenter,
    texts: Sequence[Pairs],
    select: Select | None,
    checkpoint: Path | None = None,
    device: str = "auto",
    show: bool = True,
    start: SentenceEncoder | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[SentenceEncoder, list[Epoch]]:
    """Train an encoder; return it as it was after the best epoch, and the history.

    `texts` are its pairs, those of one language apart from those of two. `select` scores it after
    every epoch, and before the first; with None nothing is chosen, and the last epoch is kept. From
    the folder `checkpoint` a stopped run goes on; whoever has saved the encoder removes it.
    `device` may be auto. Training begins from the parameters of `start`, or from those that the
    seed draws. When it is `stopped`, the encoder is that of the best epoch so far, and its metadata
    have `unfinished`.

    Raises:
        KeyboardInterrupt: it was stopped in the first epoch.
        TandemError: `start` has another vocabulary than the text was segmented with, or is another
            kind of encoder.
    """
    if start is not None and start.segmenter.vocabulary != segmenter.vocabulary:
        raise TandemError(
            "the text was segmented with another vocabulary than that of the encoder to start "
            "from. Segment it with the encoder's own segmenter"
        )
    trainer = Trainer(run, len(segmenter), *texts, device=place(device), start=start)

    def validate(table: Tensor, composition: Composition) -> float:
        assert select is not None
        return select(as_encoder(segmenter, table, composition).encode_ids)

    trainer.run(validate if select else None, checkpoint, show=show, stopped=stopped)
    if not trainer.best:
        raise KeyboardInterrupt
    progress = trainer.progress
    pairs = sum(len(text.usable) for text in texts)
    metadata = {"pairs": pairs, "epoch": progress.best_epoch, **run.description()}
    if start is not None:
        metadata["start"] = {"sha256": trainer.start, "training": start.metadata}
    if not trainer.finished:
        metadata["unfinished"] = True
    weights = dict(trainer.best)
    table = weights.pop("embedding")
    trainer.composition.load_state_dict(weights)
    return as_encoder(segmenter, table, trainer.composition, metadata), progress.history


def untrained_encoder(
    kind: Encoder, segmenter: Segmenter, seed: int, select: Select | None
) -> tuple[SentenceEncoder, list[Epoch]]:
    """Return the random baseline: the parameters that training with this seed begins from."""
    metadata = {"pairs": 0, "epoch": 0, "seed": seed}
    encoder = as_encoder(segmenter, *initialise(kind, len(segmenter), seed), metadata)
    score = select(encoder.encode_ids) if select else None
    return encoder, [Epoch(0, None, score)]


def save_trained(
    folder: str | Path,
    encoder: SentenceEncoder,
    history: list[Epoch],
    provenance: dict[str, Any],
    score: str = "pearson_x100",
) -> None:
    """Write the model folder: the encoder, with how it came about, and history.csv.

    `score` names what validation measured, for the head of that column; empty without validation.
    """
    encoder.metadata |= provenance
    with atomic_folder(folder) as temporary:
        lines = [f"epoch,loss,validation_{score}"]
        for entry in history:
            loss = "" if entry.loss is None else f"{entry.loss:.6f}"
            validation = "" if entry.validation is None else f"{entry.validation:.4f}"
            lines.append(f"{entry.epoch},{loss},{validation}")
        write_lines(temporary / "history.csv", lines)
        encoder.write(temporary)
