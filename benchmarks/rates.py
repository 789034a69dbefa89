"""Values of a recipe, tried on what chooses the epoch of a training: never on what is scored.

    python benchmarks/rates.py FOLDER EXPERIMENT [EXPERIMENT ...] --values KEY=VALUE[,...] ...
        [--scale full] [--configfile FILE] [--seeds 1] [--processes 2] [--log LOG]

    python benchmarks/rates.py results/bgt bgt.fr sp.margin-fr --values epochs=2 learning_rate=0.01

FOLDER is that of a study's results. Each experiment is trained as the study does at the scale, with
each set of values in the place of its recipe's; `epochs=2` alone is the study's own recipe for two
passes (a rate that falls to the end of a training then falls faster). Printed is what the study
chooses an epoch by, after each pass and at its best: minus the loss of held-out pairs in nats, P@1
or accuracy x 100 on them, or r x 100 on the selection task; the larger the better. The text is what
the workflow segmented: a folder that is missing is named, and `snakemake FOLDER/vocab/...` makes
it. Finished trainings are kept in --log, and are not run again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# before NumPy and PyTorch: a process for each core, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import trials
import yaml

from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.files.io import read_yaml, sha256
from tandem.provenance import source_digest
from tandem.reporting.writer import grid
from tandem.segmentation.segmenter import Segmenter
from tandem.studies.configuration import load_configuration, load_plans, load_registers
from tandem.studies.plan import Plan
from tandem.tasks.selection import epoch_choice
from tandem.training.pairs import load_texts
from tandem.training.run import Run, train_encoder

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Trial:
    """A training: an experiment of a study with values in the place of its recipe's."""

    experiment: str
    seed: int
    values: str
    """As they were asked for."""
    run: str
    """What is trained and how, as YAML."""
    segmented: Path
    start: Path | None
    task: Path | None
    sides: tuple[str, ...]
    languages: tuple[str, ...] | None
    """Of a collection whose pairs choose the epoch."""
    pools: str
    selection: str
    code: str
    """Digest of the code that trains."""


def planned(folder: str, scale: str, configfile: str | None) -> Plan:
    """Return the plan of the study whose results are in a folder; TandemError if none are."""
    settings = read_yaml(ROOT / "config.yaml") | {"scale": scale}
    if configfile:
        settings |= read_yaml(configfile)
    configuration = load_configuration(settings)
    plans = load_plans(configuration, load_registers(configuration, ROOT), ROOT)
    if folder not in plans:
        raise TandemError(f"no study writes to {folder}. Take one of {', '.join(plans)}")
    return plans[folder]


def trial(plan: Plan, experiment: str, seed: int, values: str) -> Trial:
    """Return a trial; TandemError where its text has not been segmented, or `values` are none."""
    setting, run = plan.setting(experiment), plan.run(experiment)
    for pair in values.split(","):
        name, equals, value = pair.partition("=")
        if not equals:
            raise TandemError(f"{pair!r} is no value of a recipe. Give KEY=VALUE[,KEY=VALUE ...]")
        run["recipe"][name] = yaml.safe_load(value)
    segmented = ROOT / plan.segmented(experiment, seed)
    start = next((ROOT / path for path in plan.start_model(experiment, seed)), None)
    task = next((ROOT / path for path in plan.selection(experiment)), None)
    needed = segmented, start, task
    for path in filter(None, needed):
        if not path.exists():
            raise TandemError(f"{path} is missing: `snakemake {path.relative_to(ROOT)}` makes it")
    sides = tuple(plan.sides(setting.corpus))
    described = yaml.safe_dump(run, sort_keys=True)
    packages = {plan.name: plan.home.parent}
    code = source_digest(__file__, *plan.training_files(experiment), packages=packages)
    return Trial(
        experiment, seed, values, described, segmented, start, task, sides, setting.languages,
        setting.pools, setting.selection, code,
    )  # fmt: skip


def key(one: Trial) -> str:
    """Return what a result depends on: what is trained, the text and the code."""
    files = sorted(one.segmented.glob("*.npy"))
    if one.start:
        files.append(one.start / "model.safetensors")
    if one.task:
        files += sorted(one.task.glob("valid/*")) if one.task.is_dir() else [one.task]
    trained = (
        one.experiment, one.seed, one.run, one.sides, one.languages, one.pools, one.selection,
        one.code,
    )  # fmt: skip
    known = repr((trained, [sha256(file) for file in files]))
    return hashlib.sha256(known.encode()).hexdigest()[:16]


def work(one: Trial) -> dict[str, Any]:
    """Train; return the score of the held-out pairs after each epoch, and the seconds."""
    segmenter = Segmenter.load(one.segmented / "segmenter")
    select, held_out = epoch_choice(
        one.selection, segmenter, one.segmented, one.sides, task=one.task, languages=one.languages
    )
    texts = load_texts(one.segmented, one.sides, one.pools)
    start = SentenceEncoder.load(one.start) if one.start else None
    run, begun = Run.parse(yaml.safe_load(one.run), one.seed), time.process_time()
    _, epochs = train_encoder(
        run, segmenter, texts, select, start=start, held_out=held_out, show=False
    )
    seconds = time.process_time() - begun
    return {
        "experiment": one.experiment, "seed": one.seed, "values": one.values,
        "scores": [entry.validation for entry in epochs], "seconds": round(seconds),
    }  # fmt: skip


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("experiments", nargs="+", metavar="EXPERIMENT")
    parser.add_argument("--values", nargs="+", required=True, metavar="KEY=VALUE")
    parser.add_argument("--scale", default="default")
    parser.add_argument("--configfile")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--log", type=Path, default=ROOT / "results/benchmarks/rates.jsonl")
    options = parser.parse_args()
    try:
        plan = planned(options.folder, options.scale, options.configfile)
        jobs = [
            trial(plan, experiment, seed, values)
            for experiment in options.experiments
            for values in options.values
            for seed in range(1, options.seeds + 1)
        ]
    except TandemError as error:
        parser.error(str(error))
    found = trials.results(jobs, key, work, options.log, options.processes).values()
    rows = [
        [entry["experiment"], entry["values"], str(entry["seed"]),
         " ".join(f"{score:.2f}" for score in entry["scores"]), f"{max(entry['scores'][1:]):.2f}",
         f"{entry['seconds']:,}"]
        for entry in found
    ]  # fmt: skip
    heads = ["experiment", "values", "seed", "before, after each pass", "best", "seconds of a core"]
    print(grid(heads, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
