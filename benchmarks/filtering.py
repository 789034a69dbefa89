"""The speed of `tandem filter`, beside OpusFilter with the same filters on the same pairs.

    python benchmarks/filtering.py [--pairs 1000000] [--jobs 2] [--opusfilter FOLDER/bin/opusfilter]

Pairs are made up: words of random letters, so that nothing is downloaded. The filters are words in
each side (3 to 60) and the ratio of the lengths in characters (at most 2.5). OpusFilter needs an
environment of its own (`pip install opusfilter`), which --opusfilter names; it is given as many
processes. Both write the same pairs, which is checked. Prints pairs/s, the peak memory of the
largest process and the ratio of the speeds.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

WORDS, RATIO = (3, 60), 2.5
SIDES = ("en", "de")


def write_pairs(folder: Path, pairs: int) -> None:
    """Write two files of made-up text; one pair in twelve is refused."""
    random = np.random.default_rng(1)
    letters = list("etaoinshrdlcumwfgypbvk")
    words = ["".join(random.choice(letters, size)) for size in random.integers(2, 10, 20_000)]
    for side in SIDES:
        with open(folder / side, "w", encoding="utf-8") as out:
            for size in np.maximum(random.normal(18, 3, pairs), 1).astype(int).tolist():
                out.write(" ".join(words[i] for i in random.integers(0, len(words), size)) + "\n")


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
        rates: dict[str, list[float]] = {}
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
    for who, found in rates.items():
        print(f"{who:<14} {max(found):>10,.0f} pairs/s")
    print(f"peak memory of {next(iter(rates))}: {peak:,.0f} MiB")
    if options.opusfilter:
        print(f"ratio {max(rates['tandem filter']) / max(rates['OpusFilter']):.1f}")


def timed(rates: dict[str, list[float]], who: str, pairs: int, run, *arguments) -> Path:  # noqa: ANN001, ANN002
    """Run, and note pairs/s."""
    start = time.perf_counter()
    place = run(*arguments)
    rates.setdefault(who, []).append(pairs / (time.perf_counter() - start))
    return place


if __name__ == "__main__":
    main()
