"""What a GPU does for Tandem, beside one thread of the CPU: the table of docs/gpu.md.

    python benchmarks/gpu.py [--write docs/gpu.md] [--only NAME ...] [--device cuda]

Needs nothing but the library: text is drawn at random, as frequent as words are (Zipf's law). It
takes under four minutes on an H100. For each work it prints the rate, that of one processor thread,
the ratio and its goal, the share of time in which the GPU is busy, and the share of what memory or
arithmetic allow. Then it checks that training gives what it gives on the CPU, and the same bytes
twice, and says what an hour does at the paper's scale. `--write` puts all of it between the marks
of that page.

busy: the time of all kernels, as PyTorch's profiler sums it, over the time of the same work without
the profiler. limit: the larger of the bytes that must be moved over the rate of a copy, and of the
operations over the rate of a large product, both measured in the same run.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch: one thread of the CPU

import numpy as np
import torch

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import Encoder
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.kinds.transformer import Transformer
from tandem.machine import learns_on_host
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.objective import Objective
from tandem.search.neighbours import search
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of
from tandem.translation.gpu_training import GpuRnnLearner
from tandem.translation.kinds.rnn import Rnn
from tandem.translation.rnn_training import Aligned, RnnLearner

TOKENS = 20
"""Tokens of a sentence, on average."""
BEGIN, END = "<!-- benchmarks/gpu.py -->", "<!-- end -->"
PAPER_PAIRS = 1_000_000


@dataclass(frozen=True)
class Work:
    """A training to time.

    Attributes:
        pairs, cpu_pairs: trained on in the time that is taken; 0: not on the CPU.
        goal: how many times as fast as a thread the GPU must be, or with `absolute` pairs/s.
    """

    name: str
    encoder: Encoder
    objective: Objective
    types: int
    batch: int
    pairs: int
    cpu_pairs: int
    goal: float | None = None
    absolute: bool = False
    precision: str = "auto"
    dropout: float = 0.3

    def run(self, **changed: Any) -> Run:  # noqa: ANN401
        """Return it as a run, with some of its recipe changed."""
        values = {"epochs": 10, "batch": self.batch, "dropout": self.dropout}
        recipe = Recipe(**values | {"precision": self.precision} | changed)
        return Run(self.encoder, self.objective, recipe, 1)


def works() -> list[Work]:
    """Return the trainings of the table."""
    sp, wide, lstm = Averaging(dimension=300), Averaging(dimension=768), Lstm(dimension=300)
    annealed, full, joint = Margin(), Margin(anneal=0), Margin(megabatch=16, anneal=0)
    dual, words = Transformer(dimension=320), Transformer(dimension=320, grouped=True)
    softmax = AdditiveMargin()
    return [
        Work("SP 300, batch 128", sp, annealed, 20_000, 128, 38_400, 38_400, 10),
        Work("SP 300, batch 128, full mega-batches", sp, full, 20_000, 128, 61_440, 15_360, 10),
        Work("SP 300, batch 1,024", sp, annealed, 20_000, 1024, 153_600, 153_600, 40),
        Work("SP 300, batch 1,024, full mega-batches", sp, full, 20_000, 1024, 245_760, 0),
        Work("SP 768, batch 128", wide, joint, 64_000, 128, 61_440, 8_192, 25, dropout=0.0),
        Work("SP 768, batch 1,024", wide, joint, 64_000, 1024, 163_840, 0, dropout=0.0),
        Work("LSTM, batch 128", lstm, annealed, 20_000, 128, 20_480, 1_280, 25),
        Work("transformer, batch 128", dual, softmax, 32_000, 128, 12_800, 0),
        Work("transformer, batch 1,024", dual, softmax, 32_000, 1024, 61_440, 0),
        Work("transformer, float32, batch 128", dual, softmax, 32_000, 128, 12_800, 0,
             precision="float32"),
        Work("transformer, words with n-grams", words, softmax, 214_001, 128, 12_800, 0, 8_000,
             absolute=True),
    ]  # fmt: skip


def zipf(count: int, types: int, random: np.random.Generator) -> np.ndarray:
    """Draw types as frequent as words are."""
    return np.minimum(np.exp(random.random(count) * np.log(types)).astype(np.int64), types - 1)


def side(count: int, types: int, grouped: bool, random: np.random.Generator) -> Ragged:
    """Draw sentences of 5 to 35 tokens; grouped ones of 15 words, with 6 n-grams each."""
    if not grouped:
        lengths = random.integers(5, 2 * TOKENS - 4, count)
        ids = zipf(lengths.sum(), types, random)
    else:
        lengths = 7 * random.integers(5, 26, count)
        ids = 1 + zipf(lengths.sum(), types - 1, random)
        ids[::7] = 0
    return Ragged(ids.astype(np.int32), np.append(0, lengths.cumsum()))


def text(work: Work, pairs: int) -> Pairs:
    """Draw pairs of sentences."""
    random, grouped = np.random.default_rng(0), work.encoder.words
    return Pairs(*(side(pairs, work.types, grouped, random) for _ in "lr"), False)


def wait(device: str) -> None:
    """Wait until a device has done all that it was given."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def learner_of(run: Run, work: Work, pairs: Pairs, device: str) -> Any:  # noqa: ANN401
    """Return what trains on pairs."""
    return course_of(run, work.types, [pairs], device).learner


def epoch(learner: Any, device: str) -> float:  # noqa: ANN401
    """Train for an epoch as from the start on, with small mega-batches; return the seconds."""
    learner.step = 0
    wait(device)
    began = time.perf_counter()
    learner.begin(0)
    while learner.advance() is not None:
        pass
    wait(device)
    return time.perf_counter() - began


def measured(work: Work, device: str) -> dict[str, float | None]:
    """Return pairs/s of the device and of a thread, what share it is busy, and the first epoch.

    On the device the second epoch is timed: in the first, kernels are loaded and steps recorded.
    """
    run, pairs = work.run(), text(work, work.pairs)
    learner = learner_of(run, work, pairs, device)
    first, seconds = epoch(learner, device), min(epoch(learner, device) for _ in range(2))
    busy = slow = None
    if device != "cpu":
        kinds = [torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=kinds) as profile:
            epoch(learner, device)
        kernels = sum(event.self_device_time_total for event in profile.key_averages())
        busy = kernels / 1e6 / seconds
    if work.cpu_pairs:
        epoch(learner_of(run, work, text(work, 256), "cpu"), "cpu")  # compiles its loops
        few = pairs if work.cpu_pairs == work.pairs else text(work, work.cpu_pairs)
        slow = work.cpu_pairs / epoch(learner_of(run, work, few, "cpu"), "cpu")
    return {"rate": work.pairs / seconds, "cpu": slow, "busy": busy, "first": first - seconds}


def limit(work: Work, bandwidth: float, products: float, halves: float) -> float:
    """Return the pairs/s that moving bytes and multiplying allow.

    Bytes: the rows of tokens are read and their gradients written, and a dense Adam reads and
    writes the table and its moments, writes its gradient and reads it. Operations: of products with
    parameters, three times in a step and once where negatives are chosen; of all similarities.
    """
    encoder, objective = work.encoder, work.objective
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
    fast = halves if encoder.multiplies and work.precision == "auto" else products
    return 1 / max(moved / bandwidth, operations / fast)


def rates_of(device: str) -> tuple[float, float, float]:
    """Return the bytes/s of a copy, and operations/s of products in float32 and bfloat16."""
    source = torch.rand(1 << 28, device=device)
    target = torch.empty_like(source)
    copied = 8 * source.numel() / fastest(partial(target.copy_, source), device)
    both = []
    for kind in (torch.float32, torch.bfloat16):
        a, b = (torch.rand(8192, 8192, device=device).to(kind) for _ in range(2))
        both.append(2 * 8192**3 / fastest(partial(torch.mm, a, b), device))
    return copied, both[0], both[1]


def fastest(function: Callable[[], object], device: str, turns: int = 5) -> float:
    """Return the least seconds that a function takes on a device."""
    function()
    best = float("inf")
    for _ in range(turns):
        wait(device)
        began = time.perf_counter()
        function()
        wait(device)
        best = min(best, time.perf_counter() - began)
    return best


def encoding(kind: Encoder, device: str, sentences: list[str]) -> float:
    """Return the sentences/s of an untrained encoder of words."""
    segmenter = Segmenter(Words(), ["a"] + [f"w{n}" for n in range(19_999)], {"en": None})
    encoder = as_encoder(segmenter, *initialise(kind, 20_000, 1))
    encoder.device = device
    encoder.encode(sentences[:500])
    return len(sentences) / fastest(lambda: encoder.encode(sentences), device, 2)


def translating(device: str, pairs: int) -> float:
    """Return the pairs/s of training the recurrent translator, as its settings are by default."""
    random, settings = np.random.default_rng(0), Rnn(bitext="b", source="en", target="fr", epochs=1)
    rows = [[4 + zipf(n, 3_990, random) for n in random.integers(4, 20, pairs)] for _ in "st"]
    sides = Aligned(*([row.tolist() for row in rows_of] for rows_of in rows))
    arguments = settings, 4_000, sides, Aligned([], [])
    on_host = learns_on_host(device)
    learner = RnnLearner(*arguments) if on_host else GpuRnnLearner(*arguments, device)
    learner.begin(0)
    wait(device)
    began = time.perf_counter()
    while learner.advance() is not None:
        pass
    wait(device)
    return pairs / (time.perf_counter() - began)


def agreement(work: Work, device: str) -> tuple[float, bool]:
    """Return how far an epoch without dropout is from the CPU's, and whether two are the same."""
    small = replace(work, types=2_000)
    pairs = text(small, 1_280)

    def trained(where: str, **changed: Any) -> dict[str, torch.Tensor]:  # noqa: ANN401
        learner = learner_of(work.run(**changed), small, pairs, where)
        epoch(learner, where)
        return {name: tensor.cpu() for name, tensor in learner.encoder().items()}

    exact = {"dropout": 0.0, "precision": "float32"}
    here, there = trained("cpu", **exact), trained(device, **exact)
    apart = (here["embedding"] - there["embedding"]).norm() / here["embedding"].norm()
    first, second = trained(device), trained(device)
    return float(apart), all(torch.equal(first[name], second[name]) for name in first)


def searching(device: str) -> tuple[float, float, bool]:
    """Return the operations/s of an exact search, those of a thread, and whether ids agree."""
    random = np.random.default_rng(0)
    sides = [random.standard_normal((200_000, 300)).astype(np.float32) for _ in "st"]
    operations = 2 * 2.0 * 200_000 * 200_000 * 300
    seconds = fastest(lambda: search(*sides, 5, device=device), device, 2)
    few = [some[:10_000] for some in sides]
    began = time.perf_counter()
    slow = search(*few, 5, device="cpu")
    thread = operations / 400 / (time.perf_counter() - began)
    same = [
        np.array_equal(a.indices, b.indices)
        for a, b in zip(slow, search(*few, 5, device=device), strict=True)
    ]
    return operations / seconds, thread, all(same)


class Table:
    """The lines of the table; they are printed as they come."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.say("| work | goal | GPU | one thread | times | busy | of the limit |")
        self.say("|---|---|---|---|---|---|---|")

    def say(self, line: str = "") -> None:
        """Print a line and keep it."""
        print(line, flush=True)
        self.lines.append(line)

    def row(self, name: str, goal: str, rate: str, thread: str = "", times: float | None = None,
            busy: float | None = None, limit: float | None = None) -> None:  # fmt: skip
        """Add a line of the table."""
        shares = ("" if share is None else f"{share:.0%}" for share in (busy, limit))
        ratio = "" if times is None else f"{times:,.1f}"
        self.say(f"| {' | '.join([name, goal, rate, thread, ratio, *shares])} |")


def train_rows(table: Table, device: str, chosen: set[str], ceilings: tuple[float, ...]
) -> tuple[dict[str, float], float]:
    """Time trainings; return pairs/s by name, and the most seconds that a first epoch lost."""
    rates, recorded = {}, 0.0
    for work in works():
        if chosen and work.name not in chosen:
            continue
        seen = measured(work, device)
        rate, slow = seen["rate"], seen["cpu"]
        assert rate is not None
        assert seen["first"] is not None
        recorded = max(recorded, seen["first"])
        rates[work.name] = rate
        goal = "" if work.goal is None else f"{work.goal:,.0f}{' pairs/s' * work.absolute}"
        goal = goal and (goal if work.absolute else f"{goal} times")
        table.row(
            work.name, goal, f"{rate:,.0f} pairs/s",
            f"{slow:,.0f}" if slow else "", rate / slow if slow else None, seen["busy"],
            rate / limit(work, *ceilings),
        )  # fmt: skip
    return rates, recorded


def other_rows(table: Table, device: str, chosen: set[str]) -> None:
    """Time translating, encoding and searching."""
    sentences = [
        " ".join(f"w{n}" for n in row)
        for row in np.split(zipf(700_000, 19_999, np.random.default_rng(2)), 28_000)
    ]
    if not chosen or "translator" in chosen:
        rate, slow = translating(device, 30_000), translating("cpu", 700)
        rates = f"{rate:,.0f} pairs/s", f"{slow:,.0f}"
        table.row("translator, recurrent", "10 times", *rates, rate / slow)
    for name, kind, few in (("LSTM", Lstm(), 1_000), ("transformer", Transformer(), 100)):
        if not chosen or f"encode {name}" in chosen:
            rate, slow = encoding(kind, device, sentences), encoding(kind, "cpu", sentences[:few])
            rates = f"{rate:,.0f} sentences/s", f"{slow:,.0f}"
            table.row(f"encoding by {name}", "20 times", *rates, rate / slow)
    if not chosen or "search" in chosen:
        rate, slow, same = searching(device)
        ids = "ids as the CPU's" if same else "OTHER IDS THAN THE CPU"
        rates = f"{rate / 1e12:.1f} TFLOP/s", f"{slow / 1e12:.3f}"
        table.row(f"exact search, {ids}", "25 TFLOP/s", *rates, rate / slow)


def main() -> None:
    """Measure, check, print, and write the page."""
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--device", default="cuda", help="cuda (default); cpu tries the script")
    parser.add_argument("--only", nargs="*", default=[], help="names of works; default: all")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    options = parser.parse_args()
    names = {work.name for work in works()} | {"translator", "encode LSTM", "encode transformer"}
    if unknown := set(options.only) - names - {"search"}:
        parser.error(f"no work is called {', '.join(sorted(unknown))}: {', '.join(sorted(names))}")
    if options.only and options.write:
        parser.error("--write takes the whole table: leave --only out")
    device, chosen, began = options.device, set(options.only), time.perf_counter()
    torch.set_num_threads(1)
    table = Table()
    ceilings = rates_of(device)
    rates, recorded = train_rows(table, device, chosen, ceilings)
    other_rows(table, device, chosen)
    table.say()
    for work in works():
        if work.name in {"SP 300, batch 128", "LSTM, batch 128", "transformer, batch 128"}:
            apart, same = agreement(work, device)
            twice = "the same bytes twice" if same else "OTHER BYTES THE SECOND TIME"
            name = work.name.split(",")[0]
            table.say(f"- {name}, 1,280 pairs: {apart:.0e} from the CPU's table; {twice}.")
    table.say(f"- To load kernels and to record steps takes up to {recorded:.1f} s of a training.")
    for name in ("SP 300, batch 128, full mega-batches", "LSTM, batch 128"):
        if name in rates:
            hours = 10 * PAPER_PAIRS / rates[name] / 3600
            table.say(f"- {name}: 10 epochs of 1 million pairs take {hours:.2f} hours.")
    copied, products, halves = ceilings
    both = f"{halves / 1e12:,.0f} TFLOP/s in bfloat16 and {products / 1e12:.0f} in float32"
    table.say(f"- A copy moves {copied / 1e12:.2f} TB/s; products do {both}.")
    card = torch.cuda.get_device_name(device) if device != "cpu" else platform.processor()
    table.say(f"- {card}, {datetime.date.today()}, Python {platform.python_version()}, PyTorch "
              f"{torch.__version__}; {time.perf_counter() - began:.0f} s.")  # fmt: skip
    if options.write:
        page = options.write.read_text()
        head, rest = page.split(BEGIN)
        table_lines = "\n".join(table.lines)
        options.write.write_text(f"{head}{BEGIN}\n{table_lines}\n{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    main()
