"""Timing the encoders of a table on every device at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tandem import encoders
from tandem.encoders.baselines import load_baseline
from tandem.errors import TandemError
from tandem.io import read_lines
from tandem.tasks.speed import measure


def measure_models(
    models: Mapping[str, str | Path],
    baselines: Mapping[str, str],
    sentences: Sequence[str],
    language: str,
    batches: Sequence[int],
    repeats: int,
    seconds: float,
) -> dict[str, Any]:
    """Time Tandem's encoders and others' on the CPU and, where there is one, on a GPU.

    Args:
        models: model folders by name.
        baselines: what `load_baseline` takes, by name.
        sentences: raw text.
        language: of the sentences.
        batches: sentences encoded at a time.
        repeats: passes of each; the median counts.
        seconds: of such a pass: slower encoders get fewer sentences, but a whole batch.

    Returns:
        `speeds`, the fields of each `Speed`; `sentencepiece`, sentences per second of
        SentencePiece alone with the model of the first encoder that has one (None: none has);
        `sentences`, their number.
    """
    found: dict[str, Any] = {"speeds": [], "sentences": len(sentences)}
    for device in ("cpu", *["cuda"] * torch.cuda.is_available()):
        own = {name: encoders.load(folder, device) for name, folder in models.items()}
        others = {name: load_baseline(model, device) for name, model in baselines.items()}
        pieces = [e.segmenter for e in own.values() if e.segmenter.scheme.kind == "sentencepiece"]
        limit = pieces[0].models[language] if pieces and device == "cpu" else None
        speeds, rate = measure(own | others, sentences, language, batches, repeats, seconds, limit)
        found["speeds"] += [asdict(speed) for speed in speeds]
        if device == "cpu":
            found["sentencepiece"] = rate
    return found


def sample_lines(path: str | Path, count: int, seed: int) -> list[str]:
    """Draw lines of a text without replacement, or take all of a shorter one, in its order.

    Raises:
        TandemError: the text is empty.
    """
    lines = list(read_lines(path))
    if not lines:
        raise TandemError(f"{path} is empty: there is nothing to encode")
    chosen = np.random.default_rng(seed).permutation(len(lines))[:count]
    return [lines[number] for number in np.sort(chosen)]
