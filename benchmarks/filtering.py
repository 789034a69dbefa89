"""The speed of `tandem filter`, beside OpusFilter with the same filters on the same pairs.

    python benchmarks/filtering.py [--pairs 1000000] [--jobs 2] [--opusfilter FOLDER/bin/opusfilter]

Pairs are made up: words of random letters, so that nothing is downloaded. The filters are words in
each side (3 to 60) and the ratio of the lengths in characters (at most 2.5). OpusFilter needs an
environment of its own (`pip install opusfilter`), which --opusfilter names; it is given as many
processes. Both write the same pairs, which is checked. Prints pairs/s, pairs per second of
processor time (which a busy machine changes little), the peak memory of the largest process and the
ratio of the speeds.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

WORDS, RATIO = (3, 60), 2.5
SIDES = ("en", "de")


class Rates(NamedTuple):
    """Pairs a second, as the clock goes and of processor time."""

    wall: float
    processor: float


def write_pairs(folder: Path, pairs: int) -> None:
    """Write two files of made-up text, drawn from 50,000 sentences; one pair in nine is refused."""
    random = np.random.default_rng(1)
    letters = list("etaoinshrdlcumwfgypbvk")
    words = ["".join(random.choice(letters, size)) for size in random.integers(2, 10, 20_000)]
    for side in SIDES:
        sizes = np.maximum(random.normal(18, 6, 50_000), 1).astype(int).tolist()
        known = [" ".join(words[i] for i in random.integers(0, len(words), n)) for n in sizes]
        with open(folder / side, "w", encoding="utf-8") as out:
            for start in range(0, pairs, 100_000):
                drawn = random.integers(0, len(known), min(100_000, pairs - start))
                out.write("".join(f"{known[i]}\n" for i in drawn.tolist()))


def ours(folder: Path, jobs: int) -> Path:
    """Filter with Tandem; return the file of kept pairs."""
    rules = {"words": dict(zip(("minimum", "maximum"), WORDS, strict=True)),
             "ratio": {"maximum": RATIO}}  # fmt: skip
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules, sort_keys=False))
    command = [sys.executable, "-m", "tandem", "filter", "rules.yaml", *SIDES]
    command += ["--languages", *SIDES, "--out", "kept.tsv", "--jobs", str(jobs), "--quiet"]
    subprocess.run([*command, "--overwrite"], cwd=folder, check=True)
    return folder / "kept.tsv"


def theirs(folder: Path, jobs: int, program: str) -> Path:
    """Filter with OpusFilter; return the file of kept pairs, as columns."""
    filters = [
        {"LengthFilter": {"unit": "word", "min_length": WORDS[0], "max_length": WORDS[1]}},
        # strictly under its threshold
        {"LengthRatioFilter": {"unit": "char", "threshold": float(np.nextafter(RATIO, 3))}},
    ]
    outputs = [f"kept.{side}" for side in SIDES]
    parameters = {"inputs": list(SIDES), "outputs": outputs, "filters": filters, "n_jobs": jobs}
    steps = {"common": {"output_directory": str(folder)},
             "steps": [{"type": "filter", "parameters": parameters}]}  # fmt: skip
    (folder / "steps.yaml").write_text(yaml.safe_dump(steps))
    command = [program, "--overwrite", "steps.yaml"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    lines = [(folder / name).read_text().splitlines() for name in outputs]
    place = folder / "theirs.tsv"
    place.write_text("".join(f"{a}\t{b}\n" for a, b in zip(*lines, strict=True)))
    return place


def main() -> None:
    """Measure, in turns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--opusfilter", metavar="PROGRAM", help="also measure this one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pairs(folder, options.pairs)
        rates: dict[str, list[Rates]] = {}
        for _ in range(options.rounds):
            kept = timed(rates, "tandem filter", options.pairs, ours, folder, options.jobs)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            if options.opusfilter:
                program = str(Path(options.opusfilter).resolve())
                arguments = folder, options.jobs, program
                other = timed(rates, "OpusFilter", options.pairs, theirs, *arguments)
                if kept.read_bytes() != other.read_bytes():
                    raise SystemExit("the two keep different pairs")
        pairs = len(kept.read_text().splitlines())
    print(f"{pairs:,} of {options.pairs:,} pairs kept; {options.jobs} processes")
    best = {who: Rates(*map(max, zip(*found, strict=True))) for who, found in rates.items()}
    for who, rate in best.items():
        print(f"{who:<14} {rate.wall:>10,.0f} pairs/s, {rate.processor:>9,.0f} of processor time")
    print(f"peak memory of {next(iter(rates))}: {peak:,.0f} MiB")
    if options.opusfilter:
        both = zip(*(best[who] for who in ("tandem filter", "OpusFilter")), strict=True)
        wall, processor = (ours / theirs for ours, theirs in both)
        print(f"ratio {wall:.1f}, of processor time {processor:.1f}")


def timed(rates: dict[str, list[Rates]], who: str, pairs: int, run, *arguments) -> Path:  # noqa: ANN001, ANN002
    """Run, and note pairs/s."""
    start, used = time.perf_counter(), _processor_seconds()
    place = run(*arguments)
    found = Rates(pairs / (time.perf_counter() - start), pairs / (_processor_seconds() - used))
    rates.setdefault(who, []).append(found)
    return place


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
