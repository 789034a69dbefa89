"""Encoding speed: sentences per second from raw text to vectors (wieting2019, Table 4).

Within each repeat the encoders take turns, and with them SentencePiece alone on the same lines, the
limit. So all are timed in the same state of the machine. The figures are medians over the repeats.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy as np
import sentencepiece as spm
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from tandem import encoders
from tandem.encoders.baselines import load_baseline
from tandem.errors import TandemError
from tandem.io import read_lines


class TimedEncoder(Protocol):
    """The interface that is timed: Tandem's encoders and pretrained baselines have it."""

    @property
    def device(self) -> str:
        """Where it computes."""
        ...

    def encode(
        self, sentences: Sequence[str], language: str | None = None, batch_size: int = 128
    ) -> NDArray[np.float32]:
        """Return one row per sentence."""
        ...

    def tokenise(self, sentences: Sequence[str], language: str | None = None) -> bool:
        """Tokenise and drop the tokens; return whether there is a tokeniser apart."""
        ...


@dataclass(frozen=True)
class Speed:
    """How fast one encoder is.

    Attributes:
        name: of the encoder.
        device: cpu or cuda.
        threads: processor threads that it may use.
        first: sentences per second of the first pass over the text, when no word is cached yet, at
            the first batch size.
        passes: at each batch size the sentences per second of each repeat, with words cached; in
            repeat i all encoders and sizes took turns.
        tokenisation: time of tokenisation alone over that of the best batch size (Tandem does it
            while the previous batch is encoded); None if it cannot be timed alone.
    """

    name: str
    device: str
    threads: int
    first: float
    passes: dict[int, list[float]]
    tokenisation: float | None


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
        sentences: raw text; enough of it that a pass takes seconds rather than milliseconds.
        language: of the sentences.
        batches: sentences encoded at a time.
        repeats: passes over the sentences for each encoder and batch size; the median counts.
        seconds: of such a pass. An encoder that would take longer, going by its first pass, gets
            the first of the sentences only, but never less than the largest batch.

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


def measure(
    timed: Mapping[str, TimedEncoder],
    sentences: Sequence[str],
    language: str,
    batches: Sequence[int],
    repeats: int,
    seconds: float,
    sentencepiece: str | Path | None = None,
) -> tuple[list[Speed], float | None]:
    """Measure encoders on the same sentences.

    Args:
        timed: encoders by name.
        sentences, language, batches, repeats, seconds: as for `measure_models`.
        sentencepiece: the model whose own encoding is the limit, or None to measure no limit.

    Returns:
        One entry per encoder in the order given, and SentencePiece's sentences per second.
    """
    threads, sentences = available_processors(), list(sentences)
    torch.set_num_threads(threads)
    for encoder in timed.values():  # the first sentence loads and compiles what it needs
        encoder.encode(["0"], language, batches[0])
    first = {
        name: _rate(partial(encoder.encode, sentences, language, batches[0]), sentences)
        for name, encoder in timed.items()
    }
    jobs: dict[tuple[str, int], tuple[Callable[[], object], Sequence[str]]] = {}
    for name, encoder in timed.items():
        text = sentences[: max(*batches, int(first[name] * seconds))]
        for size in batches:
            jobs[name, size] = partial(encoder.encode, text, language, size), text
        if encoder.tokenise(sentences[:1], language):
            jobs[name, 0] = partial(_tokenise, encoder, text, language, max(batches)), text
    if sentencepiece is not None:
        processor = spm.SentencePieceProcessor(model_file=str(sentencepiece))
        jobs["", 0] = partial(processor.encode, sentences, num_threads=threads), sentences
    rates: dict[tuple[str, int], list[float]] = {key: [] for key in jobs}
    for key in tqdm([*jobs] * repeats, desc="timing", unit="pass"):
        rates[key].append(_rate(*jobs[key]))
    speeds = []
    for name, encoder in timed.items():
        passes = {size: rates[name, size] for size in batches}
        best = max(map(median, passes.values()))
        share = min(1.0, best / median(rates[name, 0])) if (name, 0) in rates else None
        speeds.append(Speed(name, encoder.device, threads, first[name], passes, share))
    return speeds, median(rates["", 0]) if ("", 0) in rates else None


def available_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tokenise(
    encoder: TimedEncoder, sentences: Sequence[str], language: str, batch_size: int
) -> None:
    for start in range(0, len(sentences), batch_size):
        encoder.tokenise(sentences[start : start + batch_size], language)


def _rate(job: Callable[[], object], sentences: Sequence[str]) -> float:
    start = time.perf_counter()
    job()
    return len(sentences) / (time.perf_counter() - start)
