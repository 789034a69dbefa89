"""How much wider intervals of STS are where pairs that share a sentence are resampled together.

    python benchmarks/shared_sentences.py [--folder results] EXPERIMENT EXPERIMENT [EXPERIMENT ...]

Tandem resamples the pairs of a task one by one, as is usual. Captions of images, hypotheses of
several translators of one sentence and answers to one question stand in many pairs, which then say
less than as many others would. Printed are, for all tasks and for each subset of them, the standard
deviation of r x 100 of the first experiment, and of its difference from each other one, over
resamples of groups of pairs that share a sentence, also by way of other pairs, divided by that over
resamples of pairs; and how many pairs and groups there are. One seed each.

Needs the corpora and STS scores of the experiments (`results/scores/sp.bitext/sts` and the like).
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from learning import load
from numpy.typing import NDArray

from tandem.corpora.families import Keys
from tandem.reporting.writer import grid
from tandem.tasks.sts_data import read_index, read_task
from tandem.tasks.task import Items, read_items

RESAMPLES = 2000


def groups(folder: Path, task: str, languages: Sequence[str]) -> NDArray[np.int64]:
    """Return the group of each pair of a task, (pairs,): equal where pairs share a sentence."""
    pairs, keys = read_task(folder / f"{task}.tsv", languages), Keys()
    first, second = (
        [f"{code} {text}" for text in side]
        for code, side in zip(languages, (pairs.first, pairs.second), strict=True)
    )
    for left, right in zip(first, second, strict=True):
        keys.join(left, right)
    return np.unique([keys[text] for text in first], return_inverse=True)[1]


def draws(systems: Sequence[Items], place: int, group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Pearson's r of a task in each resample of groups, (systems, resamples)."""
    part = slice(*systems[0]["offsets"][place : place + 2])
    gold, cosines = systems[0]["gold"][part], np.stack([s["cosine"][part] for s in systems])
    rng = np.random.default_rng([1, zlib.crc32(str(systems[0]["task"][place]).encode())])
    count = int(group.max()) + 1
    times = rng.multinomial(count, np.full(count, 1 / count), RESAMPLES)[:, group]
    weights = times / times.sum(axis=1, keepdims=True)
    x, y = cosines.T, gold[:, None]
    mean_x, mean_y = weights @ x, weights @ y
    spread = (weights @ x**2 - mean_x**2) * (weights @ y**2 - mean_y**2)
    return ((weights @ (x * y) - mean_x * mean_y) / np.sqrt(spread)).T


def spreads(systems: Sequence[Items], tasks: Sequence[str], drawn: NDArray[np.float64]) -> NDArray:
    """Return the standard deviation of the first system and of its differences, x 100, (systems,).

    Of the mean of years, each the mean of its tasks; `drawn` is (tasks, systems, resamples).
    """
    names, years = systems[0]["task"].tolist(), systems[0]["year"]
    chosen = np.array([name in tasks for name in names])
    share = np.array([1 / (chosen & (years == year)).sum() if ok else 0.0
                      for year, ok in zip(years, chosen, strict=True)])  # fmt: skip
    share /= len(set(years[chosen].tolist()))
    means = 100 * np.tensordot(share, drawn, axes=1)
    return np.std(np.vstack([means[:1], means[0] - means[1:]]), axis=1)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiments", nargs="+", metavar="EXPERIMENT")
    parser.add_argument("--folder", type=Path, default=Path("results"))
    options = parser.parse_args()
    corpus = options.folder / "corpora/sts"
    index = read_index(corpus)
    scores = [min((options.folder / "scores" / name / "sts").glob("*.npz"))
              for name in options.experiments]  # fmt: skip
    systems = [read_items(path) for path in scores]
    names = systems[0]["task"].tolist()
    together = [groups(corpus, name, index.tasks[name]["languages"]) for name in names]
    apart = [np.arange(len(group)) for group in together]
    grouped, single = (
        np.stack([draws(systems, place, group) for place, group in enumerate(way)])
        for way in (together, apart)
    )
    rows = []
    common = load(())[0].study.tasks["sts"].subsets["common"]
    for label, tasks in ((f"{len(common)} tasks", common), (f"all {len(names)} tasks", names)):
        ratios = spreads(systems, tasks, grouped) / spreads(systems, tasks, single)
        some = [group for name, group in zip(names, together, strict=True) if name in tasks]
        counts = [sum(map(len, some)), sum(int(group.max()) + 1 for group in some)]
        rows.append([label, *(f"{n:,}" for n in counts), *(f"{ratio:.2f}" for ratio in ratios)])
    first, *others = options.experiments
    heads = ["", "pairs", "groups", first, *(f"{first} - {other}" for other in others)]
    print(grid(heads, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
