"""How fast generative models train, beside what arithmetic allows; and one training by itself.

    python benchmarks/generative.py speed [--device cuda] [--size default | paper]
    python benchmarks/generative.py describe EXPERIMENT --seed 1 --scale gpu --out run.json
    python benchmarks/generative.py train run.json SEGMENTED --out MODEL [--device cuda]

`speed` trains the seven models of wieting2020 on text drawn by Zipf's law, and prints tokens a
second, the time of a step, and the share of it that its products would take at the rate of a large
product, measured in the same run. `describe` writes what an experiment of the study trains;
`train` trains it on a segmented folder (`results/bgt/vocab/...`) and writes the model folder that
the workflow would: it needs neither Snakemake nor the study, so that it runs on a machine with a
card that has little else. A training that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch: one thread of the CPU

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from tandem.encoders.encoder import ENCODERS
from tandem.files.atomic import remove
from tandem.files.io import read_json, read_yaml, write_json
from tandem.machine import learns_on_host, place
from tandem.objectives.kinds.generative import Generative
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.training import run as training
from tandem.training.pairs import Pairs, load_pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of

MODELS = {
    "English AE": ("first", "none", False, False),
    "English VAE": ("first", "none", False, True),
    "English Trans": ("none", "second", False, False),
    "Bilingual Trans": ("none", "both", False, False),
    "BGT without language variables": ("both", "both", False, True),
    "BGT without prior": ("both", "both", True, False),
    "BGT": ("both", "both", True, True),
}
"""What each reconstructs and translates; whether it has language variables, and a prior."""
SIZES = {
    "default": {"width": 128, "filter": 256, "layers": 1, "heads": 8, "tokens": 2_000,
                "types": 4_000, "drawn": 500, "length": 18, "parts": 1},
    "paper": {"width": 1024, "filter": 1024, "layers": 5, "heads": 8, "tokens": 25_000,
              "types": 20_000, "drawn": None, "length": 25, "parts": 1},
}  # fmt: skip


def text(types: int, pairs: int, length: int) -> Pairs:
    """Draw pairs of sentences of about `length` types, as frequent as words are."""
    random = np.random.default_rng(1)
    share = 1 / np.arange(1, types + 1)

    def side() -> Ragged:
        lengths = random.poisson(length - 1, pairs) + 1
        ids = random.choice(types, lengths.sum(), p=share / share.sum()).astype(np.int32)
        return Ragged(ids, np.append(0, np.cumsum(lengths)))

    return Pairs(side(), side(), False, languages=("en", "fr"))


def described(model: str, size: dict[str, int]) -> Run:
    """Return the training of a model of a size."""
    reconstructs, translates, variables, prior = MODELS[model]
    width = size["width"]
    body = {
        "kind": "transformer", "pooling": "mean", "dimension": width, "hidden": width,
        "heads": size["heads"], "filter": size["filter"], "layers": size["layers"],
    }  # fmt: skip
    encoder = ENCODERS.parse({"kind": "posterior", "body": body, "latent": width})
    objective = Generative(
        reconstructs=reconstructs, translates=translates, language_variables=variables,
        prior=prior, dimension=width, heads=size["heads"], filter=size["filter"], dropout=0.1,
        tokens=size["tokens"], parts=size["parts"], drawn=size["drawn"],
    )  # fmt: skip
    recipe = Recipe(epochs=1, learning_rate=0.0005, dropout=0.1, warmup=100, decay="root")
    return Run(encoder, objective, recipe, 1)


def products(device: str, bfloat16: bool) -> float:
    """Return the rate of a large product, FLOP/s."""
    count = 8192 if device != "cpu" else 2048
    kind = torch.bfloat16 if bfloat16 else torch.float32
    left, right = (torch.randn(count, count, device=device, dtype=kind) for _ in range(2))
    best = 0.0
    for _ in range(5):
        start = moment(device)
        left @ right
        best = max(best, 2 * count**3 / (moment(device) - start))
    return best


def moment(device: str) -> float:
    """Return the time, in seconds, when a device has done what it was given."""
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter()


def speed(device: str, size: str, steps: int) -> None:
    """Print how fast each model trains."""
    settings, bfloat16 = SIZES[size], not learns_on_host(device)
    pairs = text(settings["types"], 40 * settings["tokens"] // settings["length"],
                 settings["length"])  # fmt: skip
    rate = products(device, bfloat16)
    print(f"{size} size on {device}, {torch.get_num_threads()} thread; "
          f"large product: {rate / 1e9:,.0f} GFLOP/s\n")  # fmt: skip
    print("| model | ms a step | tokens/s, both sides | share of the limit |\n|---|---|---|---|")
    for model in MODELS:
        learner = course_of(described(model, settings), settings["types"], [pairs], device).learner
        learner.begin(0)
        for _ in range(3):
            learner.advance()
        with FlopCounterMode(display=False) as counter:
            learner.advance()
        start, tokens = moment(device), 0
        for _ in range(steps):
            before = learner._place
            learner.advance()
            for part in learner._order[before]:
                rows = learner._text.usable[part]
                tokens += sum(len(s.gather(rows).ids) for s in (pairs.left, pairs.right))
        seconds = moment(device) - start
        needed = counter.get_total_flops() / rate
        print(f"| {model} | {1000 * seconds / steps:,.0f} | {tokens / seconds:,.0f} | "
              f"{100 * needed * steps / seconds:.0f}% |", flush=True)  # fmt: skip


def describe(experiment: str, seed: int, scale: str, out: str) -> None:
    """Write what an experiment of the study trains, and the sides of its text."""
    from tandem.studies.configuration import load_configuration, load_plans, load_registers

    base = Path(__file__).parents[1]
    settings = read_yaml(base / "config.yaml") | {"scale": scale}
    configuration = load_configuration(settings)
    plan = load_plans(configuration, load_registers(configuration, base), base)["results/bgt"]
    setting = plan.setting(experiment)
    values = {
        "experiment": experiment, "seed": seed, "run": plan.run(experiment),
        "sides": plan.sides(setting.corpus), "segmented": plan.segmented(experiment, seed),
    }  # fmt: skip
    write_json(out, values)
    print(f"train it on {values['segmented']}")


def train(file: str, folder: str, out: str, device: str) -> None:
    """Train as the workflow does, and write the model folder."""
    values = read_json(Path(file))
    segmenter = Segmenter.load(Path(folder) / "segmenter")
    texts, held_out = ([load_pairs(folder, split, values["sides"])] for split in ("train", "valid"))
    checkpoint = Path(f"{out}.unfinished")
    start = time.perf_counter()
    trained = training.train_encoder(
        Run.parse(values["run"], values["seed"]), segmenter, texts, None, checkpoint, place(device),
        held_out=held_out[0],
    )  # fmt: skip
    minutes = round((time.perf_counter() - start) / 60, 2)
    origin = {"experiment": values["experiment"], "minutes": minutes}
    training.save_trained(out, *trained, origin, "minus_loss_nats")
    remove(checkpoint)
    print(f"{out}: {minutes} minutes")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    timed = commands.add_parser("speed")
    timed.add_argument("--size", choices=SIZES, default="default")
    timed.add_argument("--steps", type=int, default=10)
    wanted = commands.add_parser("describe")
    wanted.add_argument("experiment")
    wanted.add_argument("--seed", type=int, default=1)
    wanted.add_argument("--scale", default="gpu")
    wanted.add_argument("--out", required=True)
    single = commands.add_parser("train")
    single.add_argument("run")
    single.add_argument("segmented")
    single.add_argument("--out", required=True)
    for command in (timed, single):
        command.add_argument("--device", default="cpu")
    options = parser.parse_args()
    if options.command == "speed":
        speed(place(options.device), options.size, options.steps)
    elif options.command == "describe":
        describe(options.experiment, options.seed, options.scale, options.out)
    else:
        train(options.run, options.segmented, options.out, options.device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
