"""How fast a device does what `gpu.py` times: training, translating, encoding and searching."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from gpu_works import TOKENS, Work, zipf

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import Encoder
from tandem.machine import learns_on_host
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.kinds.margin import Margin
from tandem.search.neighbours import search
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.training.pairs import Pairs
from tandem.training.run import course_of
from tandem.translation.gpu_training import GpuRnnLearner
from tandem.translation.kinds.rnn import Rnn
from tandem.translation.rnn_training import Aligned, RnnLearner

TRIES = 2
"""How often each is timed, after a first time that does not count; the fastest counts."""


@dataclass(frozen=True)
class Sizes:
    """How much is done of what is no training."""

    copied: int = 1 << 28
    product: int = 8192
    translated: int = 30_000
    sentences: int = 28_000
    searched: int = 200_000
    compared: int = 4_000


TINY = Sizes(1 << 12, 64, 200, 200, 400, 200)


def wait(device: str) -> None:
    """Wait until a device has done all that it was given."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def fastest(function: Callable[[], object], device: str, turns: int = TRIES) -> float:
    """Return the least seconds that a function takes on a device, after a first time."""
    function()
    return min(seconds(function, device) for _ in range(turns))


def seconds(function: Callable[[], object], device: str) -> float:
    """Return the seconds that a function takes on a device."""
    wait(device)
    began = time.perf_counter()
    function()
    wait(device)
    return time.perf_counter() - began


def epoch(learner: Any) -> None:  # noqa: ANN401
    """Train for an epoch as from the start on, with small mega-batches."""
    learner.step = 0
    learner.begin(0)
    while learner.advance() is not None:
        pass


def learner_of(work: Work, pairs: Pairs, device: str) -> Any:  # noqa: ANN401
    """Return what trains on pairs."""
    return course_of(work.run(), work.types, [pairs], device, work.start).learner


def measured(work: Work, device: str) -> dict[str, Any]:
    """Return pairs/s of the device and of a thread, what share it is busy, and the first epoch.

    A first epoch is not counted: on the device, kernels are loaded and steps recorded in it; a
    thread has fewer pairs in it, since only its loops are compiled.
    """
    pairs = work.text()
    learner = learner_of(work, pairs, device)
    job = partial(epoch, learner)
    first = seconds(job, device)
    best = min(seconds(job, device) for _ in range(TRIES))
    busy = slow = None
    if device != "cpu":
        kinds = [torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=kinds) as profile:
            seconds(job, device)
        kernels = sum(event.self_device_time_total for event in profile.key_averages())
        busy = kernels / 1e6 / best
    if count := work.cpu_pairs:
        few = pairs.some(np.arange(count))
        epoch(learner_of(work, pairs.some(np.arange(min(256, count // 4))), "cpu"))
        on_thread = partial(epoch, learner_of(work, few, "cpu"))
        slow = count / min(seconds(on_thread, "cpu") for _ in range(TRIES))
    return {"rate": work.pairs / best, "cpu": slow, "busy": busy, "first": first - best}


def limit(work: Work, bandwidth: float, products: float, halves: float) -> float | None:
    """Return the pairs/s that moving bytes and multiplying allow; None of what is not counted here.

    Bytes: the rows of tokens are read and their gradients written, and a dense Adam reads and
    writes the table and its moments, writes its gradient and reads it. Operations: of products with
    parameters, three times in a step and once where negatives are chosen; of all similarities.
    """
    encoder, objective = work.encoder, work.objective
    if not isinstance(objective, Margin | AdditiveMargin):
        return None
    groups = 4 if isinstance(objective, Margin) else 2
    tokens = groups * (TOKENS if not encoder.words else 7 * 15)
    states = groups * (TOKENS if not encoder.words else 15)
    moved = 4 * encoder.dimension * (2 * tokens + 8 * work.types / work.batch)
    weights = sum(np.prod(shape) for shape in encoder.weight_shapes().values())
    chosen = 0.0
    if isinstance(objective, Margin):
        total = work.pairs // work.batch
        chosen = 2.0 * objective.batches(total // 2, total) * work.batch * encoder.width
    operations = 2 * weights * states * (3 + (groups == 4) / 2) + chosen
    fast = halves if "cuda" in encoder.bfloat16_on and work.precision == "auto" else products
    return 1 / max(moved / bandwidth, operations / fast)


def rates_of(device: str, sizes: Sizes) -> tuple[float, float, float]:
    """Return the bytes/s of a copy, and operations/s of products in float32 and bfloat16."""
    source = torch.rand(sizes.copied, device=device)
    target = torch.empty_like(source)
    copied = 8 * source.numel() / fastest(partial(target.copy_, source), device, 5)
    both, width = [], sizes.product
    for kind in (torch.float32, torch.bfloat16):
        a, b = (torch.rand(width, width, device=device).to(kind) for _ in range(2))
        both.append(2 * width**3 / fastest(partial(torch.mm, a, b), device, 5))
    return copied, both[0], both[1]


def encoding(kind: Encoder, device: str, sentences: list[str]) -> float:
    """Return the sentences/s of an untrained encoder of words."""
    segmenter = Segmenter(Words(), ["a"] + [f"w{n}" for n in range(19_999)], {"en": None})
    encoder = as_encoder(segmenter, *initialise(kind, 20_000, 1))
    encoder.device = device
    return len(sentences) / fastest(lambda: encoder.encode(sentences), device)


def translating(device: str, pairs: int) -> float:
    """Return the pairs/s of training the recurrent translator, as its settings are by default.

    It is timed once, from its start on.
    """
    random, settings = np.random.default_rng(0), Rnn(bitext="b", source="en", target="fr", epochs=1)
    rows = [[4 + zipf(n, 3_990, random) for n in random.integers(4, 20, pairs)] for _ in "st"]
    sides = Aligned(*([row.tolist() for row in rows_of] for rows_of in rows))
    arguments = settings, 4_000, sides, Aligned([], [])
    on_host = learns_on_host(device)
    learner = RnnLearner(*arguments) if on_host else GpuRnnLearner(*arguments, device)
    return pairs / seconds(partial(epoch, learner), device)


def searching(device: str, sizes: Sizes) -> tuple[float, float, bool]:
    """Return the operations/s of an exact search, those of a thread, and whether ids agree.

    The thread searches less, and ids are compared of that.
    """
    random, count, less = np.random.default_rng(0), sizes.searched, sizes.compared
    sides = [random.standard_normal((count, 300)).astype(np.float32) for _ in "st"]
    few = [some[:less] for some in sides]
    operations = 2 * 2.0 * 300
    best = fastest(lambda: search(*sides, 5, device=device), device)
    slow = fastest(lambda: search(*few, 5, device="cpu"), "cpu")
    both = (search(*few, 5, device=place) for place in ("cpu", device))
    same = all(np.array_equal(a.indices, b.indices) for a, b in zip(*both, strict=True))
    return operations * count**2 / best, operations * less**2 / slow, same
