"""What the values of yang2019's encoders are chosen on: held-out text that no table scores.

    python benchmarks/dual.py choose [ENCODER.SETTING ...] [--scales X ...] [--rates X ...]
    python benchmarks/dual.py try ENCODER.SETTING KEY=VALUE ... [--pairs N] [--seeds 1]

choose: each encoder with each objective is trained with every value of one grid, of learning rates
(--rates), multipliers of them for token embeddings (--multipliers) and scales of the cosine
(--scales), those that are left out as the study has them, and scored by P@1 x 100 on the validation
books, the mean of both directions, at its best epoch. One rule for all: values are listed from the
lowest, and the first is taken whose mean is within one standard error of the best (of one seed: the
best). It prints the score of each epoch, from the untrained encoder's, and pairs per second of
processor time, too.
try: the same score of one set of values; keys are those of the recipe, objective and architecture.

Both read what `snakemake results/un/corpora/verses` makes, under --folder. Finished trainings are
kept in its benchmarks/dual.jsonl with a digest of their values, text and code, and a second call
goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

# before NumPy and PyTorch: a process for each core, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import trials

from tandem.corpora.collection import read_parts
from tandem.encoders.encoder import ENCODERS
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_yaml, sha256
from tandem.objectives.objective import objective_files
from tandem.provenance import source_digest
from tandem.segmentation.collection import Balance, draw, segment_collection
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.choice import within_one_error
from tandem.studies.configuration import load_configuration, load_plans, load_registers
from tandem.tasks import selection
from tandem.tasks.kinds.retrieval import BitextRetrieval
from tandem.training.pairs import load_collection
from tandem.training.run import Run, train_encoder

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Trial:
    """One training: an experiment of the study in a language, with some of its values changed."""

    experiment: str
    language: str
    seed: int
    pairs: int | None
    changes: tuple[tuple[str, str], ...]

    def values(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what is trained and how, and the segmentation, as plain values."""
        plan = load()
        name, setting = self.experiment.split(".")
        own = f"{name}-{self.language}"
        name = own if own in plan.study.encoders else name
        run = plan.run(f"{name}.{setting}-{self.language}")
        named = plan.study.encoders[name].segmentation
        segmentation = SEGMENTATIONS.dump(plan.study.segmentations[named])
        sections = run["recipe"], run["objective"], run["encoder"], segmentation
        for key, value in self.changes:
            section = next(section for section in sections if key in section)
            section[key] = value if isinstance(section[key], str) else json.loads(value)
        return run, segmentation


def load() -> Any:
    """Return the plan of the study."""
    configuration = load_configuration(read_yaml(ROOT / "config.yaml"))
    return load_plans(configuration, load_registers(configuration, ROOT), ROOT)["results/un"]


def segmented(trial: Trial, folder: Path) -> Path:
    """Return the segmented text of a trial; write it if it is not there."""
    corpus, (_, values) = folder / "corpora/verses", trial.values()
    segmentation = SEGMENTATIONS.parse(values)
    known = json.dumps([trial.pairs, values, sha256(corpus / "collection.json")])
    digest = hashlib.sha256(known.encode()).hexdigest()[:8]
    place = folder / "benchmarks/dual" / f"{trial.language}-{digest}"
    if not place.exists():
        parts = [p for p in read_parts(corpus) if p.right == trial.language]
        with atomic_folder(place) as temporary:
            drawn = draw(corpus, parts, trial.pairs, 1)
            segment_collection(drawn, segmentation, segmentation.sample, Balance(), temporary)
    return place


def train(trial: Trial, folder: Path) -> dict[str, Any]:
    """Train and score; return P@1 x 100 on the validation books and the speed."""
    place, (values, _) = segmented(trial, folder), trial.values()
    segmenter = Segmenter.load(place / "segmenter")
    run = Run.parse(values, trial.seed)
    texts = [text for text in load_collection(place) if len(text.usable)]
    started = time.process_time()
    select = selection.by_collection(segmenter, folder / "corpora/verses", [trial.language])
    encoder, history = train_encoder(run, segmenter, texts, select, device="cpu", show=False)
    seconds = time.process_time() - started
    task = BitextRetrieval(split="valid", languages=(trial.language,))
    items = task.score(encoder, {"corpus": folder / "corpora/verses"})
    pairs = (len(history) - 1) * sum(len(text.usable) for text in texts)  # epoch 0 is untrained
    return {
        "experiment": trial.experiment,
        "language": trial.language,
        "seed": trial.seed,
        "changes": dict(trial.changes),
        "p_at_1_x100": round(float(np.mean([task.estimate(items, u) for u in items])), 2),
        "loss": [round(epoch.loss, 4) for epoch in history if epoch.loss is not None],
        "validation": [round(epoch.validation or 0, 2) for epoch in history],
        "seconds": round(seconds, 1),
        "pairs_per_s": round(pairs / seconds, 1),
    }


def key_of(trial: Trial, folder: Path) -> str:
    """Return a digest of what a finished training depends on: its values, text and code."""
    values, segmentation = trial.values()
    kinds = (
        ENCODERS.path(values["encoder"]["kind"]), SEGMENTATIONS.path(segmentation["kind"]),
        *objective_files(values["objective"]["kind"]),
    )  # fmt: skip
    text = sha256(folder / "corpora/verses/collection.json")
    code = source_digest(__file__, *kinds, packages={})
    known = json.dumps([trial.language, trial.seed, trial.pairs, values, segmentation, text, code])
    return hashlib.sha256(known.encode()).hexdigest()[:16]


def scores(tried: list[tuple[str, tuple]], options: argparse.Namespace) -> np.ndarray:
    """Print the scores of some sets of values; return them, (sets, seeds)."""
    seeds = range(1, options.seeds + 1)
    known = options.language, options.pairs

    def trial(name: str, seed: int, changes: tuple) -> Trial:
        return Trial(name, known[0], seed, known[1], changes)

    jobs = [trial(name, seed, changes) for name, changes in tried for seed in seeds]
    for job in jobs:
        segmented(job, options.folder)
    work, key = partial(train, folder=options.folder), partial(key_of, folder=options.folder)
    log = options.folder / "benchmarks/dual.jsonl"
    found = trials.results(jobs, key, work, log, options.jobs)
    rows = []
    for name, changes in tried:
        own = [found[trial(name, seed, changes)] for seed in seeds]
        rows.append([one["p_at_1_x100"] for one in own])
        said = " ".join(f"{key}={value}" for key, value in changes)
        rate = np.mean([one["pairs_per_s"] for one in own])
        first = own[0]
        shown = f"{rate:.0f} pairs/s, loss {first['loss'][-1]}, {first['validation']}"
        print(f"{name} {said}: P@1 {np.mean(rows[-1]):.1f}, {first['seconds']:.0f} s, {shown}",
              flush=True)  # fmt: skip
    return np.array(rows)


def choose(options: argparse.Namespace) -> None:
    """Print the values that the rule takes for each experiment."""
    chosen = {
        "learning_rate": options.rates,
        "embedding_multiplier": options.multipliers,
        "scale": options.scales,
    }
    keys = [key for key, values in chosen.items() if values]
    if not keys:
        raise SystemExit("nothing to choose from: give --scales, --rates or --multipliers")
    grid = [*itertools.product(*(sorted(chosen[key]) for key in keys))]
    for name in options.values:
        tried = [(name, tuple(zip(keys, map(str, values), strict=True))) for values in grid]
        print(f"  {name}: {grid[int(within_one_error(scores(tried, options)).argmax())]}")


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["choose", "try"])
    parser.add_argument("values", nargs="+", metavar="ENCODER.SETTING or KEY=VALUE")
    parser.add_argument("--rates", type=float, nargs="+", default=[])
    parser.add_argument("--multipliers", type=float, nargs="+", default=[])
    parser.add_argument("--scales", type=float, nargs="+", default=[])
    parser.add_argument("--language", default="fr")
    parser.add_argument("--folder", type=Path, default=ROOT / "results/un")
    parser.add_argument("--pairs", type=int, help="of the training text (default: all)")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_intermixed_args()  # options may stand between values
    if options.what == "choose":
        return choose(options)
    name, *changes = options.values
    split = tuple(tuple(change.split("=", 1)) for change in changes)
    scores([(name, split)], options)
    return None


if __name__ == "__main__":
    main()
