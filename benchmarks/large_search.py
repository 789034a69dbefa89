"""Search two large synthetic sides within bounded memory, and compare a sample with exact search.

    python benchmarks/large_search.py [--sentences 2000000] [--dimension 128] [--memory-mb 4096]

Writes both sides to disk, a block at a time; half of the targets translate a source. Searches both
ways with an approximate index, then a sample of the sources exactly among all targets, and prints
seconds by wall and of processor, sentences per second, the peak memory of the process, the share of
the exact neighbours that were found, and P@1 of the sources that have a translation, both ways of
searching.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import faiss
import numpy as np
import torch

from tandem.files.npy import write_npy
from tandem.search.neighbours import IndexKind, search

BLOCK = 50_000
TOPICS = 1000


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=2_000_000, help="on either side")
    parser.add_argument("--dimension", type=int, default=128)
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--sample", type=int, default=1000, help="sources searched exactly")
    parser.add_argument("--index", type=IndexKind, default=IndexKind.IVF)
    parser.add_argument("--memory-mb", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="where exact search multiplies")
    parser.add_argument("--folder", type=Path, help="where the sides are written")
    options = parser.parse_args()
    faiss.omp_set_num_threads(options.threads)
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        paths = [Path(name) / f"{side}.npy" for side in ("source", "target")]
        for path, side in zip(paths, (0, 1), strict=True):
            with open(path, "wb") as out:
                rows = blocks(options.sentences, options.dimension, side)
                write_npy(out, rows, np.float32, options.dimension)
        compare(paths, Path(name) / "sample.npy", options)


def blocks(sentences: int, dimension: int, side: int) -> Iterator[np.ndarray]:
    """Yield the rows of a side: topics of unequal frequency; half of the targets translate."""
    centres = np.random.default_rng(0).standard_normal((TOPICS, dimension), np.float32)
    weights = 1 / np.arange(1, TOPICS + 1)
    for start in range(0, sentences, BLOCK):
        count = min(BLOCK, sentences - start)
        sources, others = (np.random.default_rng((start, which)) for which in (1, 2))
        own, other = (
            centres[rng.choice(TOPICS, count, p=weights / weights.sum())]
            + 1.5 * rng.standard_normal((count, dimension), np.float32)
            for rng in (sources, others)
        )
        if side:
            half = count // 2
            noise = others.standard_normal((half, dimension), np.float32)
            other[:half] = own[:half] + 1.3 * noise
        yield other if side else own


def translated(rows: np.ndarray, sentences: int) -> np.ndarray:
    """Tell which rows have a translation."""
    counts = np.minimum(BLOCK, sentences - rows // BLOCK * BLOCK)
    return rows % BLOCK < counts // 2


def compare(paths: list[Path], sample: Path, options: argparse.Namespace) -> None:
    """Search approximately both ways and a sample exactly."""
    memory = options.memory_mb << 20
    wall, processor = time.perf_counter(), time.process_time()
    how = {"memory_bytes": memory, "device": options.device}
    found = search(*paths, options.k, index=options.index, **how)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    n = options.sentences
    print(f"{n:,} x {n:,} x {options.dimension}, {options.index}, both directions, k {options.k}, "
          f"{options.threads} threads: {wall:.0f} s, {processor:.0f} s of processor, "
          f"{2 * n / processor:,.0f} searches/s, peak {peak:.2f} GiB", flush=True)  # fmt: skip
    rows = np.sort(np.random.default_rng(1).choice(n, min(options.sample, n), replace=False))
    np.save(sample, np.load(paths[0], mmap_mode="r")[rows])
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    seconds = clock()
    exact = search(sample, paths[1], options.k, **how).forward
    seconds = clock() - seconds
    ours = found.forward.indices[rows]
    recall = (ours[:, :, None] == exact.indices[:, None]).any(1).mean()
    paired = translated(rows, n)
    hits = [(lists[:, 0] == rows)[paired].mean() for lists in (ours, exact.indices)]
    products = 2 * len(rows) * n * options.dimension * 2 / seconds / 1e9
    print(f"{len(rows):,} sources exactly, and all targets among them: {seconds:.1f} s, "
          f"{products:.1f} GFLOP/s; recall {recall:.4f}; P@1 of the {paired.sum():,} with a "
          f"translation: {100 * hits[0]:.2f}, exact {100 * hits[1]:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
