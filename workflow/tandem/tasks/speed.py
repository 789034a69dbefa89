"""Encoding speed: sentences per second from raw text to vectors (wieting2019, Table 4).

Encoders and the limit, SentencePiece's own encoding of the same lines, take turns within each
repeat, so that all meet the same state of the machine; the figures are medians over the repeats.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Protocol

import numpy as np
import sentencepiece as spm
from numpy.typing import NDArray
from tqdm import tqdm


class Encoder(Protocol):
    """What is needed of an encoder: Tandem's own and the baselines have it."""

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
        first: sentences per second of the first pass over the text, each word new when it first
            occurs, at the first batch size.
        passes: at each batch size the sentences per second of each repeat, words seen; repeat i of
            all encoders and sizes took turns.
        tokenisation: time of tokenisation alone over that of the best batch size (Tandem does it
            while the batch before is composed); None where the encoder has no tokeniser of its own.
    """

    name: str
    device: str
    threads: int
    first: float
    passes: dict[int, list[float]]
    tokenisation: float | None

    @property
    def at_batch(self) -> dict[int, float]:
        """The median sentences per second at each batch size."""
        return {size: median(rates) for size, rates in self.passes.items()}

    @property
    def best_batch(self) -> int:
        """The batch size of the highest speed."""
        rates = self.at_batch
        return max(rates, key=rates.__getitem__)


def measure(
    encoders: Mapping[str, Encoder],
    sentences: Sequence[str],
    language: str,
    batch_sizes: Sequence[int],
    repeats: int,
    seconds: float,
    sentencepiece: str | os.PathLike | None = None,
    threads: int | None = None,
) -> tuple[list[Speed], float | None]:
    """Measure encoders on the same sentences.

    Args:
        encoders: by name.
        sentences: raw text; enough of it that a pass takes seconds rather than milliseconds.
        language: of the sentences.
        batch_sizes: sentences encoded at a time.
        repeats: passes over the sentences for each encoder and batch size; the median counts.
        seconds: of such a pass. An encoder that would take longer, going by its first pass, gets
            the first of the sentences only, but never less than the largest batch.
        sentencepiece: the model whose own encoding is the limit, or None to measure no limit.
        threads: for SentencePiece; None for one for each processor at hand.

    Returns:
        One entry per encoder in the order given, and SentencePiece's sentences per second.
    """
    threads = threads or available_processors()
    sentences = list(sentences)
    for encoder in encoders.values():  # loads and compiles what it needs at its first sentence
        encoder.encode(["0"], language, batch_sizes[0])
    first = {
        name: _rate(partial(encoder.encode, sentences, language, batch_sizes[0]), sentences)
        for name, encoder in encoders.items()
    }
    jobs: dict[tuple[str, int], tuple[Callable[[], object], Sequence[str]]] = {}
    for name, encoder in encoders.items():
        text = sentences[: max(*batch_sizes, int(first[name] * seconds))]
        for size in batch_sizes:
            jobs[name, size] = partial(encoder.encode, text, language, size), text
        if encoder.tokenise(sentences[:1], language):
            jobs[name, 0] = partial(_tokenise, encoder, text, language, max(batch_sizes)), text
    if sentencepiece is not None:
        processor = spm.SentencePieceProcessor(model_file=os.fspath(sentencepiece))
        jobs["", 0] = partial(processor.encode, sentences, num_threads=threads), sentences
    rates: dict[tuple[str, int], list[float]] = {key: [] for key in jobs}
    for key in tqdm([*jobs] * repeats, desc="timing", unit="pass"):
        rates[key].append(_rate(*jobs[key]))
    rows = [
        _row(name, encoder, first[name], {n: rates[name, n] for n in batch_sizes}, rates)
        for name, encoder in encoders.items()
    ]
    return rows, median(rates["", 0]) if ("", 0) in rates else None


def available_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def synthetic_lines(sentences: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield `count` lines made of halves of the given sentences, drawn at random."""
    random = np.random.default_rng(seed)
    for start in range(0, count, 10_000):
        size = min(10_000, count - start)
        for one, other in random.integers(len(sentences), size=(size, 2)).tolist():
            left, right = sentences[one].split(), sentences[other].split()
            yield " ".join(left[: len(left) // 2] + right[len(right) // 2 :])


def _row(
    name: str,
    encoder: Encoder,
    first: float,
    passes: dict[int, list[float]],
    rates: Mapping[tuple[str, int], list[float]],
) -> Speed:
    speed = Speed(name, encoder.device, available_processors(), first, passes, None)
    if (name, 0) not in rates:
        return speed
    share = speed.at_batch[speed.best_batch] / median(rates[name, 0])
    return replace(speed, tokenisation=min(1.0, share))


def _tokenise(encoder: Encoder, sentences: Sequence[str], language: str, batch_size: int) -> None:
    for start in range(0, len(sentences), batch_size):
        encoder.tokenise(sentences[start : start + batch_size], language)


def _rate(job: Callable[[], object], sentences: Sequence[str]) -> float:
    start = time.perf_counter()
    job()
    return len(sentences) / (time.perf_counter() - start)
