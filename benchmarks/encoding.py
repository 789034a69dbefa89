"""Measure encoding from raw text to vectors, against SentencePiece's own encoding as the limit.

Everything takes turns in one run: the encoders read each part of the text once, and SentencePiece
the same lines with as many threads as there are processors; the last part is read again.
`--stream` then encodes that many synthetic lines and prints the resident memory on the way, which
must not grow. `--fresh` encodes that many lines at a time, each once: words not seen before take
longer, and are fewer from part to part.

    python benchmarks/encoding.py --model results/models/sp.bitext/seed1 --text my.en --language en
    python benchmarks/encoding.py --model MODEL --text my.en --language en --stream 10000000
    python benchmarks/encoding.py --model MODEL --text my.en --language en --fresh 4000
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

import numpy as np
import sentencepiece as spm

from tandem.encoders.baselines import load_baseline
from tandem.encoders.model import SentenceEncoder
from tandem.files.io import read_lines
from tandem.timing.rates import Rates, available_processors, measure
from tandem.timing.unread import divide

SECONDS = 10.0
"""Of a pass: slower encoders get fewer sentences, but a whole batch."""


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--model", type=Path, required=True, help="a model folder of SentencePieces"
    )
    parser.add_argument("--baseline", nargs="*", default=[], help="names of baselines")
    parser.add_argument("--text", type=Path, required=True, help="one sentence a line")
    parser.add_argument("--language", required=True)
    parser.add_argument("--sentences", type=int, default=128_000)
    parser.add_argument("--batch", type=int, nargs="+", default=[128, 1024, 4096])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--stream", type=int, metavar="LINES", help="stream this many lines instead"
    )
    parser.add_argument(
        "--fresh", type=int, metavar="LINES", help="encode each line once, this many at a time"
    )
    options = parser.parse_args()
    encoder = SentenceEncoder.load(options.model, options.device)
    sentences = list(islice(read_lines(options.text), options.sentences))
    if options.stream:
        stream(encoder, sentences, options)
    elif options.fresh:
        fresh(encoder, sentences, options)
    else:
        compare(encoder, sentences, options)


def compare(encoder: SentenceEncoder, sentences: list[str], options: argparse.Namespace) -> None:
    """Print sentences per second, and their ratio to the limit."""
    contestants = {"tandem": encoder}
    contestants |= {name: load_baseline(name, options.device) for name in options.baseline}
    limit_model = encoder.segmenter.models[options.language]
    probe, parts = divide(list(dict.fromkeys(sentences)), options.repeats)
    rows, limit = measure(
        contestants, probe, parts, options.language, options.batch, SECONDS, limit_model
    )
    print(f"{len(parts)} parts of {len(parts[0]):,} sentences, {available_processors()} processors")
    print("sentences per second, and share of SentencePiece's rate")
    print(f"{'SentencePiece, ids only':30}{limit:12,.0f}")
    for row in rows:
        report(row, limit)


def report(row: Rates, limit: float) -> None:
    """Print the figures of one encoder."""
    figures = {"read once": median(row.unseen)}
    figures |= {f"again, batch {size}": rate for size, rate in row.seen.items()}
    for what, rate in figures.items():
        print(f"{f'{row.name}, {row.device}, {what}':30}{rate:12,.0f}{rate / limit:8.2f}")
    if row.tokenisation is not None:
        print(f"{row.name}: tokenisation alone takes {row.tokenisation:.0%} of the best time")


def fresh(encoder: SentenceEncoder, sentences: list[str], options: argparse.Namespace) -> None:
    """Print the rate over each part of a text that has not been read before.

    Every repeat begins with an encoder that has seen nothing; medians over repeats.
    """
    limit_model, batch = encoder.segmenter.models[options.language], options.batch[-1]
    limit = spm.SentencePieceProcessor(model_file=str(limit_model))
    size = options.fresh
    parts = [sentences[start : start + size] for start in range(0, len(sentences), size)]
    seconds = np.zeros((options.repeats, len(parts), 2))
    for repeat in range(options.repeats):
        encoder = SentenceEncoder.load(options.model, options.device)
        encoder.encode([""], options.language, batch)
        for place, part in enumerate(parts):
            for column, encode in enumerate([
                partial(encoder.encode, language=options.language, batch_size=batch),
                partial(limit.encode, num_threads=available_processors()),
            ]):  # fmt: skip
                start = time.perf_counter()
                encode(part)
                seconds[repeat, place, column] = time.perf_counter() - start
    print(f"medians of {options.repeats}; sentences per second")
    print(f"{'lines read before':>18}{'tandem':>12}{'SentencePiece':>16}{'share':>8}")
    rates = np.array([len(part) for part in parts])[:, None] / np.median(seconds, axis=0)
    rates = [*rates, len(sentences) / np.median(seconds.sum(axis=1), axis=0)]
    heads = [*(f"{place * size:,}" for place in range(len(parts))), "the whole pass"]
    for head, (own, other) in zip(heads, rates, strict=True):
        print(f"{head:>18}{own:12,.0f}{other:16,.0f}{own / other:8.2f}")


def stream(encoder: SentenceEncoder, sentences: list[str], options: argparse.Namespace) -> None:
    """Encode many lines and print the memory held after every tenth of them."""
    lines = synthetic_lines(sentences, options.stream, seed=0)
    start, done, tenth = time.perf_counter(), 0, options.stream // 10
    for vectors in encoder.encode_stream(lines, options.language, options.batch[-1]):
        if (done + len(vectors)) // tenth > done // tenth:
            seconds = time.perf_counter() - start
            print(
                f"{done + len(vectors):12,} lines {seconds:7.0f} s, {resident_mib()} MiB resident"
            )
        done += len(vectors)


def synthetic_lines(sentences: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield `count` lines made of halves of the given sentences, drawn at random."""
    random = np.random.default_rng(seed)
    for start in range(0, count, 10_000):
        size = min(10_000, count - start)
        for one, other in random.integers(len(sentences), size=(size, 2)).tolist():
            left, right = sentences[one].split(), sentences[other].split()
            yield " ".join(left[: len(left) // 2] + right[len(right) // 2 :])


def resident_mib() -> int:
    """Return the memory that this process holds now."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) >> 10


if __name__ == "__main__":
    main()
