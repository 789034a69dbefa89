"""Is `tandem train` without options near the best that its settings give, whatever the amount?

    python benchmarks/own_bitext.py --out docs/results/own-bitext.md

For each number of pairs of a language with English: P@1 of 2,000 further pairs, the mean of both
directions, after `tandem train` without options and with the learning rates, dropouts and numbers
of pieces of a grid, trained on the same pairs. `mul` is all languages together. Where a language
has fewer pairs, it is trained on what there is. `--pairs` and `--languages` do a part.

The text is that of the collection `many`, in an order that is drawn once
(`snakemake results/many/corpora/many` makes it). Finished trainings are kept in --log, with a
digest of their settings, text and code, and a second call goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

# before NumPy and PyTorch: a process for each job, a thread for each process
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import trials

from tandem import train
from tandem.encoders.encoder import ENCODERS
from tandem.files.io import read_json, read_lines, write_lines
from tandem.objectives.objective import objective_files
from tandem.own_bitext import recipes
from tandem.own_bitext.quality import encoded, retrieval
from tandem.provenance import PACKAGE, source_digest
from tandem.provenance import ROOT as LIBRARY
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.text import Pair

Values = tuple[float, float, int]
"""Learning rate, dropout, SentencePieces."""
ROOT = Path(__file__).parents[1]
ALL = "mul"
SCORE = "p_at_1_x100"
SEED = 1
FURTHER = 2000
"""Pairs that P@1 is measured on."""
CHOSEN_ON, CONFIRMED_ON = ("de", "tr"), ("es", "zh")
GRID: dict[int, Sequence[Values]] = {
    1_000: [
        (0.064, 0.5, 4000),
        (0.128, 0.5, 4000),
        (0.256, 0.5, 4000),
        (0.128, 0.7, 4000),
        (0.256, 0.7, 4000),
        (0.128, 0.8, 4000),
    ],
    3_000: [(0.064, 0.5, 4000), (0.128, 0.5, 4000), (0.128, 0.7, 4000)],
    10_000: [(0.032, 0.3, 4000), (0.064, 0.5, 4000)],
    60_000: [(0.032, 0.3, 8000), (0.064, 0.3, 8000), (0.032, 0.3, 4000), (0.032, 0.3, 16_000)],
    1_000_000: [(0.032, 0.0, 64_000), (0.032, 0.0, 32_000), (0.064, 0.0, 64_000)],
}
"""What is tried, by the number of pairs."""
MOST = max(GRID)


@dataclass(frozen=True)
class Trial:
    """A training: on what, and with which settings; None: what `tandem train` chooses."""

    folder: Path
    language: str
    pairs: int
    values: Values | None = None

    def recipe(self) -> dict[str, float]:
        """Return the settings of the recipe that are given."""
        return {"learning_rate": self.values[0], "dropout": self.values[1]} if self.values else {}

    def segmentation(self) -> dict[str, int]:
        """Return the settings of the segmentation that are given."""
        return {"size": self.values[2]} if self.values else {}


def main() -> None:
    """Read the options, train and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--languages", nargs="+", default=[*CHOSEN_ON, *CONFIRMED_ON, ALL])
    parser.add_argument("--pairs", nargs="+", type=int, choices=GRID, default=[*GRID])
    parser.add_argument("--folder", type=Path, default=ROOT / "results/many/corpora/many")
    parser.add_argument("--log", type=Path, default=ROOT / "results/benchmarks/own_bitext.jsonl")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="Markdown file; default: standard output")
    options = parser.parse_args()
    done = partial(trials.results, key_of=key, work=work, log=options.log, processes=options.jobs)
    measured = {
        pairs: measure(
            [
                Trial(options.folder, language, pairs)
                for language in options.languages
                if (language == ALL) == (pairs == MOST)
            ],
            done,
        )
        for pairs in options.pairs
    }
    lines = [*summary(chain(*measured.values()))]
    for pairs, found in measured.items():
        lines += everything(pairs, found) if found else ()
    if options.out:
        write_lines(options.out, lines)
    else:
        print("\n".join(lines))


@dataclass(frozen=True)
class Measured:
    """What was found for a language and a number of pairs: the default, and the grid."""

    trial: Trial
    default: dict[str, Any]
    grid: dict[Values, dict[str, Any]]

    @property
    def best(self) -> Values:
        """The values of the grid after which most sentences find their translation."""
        return max(self.grid, key=lambda values: self.grid[values][SCORE])


def measure(texts: Sequence[Trial], done: Callable[..., dict[Trial, Any]]) -> list[Measured]:
    """Train on each text with the default and on the grid, or read what was trained."""
    grids = {trial: {v: replace(trial, values=v) for v in GRID[trial.pairs]} for trial in texts}
    found = done([*texts, *(cell for grid in grids.values() for cell in grid.values())])
    return [
        Measured(trial, found[trial], {values: found[cell] for values, cell in grid.items()})
        for trial, grid in grids.items()
    ]


def summary(measured: Iterable[Measured]) -> Iterator[str]:
    """Yield a table of the defaults beside the best of the grid."""
    yield "| language | pairs | default | best of the grid | default below | epoch | seconds |"
    yield "| --- | ---: | --- | --- | ---: | ---: | ---: |"
    for one in measured:
        default, best = one.default, one.grid[one.best]
        own = default["learning_rate"], default["dropout"], default["pieces"]
        cells = [one.trial.language, f"{default['pairs']:,}"]
        cells += [f"{default[SCORE]:.1f} ({shown(own)})", f"{best[SCORE]:.1f} ({shown(one.best)})"]
        cells += [f"{best[SCORE] - default[SCORE]:.1f}"]
        cells += [f"{default['epoch']}", f"{default['seconds']:.0f}"]
        yield f"| {' | '.join(cells)} |"


def everything(pairs: int, measured: Sequence[Measured]) -> Iterator[str]:
    """Yield a table of what each values of the grid gave for a number of pairs."""
    yield from ("", f"At most {pairs:,} pairs:", "")
    yield f"| rate, dropout, pieces | {' | '.join(one.trial.language for one in measured)} |"
    yield f"| --- |{' ---: |' * len(measured)}"
    for values in GRID[pairs]:
        scores = (f"{one.grid[values][SCORE]:.1f}" for one in measured)
        yield f"| {shown(values)} | {' | '.join(scores)} |"


def shown(values: Values) -> str:
    """Return a learning rate, a dropout and a number of pieces in words."""
    return f"{values[0]:g}, {values[1]:g}, {values[2]:,}"


def work(trial: Trial) -> dict[str, Any]:
    """Train in a folder that is then removed; return what was measured."""
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        pairs, further = read(trial)
        languages, model = ("en", trial.language), Path(folder) / "model"
        asked = {"recipe": trial.recipe(), "segmentation": trial.segmentation(), "start": None}
        encoder = train(pairs, languages, model, **asked)
    seconds = time.process_time() - begun
    recipe = {name: encoder.metadata["recipe"][name] for name in ("learning_rate", "dropout")}
    given = {"language": trial.language, "asked": trial.pairs, "values": trial.values}
    recipe["pieces"] = encoder.segmenter.segmentation.size
    made = {"pairs": len(pairs), "epoch": encoder.metadata["epoch"], "seconds": seconds}
    return given | recipe | made | {SCORE: retrieval(encoded(encoder, further, languages))[SCORE]}


def read(trial: Trial) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of a trial, or all there are, and those that it is measured on."""
    return drawn(sorted(_parts(trial.folder, trial.language)), trial.pairs)


def drawn(parts: Iterable[Path], pairs: int) -> tuple[list[Pair], list[Pair]]:
    """Return so many pairs of a collection's parts, or all there are, and further ones."""
    every = [line for path in parts for line in read_lines(path)]
    order = np.random.default_rng(SEED).permutation(len(every))[: pairs + FURTHER]
    rows = (every[row].split("\t") for row in order)
    chosen = [(left, right) for _, left, right in rows]
    return chosen[:-FURTHER], chosen[-FURTHER:]


def _parts(folder: Path, language: str) -> Iterator[Path]:
    """Yield the parts of English and a language, or of all languages, but for dictionaries."""
    words = read_json(folder / "collection.json")["whole"]
    for path in folder.glob("train/*.tsv"):
        source, left, right = path.name.removesuffix(".tsv").rsplit(".", 2)
        if source in words:
            continue
        if left == "en" and (right == language or (language == ALL and not right.startswith("en"))):
            yield path


@cache
def code() -> str:
    """Return a digest of all code that a result depends on, but for what chooses settings."""
    kinds = ENCODERS.path("averaging"), SEGMENTATIONS.path("sentencepiece")
    files = LIBRARY / PACKAGE / "own_bitext/build.py", *kinds, *objective_files("margin")
    return source_digest(*files, packages={}, without=(recipes.__name__,))


@cache
def text(folder: Path, language: str) -> str:
    """Return a digest of the text's files."""
    sizes = [(path.name, path.stat().st_size) for path in sorted(_parts(folder, language))]
    return hashlib.sha256(repr(sizes).encode()).hexdigest()


def key(trial: Trial) -> str:
    """Return a digest of all that a result depends on: the same for the default as for its values.

    It follows the pairs that are left to train on, which here are on the same side of all borders.
    """
    objective, recipe = recipes.followed(trial.pairs, **trial.recipe())
    made_of = {
        "text": text(trial.folder, trial.language),
        "pairs": trial.pairs,
        "drawn": (SEED, FURTHER),
        "code": code(),
        "objective": objective.model_dump(),
        "recipe": recipe.model_dump(),
        "pieces": recipes.segmentation(trial.pairs, Counter(), (), trial.segmentation()).size,
    }
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    main()
