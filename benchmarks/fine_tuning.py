"""How fast a pretrained encoder is fine-tuned and encodes, and what is chosen on held-out labels.

    python benchmarks/fine_tuning.py speed [--model e5] [--device cuda]
    python benchmarks/fine_tuning.py choose PAIRS TRIALS [--model e5] [--pairs 1500] [--log LOG]

`speed` prints pairs a second of training and sentences a second of encoding, each with the share of
the limit: of what the matrix products alone would take at the rate of a large product, measured in
the same run. PAIRS of `choose` is a folder of labelled pairs that the workflow built
(`results/pawsx/corpora/...`), and TRIALS a YAML list of `encoder`, `objective` and `recipe`, whose
values replace the usual ones. It trains by each on the first pairs, and prints accuracy on the
validation split of the languages that are trained on: nothing that is reported is looked at. With a
log, trials that it has are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch: one thread of the CPU

import numpy as np
from generative import moment, products
from torch.utils.flop_counter import FlopCounterMode

from tandem.corpora.labelled import read_training
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained import load_pretrained
from tandem.files.io import read_yaml
from tandem.machine import place
from tandem.objectives.kinds.scaled_cosine import ScaledCosine
from tandem.objectives.objective import OBJECTIVES
from tandem.segmentation.ragged import Ragged
from tandem.statistics.identification import best_accuracy
from tandem.tasks.selection import scored
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of, train_encoder

RECIPE = {
    "epochs": 2, "batch": 32, "dropout": 0.0, "learning_rate": 0.0002, "warmup": 40,
    "decay": "linear", "frozen": "embeddings", "frozen_layers": 4,
}  # fmt: skip
"""The study's at the default scale, but for its four passes and the order of its pairs."""
LENGTH = 30
"""Tokens of a sentence of PAWS-X, about."""


def drawn(encoder: SentenceEncoder, count: int, share: int = 1) -> Pairs:
    """Draw labelled pairs of as long sentences as those of PAWS-X.

    So many pairs `share` a left sentence, and as many have the same right one, in other pairs.
    """
    random = np.random.default_rng(1)

    def side() -> Ragged:
        lengths = random.poisson(LENGTH - 2, count) + 2
        ids = random.integers(4, len(encoder.segmenter), lengths.sum(), np.int32)
        return Ragged(ids, np.append(0, np.cumsum(lengths)))

    number = np.arange(count) // share
    left, right = side().gather(number), side().gather(number[::-1].copy())
    return Pairs(left, right, True, labels=random.integers(2, size=count).astype(np.int8))


def speed(model: str, device: str, steps: int) -> None:
    """Print how fast a model learns, in each precision, and encodes."""
    encoder = load_pretrained(model, device=device)
    print("| work | a second | share of the limit |\n|---|---|---|")
    # PAWS-Wiki's sentences are in 2.3 pairs on average
    for precision, share in (("float32", 1), ("float32", 2), ("bfloat16", 1), ("bfloat16", 2)):
        text = drawn(encoder, 32 * (steps + 4), share)
        order = "pairs" if share == 1 else "groups"
        recipe = Recipe(**RECIPE | {"precision": precision, "order": order})
        run = Run(encoder.kind, ScaledCosine(), recipe, 1)
        learner = course_of(run, len(encoder.segmenter), [text], device, encoder).learner
        learner.begin(0)
        learner.advance()
        with FlopCounterMode(display=False) as counter:
            learner.advance()
        needed = counter.get_total_flops() / products(device, precision == "bfloat16")
        start = moment(device)
        for _ in range(steps):
            learner.advance()
        seconds = (moment(device) - start) / steps
        print(f"| training, {precision}, {share} pairs a sentence, pairs | {32 / seconds:,.1f} | "
              f"{100 * needed / seconds:.0f}% |", flush=True)  # fmt: skip
    encoder.encode_ids(text.left.part(0, 64))
    with FlopCounterMode(display=False) as counter:
        encoder.encode_ids(text.left.part(0, 64))
    needed = counter.get_total_flops() / products(device, bfloat16=False)
    start = moment(device)
    for _ in range(steps):
        encoder.encode_ids(text.left.part(0, 64))
    seconds = (moment(device) - start) / steps
    print(f"| encoding, float32, sentences | {64 / seconds:,.1f} | {100 * needed / seconds:.0f}% |")


def labelled(encoder: SentenceEncoder, path: Path, most: int | None) -> Pairs:
    """Return the first pairs of a file of the workflow."""
    lines = list(read_training(path))[:most]
    segment = encoder.segmenter.encoder("en")
    keys = np.array([[x.left_key for x in lines], [x.right_key for x in lines]])
    labels = np.array([line.label for line in lines], np.int8)
    sides = segment([x.left for x in lines]), segment([x.right for x in lines])
    return Pairs(*sides, False, keys, labels=labels)


def tried(
    trial: dict[str, Any], start: SentenceEncoder, train: Pairs, valid: Pairs
) -> dict[str, Any]:
    """Train by a trial; return the accuracy of the best threshold, and the time of training."""
    kind = ENCODERS.parse(trial.get("encoder", {"kind": "pretrained"}))
    objective = OBJECTIVES.parse(trial.get("objective", {"kind": "scaled-cosine"}))
    recipe = Recipe(**RECIPE | trial.get("recipe", {}))
    run = Run(kind, objective, recipe, int(trial.get("seed", 1)))
    began = time.perf_counter()
    encoder, _ = train_encoder(run, start.segmenter, [train], None, start=start, show=False)
    seconds = time.perf_counter() - began
    assert valid.labels is not None
    accuracy = best_accuracy(scored(encoder.encode_ids, valid.left, valid.right), valid.labels)[1]
    return {"trial": trial, "accuracy_x100": 100 * accuracy, "seconds": seconds}


def choose(folder: Path, trials: str, model: str, most: int | None, log: str | None) -> None:
    """Print the accuracy of each trial."""
    start = load_pretrained(model)
    train = labelled(start, folder / "train.tsv", most)
    valid = labelled(start, folder / "selection.tsv", None)
    finished: dict[str, Any] = {}
    if log and Path(log).exists():
        for line in Path(log).read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            finished[json.dumps(entry["trial"], sort_keys=True)] = entry
    print(f"{len(train.left):,} pairs, {len(valid.left):,} to choose on")
    for trial in read_yaml(trials):
        result = finished.get(json.dumps(trial, sort_keys=True))
        if result is None:
            result = tried(trial, start, train, valid)
            if log:
                with open(log, "a", encoding="utf-8") as out:
                    out.write(json.dumps(result) + "\n")
        accuracy, seconds = result["accuracy_x100"], result["seconds"]
        print(f"{accuracy:.2f} ({seconds:.0f} s): {json.dumps(trial)}", flush=True)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    timed = commands.add_parser("speed")
    timed.add_argument("--steps", type=int, default=6)
    timed.add_argument("--device", default="cpu")
    chosen = commands.add_parser("choose")
    chosen.add_argument("folder", type=Path)
    chosen.add_argument("trials")
    chosen.add_argument("--pairs", type=int)
    chosen.add_argument("--log")
    for command in (timed, chosen):
        command.add_argument("--model", default="e5")
    options = parser.parse_args()
    if options.command == "speed":
        speed(options.model, place(options.device), options.steps)
    else:
        choose(options.folder, options.trials, options.model, options.pairs, options.log)
    return 0


if __name__ == "__main__":
    sys.exit(main())
