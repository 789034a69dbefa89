"""Encoding speed, from raw text to vectors (wieting2019, Table 4), and the speed of training.

What counts is text that an encoder has not read before. So the text has no line twice and is cut
into parts, and each encoder reads each part once. The encoders take turns, and with them
SentencePiece alone on the same lines, the limit: all are timed in the same state of the machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy as np
import sentencepiece as spm
import torch
from numpy.typing import NDArray

from tandem.encoders.baselines import load_baseline
from tandem.encoders.model import SentenceEncoder
from tandem.kernels import set_threads
from tandem.machine import device_name, gpu_errors
from tandem.progress import progress_bar
from tandem.segmentation.lookup import FEW
from tandem.timing.unread import divide
from tandem.training.course import Course
from tandem.training.pairs import Pairs
from tandem.training.run import Run, course_of


class TimedEncoder(Protocol):
    """The interface that is timed: Tandem's encoders and pretrained baselines have it."""

    @property
    def device(self) -> str:
        """Where it computes."""

    def encode(
        self, sentences: Sequence[str], language: str | None = None, batch_size: int = 128
    ) -> NDArray[np.float32]:
        """Return one row per sentence."""

    def tokenise(self, sentences: Sequence[str], language: str | None = None) -> bool:
        """Tokenise and drop the tokens; return whether there is a tokeniser apart."""


@dataclass
class Rates:
    """How fast one encoder is.

    Attributes:
        name: of the encoder.
        device: cpu, or cuda with the name of the card.
        threads: processor threads that it may use.
        unseen: sentences per second of each part of the text, read once, at the first batch size.
        seen: by batch size, sentences per second of the last part, read again.
        tokenisation: time of tokenisation alone over that of the best of these (Tandem does it
            while the previous batch is encoded); None if it cannot be timed alone.
        training: pairs per second of each turn of training; none of a pretrained baseline.
    """

    name: str
    device: str
    threads: int
    unseen: list[float] = field(default_factory=list)
    seen: dict[int, float] = field(default_factory=dict)
    tokenisation: float | None = None
    training: list[float] = field(default_factory=list)


def measure_models(
    models: Mapping[str, str | Path],
    runs: Mapping[str, Run],
    pairs: Mapping[str, Sequence[Pairs]],
    baselines: Mapping[str, str],
    text: Sequence[str],
    devices: Iterable[str],
    language: str,
    batches: Sequence[int],
    repeats: int,
    seconds: float,
) -> dict[str, Any]:
    """Time Tandem's encoders and others' on devices, one after the other.

    Args:
        models: model folders by name.
        runs, pairs: how each of them is trained, and on what for the times of training (`sample`).
        baselines: what `load_baseline` takes, by name.
        text, language: raw lines, none twice; see `divide`.
        devices: where they are timed: cpu, cuda, ...
        batches: sentences encoded at a time; at the first size unseen text is read.
        repeats: parts of the text, and turns of training.
        seconds: longest time of a part. An encoder that would take longer, judged by a probe, gets
            only the first of its lines, but never less than a batch of each size.

    Returns:
        `speeds`, the fields of each `Rates`; `sentencepiece`, sentences per second of
        SentencePiece alone with the model of the first encoder that has one (None: none has);
        `sentences`, the number of lines of a part; `load`, that of the machine before (the mean
        number of running processes over a minute), `processors`, how many could be used.
    """
    probe, parts = divide(text, repeats)
    report: dict[str, Any] = {"speeds": [], "sentences": len(parts[0])}
    report |= {"load": os.getloadavg()[0], "processors": available_processors()}
    for device in devices:
        encoders = {name: SentenceEncoder.load(folder, device) for name, folder in models.items()}
        loaded = {name: load_baseline(model, device) for name, model in baselines.items()}
        # a baseline that computes elsewhere has a round of its own there
        others = {name: other for name, other in loaded.items() if device.startswith(other.device)}
        models_of_pieces = [encoder.segmenter.models.get(language) for encoder in encoders.values()]
        limit = next(filter(None, models_of_pieces), None) if device == "cpu" else None
        timed = encoders | others
        speeds, rate = measure(timed, probe, parts, language, batches, seconds, limit)
        turns = measure_training(encoders, runs, pairs, repeats, device)
        for speed in speeds:
            speed.training = turns.get(speed.name, [])
            report["speeds"].append(asdict(speed))
        if device == "cpu":
            report["sentencepiece"] = rate
    return report


def measure(
    timed: Mapping[str, TimedEncoder],
    probe: Sequence[str],
    parts: Sequence[Sequence[str]],
    language: str,
    batches: Sequence[int],
    seconds: float,
    sentencepiece: str | Path | None = None,
) -> tuple[list[Rates], float | None]:
    """Measure encoders, by name, on the same text, in turns, and SentencePiece's rate.

    `divide` returns `probe` and `parts`; the rest is as for `measure_models`. `sentencepiece` is
    the model whose own encoding is the limit, or None to measure no limit.
    """
    threads = available_processors()
    set_threads(threads)  # training may have left another number
    torch.set_num_threads(threads)
    devices = {name: device_name(encoder.device) for name, encoder in timed.items()}
    speeds = {name: Rates(name, device, threads) for name, device in devices.items()}
    most, limit = {}, []
    for name, encoder in timed.items():
        encoder.encode(["0"], language, batches[0])  # which loads and compiles what it needs
        if isinstance(encoder, SentenceEncoder):  # but for what long text needs
            encoder.tokenise(["0"] * (FEW + 1), language)
        rate = _rate(partial(encoder.encode, probe, language, batches[0]), probe)
        most[name] = max(*batches, int(rate * seconds))
    processor = spm.SentencePieceProcessor(model_file=str(sentencepiece)) if sentencepiece else None
    for part in progress_bar(parts, desc="timing", unit="part"):
        for name, encoder in timed.items():
            text = part[: most[name]]
            job = partial(encoder.encode, text, language, batches[0])
            speeds[name].unseen.append(_rate(job, text))
        if processor is not None:
            limit.append(_rate(partial(processor.encode, part, num_threads=threads), part))
    for name, encoder in timed.items():
        text, speed = parts[-1][: most[name]], speeds[name]
        for size in batches:
            speed.seen[size] = _rate(partial(encoder.encode, text, language, size), text)
        if encoder.tokenise(text[:1], language):
            rate = _rate(partial(_tokenise, encoder, text, language, max(batches)), text)
            speed.tokenisation = min(1.0, max(speed.seen.values()) / rate)
    return list(speeds.values()), median(limit) if limit else None


def sample(texts: Sequence[Pairs], most: int) -> list[Pairs]:
    """Take about `most` pairs of all texts, evenly spaced, in proportion to the texts' sizes.

    Each text gives at least two pairs, which training needs.
    """
    total, taken = sum(len(text.left) for text in texts), []
    for text in texts:
        size = len(text.left)
        count = min(size, max(2, size * most // total))
        rows = np.linspace(0, size, count, endpoint=False, dtype=np.int64)
        taken.append(text.some(rows))
    return taken


def measure_training(
    models: Mapping[str, SentenceEncoder],
    runs: Mapping[str, Run],
    pairs: Mapping[str, Sequence[Pairs]],
    turns: int,
    device: str,
) -> dict[str, list[float]]:
    """Train encoders anew on the same pairs, in turns: pairs per second of each turn.

    A turn is one epoch by the encoder's own recipe. Segmentation is not timed, nor is the drawing
    of the first parameters. What is compiled at its first use is compiled before, on two batches.
    """
    rates: dict[str, list[float]] = {name: [] for name in models}
    for turn in progress_bar(range(turns + 1), desc="timing training", unit="turn"):
        for name, model in models.items():
            recipe, texts = runs[name].recipe.model_copy(update={"epochs": 1}), pairs[name]
            if turn == 0:
                texts = sample(texts, 2 * recipe.batch)
            run = Run(runs[name].encoder, runs[name].objective, recipe, turn)
            with gpu_errors(run.objective.smaller, device):
                course = course_of(run, len(model.segmenter), texts, device)
                rates[name].append(_epoch_rate(course))
    return {name: by_turn[1:] for name, by_turn in rates.items()}


def _epoch_rate(course: Course) -> float:
    """Train for one epoch; return pairs per second, not timing the copy of the parameters."""
    times: list[float] = []

    def validate(*_: object) -> float:  # called before the epoch and after it
        times.append(time.perf_counter())
        return 0.0

    course.run(validate, show=False)
    return course.progress.pairs / (times[1] - times[0])


def available_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tokenise(encoder: TimedEncoder, sentences: Sequence[str], language: str, size: int) -> None:
    for start in range(0, len(sentences), size):
        encoder.tokenise(sentences[start : start + size], language)


def _rate(job: Callable[[], object], sentences: Sequence[str]) -> float:
    start = time.perf_counter()
    job()
    return len(sentences) / (time.perf_counter() - start)
