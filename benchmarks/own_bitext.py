"""Is `tandem train` without options near the best that its settings give, whatever the amount?

    python benchmarks/own_bitext.py --languages de es tr zh --pairs 1000 10000 60000
    python benchmarks/own_bitext.py --languages mul --pairs 1000000 --dropouts 0.3 --megabatches 120

For each language with English and each number of pairs: P@1 of 2,000 further pairs, the mean of
both directions, with default settings and with every setting of a grid, trained on the same pairs.
`mul` is all languages together. The text is that of the collection `many`, in an order that the
seed draws (`snakemake results/many/corpora/many` makes it). Finished trainings are kept in --log,
with a digest of their settings, text and code, and a second call goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

# before NumPy and PyTorch: a process for each job, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import trials

from tandem import train
from tandem.corpora.readers import Pair
from tandem.io import read_lines
from tandem.objectives.margin import Margin
from tandem.own_bitext.quality import encoded, retrieval
from tandem.provenance import source_digest

ROOT = Path(__file__).parents[1]
ALL = "mul"
SEED = 1
FURTHER = 2000
"""Pairs that P@1 is measured on."""


@dataclass(frozen=True)
class Trial:
    """A training: on what, and with which settings; None: the default."""

    folder: Path
    language: str
    pairs: int
    learning_rate: float | None = None
    dropout: float | None = None
    megabatch: int | None = None

    def settings(self) -> dict[str, Any]:
        """Return the settings that are not left to their defaults."""
        return {k: v for k, v in list(asdict(self).items())[3:] if v is not None}


def main() -> None:
    """Read the options, train and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--languages", nargs="+", required=True)
    parser.add_argument("--pairs", nargs="+", type=int, required=True)
    parser.add_argument("--rates", nargs="+", type=float, default=[0.016, 0.032, 0.064, 0.128])
    parser.add_argument("--dropouts", nargs="+", type=float, default=[0.0, 0.3, 0.5])
    parser.add_argument("--megabatches", nargs="+", type=int, default=[8, 120])
    parser.add_argument("--folder", type=Path, default=ROOT / "results/many/corpora/many")
    parser.add_argument("--log", type=Path, default=ROOT / "results/benchmarks/own_bitext.jsonl")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    grid = list(product(options.rates, options.dropouts, options.megabatches))
    print("| language | pairs | default | best | its settings | default below | seconds |")
    print("| --- | ---: | ---: | ---: | --- | ---: | ---: |")
    for pairs, language in product(options.pairs, options.languages):
        own = options.folder, language, pairs
        jobs = [Trial(*own), *(Trial(*own, *settings) for settings in grid)]
        found = trials.results(jobs, key, work, options.log, options.jobs)
        scores = {job: found[job]["p_at_1_x100"] for job in jobs}
        best = max(jobs[1:], key=scores.__getitem__)
        how = ", ".join(f"{name} {value:g}" for name, value in best.settings().items())
        below = scores[best] - scores[jobs[0]]
        print(
            f"| {language} | {pairs:,} | {scores[jobs[0]]:.1f} | {scores[best]:.1f} | {how} "
            f"| {below:.1f} | {found[jobs[0]]['seconds']:.0f} |",
            flush=True,
        )


def work(trial: Trial) -> dict[str, Any]:
    """Train in a folder that is then removed; return what was measured."""
    settings = trial.settings()
    megabatch = settings.pop("megabatch", None)
    objective = None if megabatch is None else Margin(megabatch=megabatch)
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        pairs, further = read(trial)
        languages, model = ("en", trial.language), Path(folder) / "model"
        encoder = train(pairs, languages, model, objective=objective, recipe=settings)
    spent = time.process_time() - begun
    return {
        "trial": {k: str(v) if isinstance(v, Path) else v for k, v in asdict(trial).items()},
        "epoch": encoder.metadata["epoch"],
        "seconds": spent,
        **retrieval(encoded(encoder, further, languages)),
    }


def read(trial: Trial) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of a trial, and those that it is measured on."""
    every = list(_lines(trial.folder, trial.language))
    needed = trial.pairs + FURTHER
    if len(every) < needed:
        raise SystemExit(f"{trial.language} has {len(every):,} pairs, not {needed:,}")
    drawn = np.random.default_rng(SEED).permutation(len(every))[:needed]
    rows = (every[row].split("\t") for row in drawn)
    pairs = [(left, right) for _, left, right in rows]
    return pairs[: trial.pairs], pairs[trial.pairs :]


def _lines(folder: Path, language: str) -> Iterator[str]:
    for path in sorted(_parts(folder, language)):
        yield from read_lines(path)


def _parts(folder: Path, language: str) -> Iterator[Path]:
    """Yield the parts of English and a language, or of all languages."""
    for path in folder.glob("train/*.tsv"):
        _, left, right = path.name.removesuffix(".tsv").rsplit(".", 2)
        if left == "en" and (right == language or (language == ALL and not right.startswith("en"))):
            yield path


@cache
def code() -> str:
    """Return a digest of all code that a result depends on."""
    return source_digest(Path(__file__), packages={})


@cache
def text(folder: Path, language: str) -> str:
    """Return a digest of the text's files."""
    sizes = [(path.name, path.stat().st_size) for path in sorted(_parts(folder, language))]
    return hashlib.sha256(repr(sizes).encode()).hexdigest()


def key(trial: Trial) -> str:
    """Return a digest of all that a result depends on."""
    made_of = {**asdict(trial), "folder": text(trial.folder, trial.language), "code": code()}
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    main()
