"""What the default scale chooses, on the selection task alone: STS 2017 en-en, never a scored one.

    python benchmarks/choices.py [--jobs 2] [--folder results]

For every bound of words and vocabulary size: Pearson's r x 100 of SP's best epoch, the mean and
standard deviation over three seeds, on as many pairs each. It needs the corpora of Table 1 under
`--folder` (run `snakemake results/table1.csv` before) and no scored task is read.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import yaml

PAIRS, SEEDS = 12_000, (1, 2, 3)
BOUNDS, SIZES = (1, 2, 3), (4_000, 8_000, 20_000)
ROOT = Path(__file__).parents[1]


def scores(min_words: int, folder: Path) -> dict[int, list[float]]:
    """Return the selection scores of each vocabulary size, one for each seed."""
    # imported in the worker, so that its threads are set before
    from tandem import ragged
    from tandem.corpora.bitext import build_bitext
    from tandem.corpora.clean import Cleaning
    from tandem.corpora.readers import read_bitext
    from tandem.corpora.register import load_register
    from tandem.encoders.composition import EncoderConfig
    from tandem.evaluation.sts import read_task, select_score
    from tandem.io import read_lines
    from tandem.segment import Segmentation, learn
    from tandem.training import run
    from tandem.training.batches import Pairs
    from tandem.training.loop import TrainingConfig

    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    bitext, datasets = config["bitexts"]["en-cs"], load_register(ROOT / "workflow/datasets.yaml")
    downloads = folder / "corpora/downloads"
    sources = {
        name: read_bitext(datasets[name], downloads / name / datasets[name].file, "en", "cs")
        for name in bitext["sources"]
    }
    cleaning = Cleaning(**bitext["cleaning"] | {"min_words": min_words})
    numbers = {name: bitext[name] for name in ("valid", "test", "seed", "max_pairs")}
    task = read_task(folder / f"corpora/sts/{config['sts']['selection']}.tsv")
    found = {}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        numbers |= {"folder": work / "text", "progress": False}
        build_bitext(sources, ("en", "cs"), cleaning, **numbers)
        texts = {side: partial(read_lines, work / f"text/train.{side}") for side in ("en", "cs")}
        for size in SIZES:
            scheme = config["segmentations"]["pieces"] | {"size": size, "marked": ()}
            threads = scheme.pop("threads")
            (work / str(size)).mkdir()
            segmenter = learn(Segmentation(**scheme), texts, work / str(size), threads)
            sides = [
                ragged.from_rows(map(segmenter.encoder(side), texts[side]())).head(PAIRS)
                for side in texts
            ]
            first, second = run.segmented_task(segmenter, zip(task.first, task.second, strict=True))
            select = partial(select_score, first=first, second=second, gold=task.gold)
            found[size] = []
            for seed in SEEDS:
                settings = TrainingConfig(**config["training"]["averaging"], seed=seed)
                _, history = run.train_encoder(
                    segmenter, EncoderConfig("averaging", 300), settings,
                    Pairs(*sides, monolingual=False), select, work / "checkpoint",
                )  # fmt: skip
                found[size].append(max(epoch.validation for epoch in history))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "results")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(arguments.jobs) as pool:
        tables = pool.map(partial(scores, folder=arguments.folder), BOUNDS)
        print(f"STS 2017 en-en, r x 100, {PAIRS:,} pairs, mean and s.d. of {len(SEEDS)} seeds")
        print("words at least  pieces  mean  s.d.")
        for bound, table in zip(BOUNDS, tables, strict=True):
            for size, values in table.items():
                mean, deviation = statistics.mean(values), statistics.stdev(values)
                print(f"{bound:14}  {size:6}  {mean:4.1f}  {deviation:4.1f}", flush=True)


if __name__ == "__main__":
    main()
