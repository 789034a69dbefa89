"""Measure exact search against the matrix product, FAISS and sentence-transformers.

Prints, from one run on the same embeddings: seconds (wall and CPU), the rate in GFLOP/s, and the
rate relative to the machine's own float32 matrix product over the same shapes. Contestants take
turns in every repeat and medians are reported. Our time includes normalisation, both directions
and exact scores; one direction is all that the others give.

    python benchmarks/search.py --sentences 50000
    python benchmarks/search.py --full          # 300,000 x 300,000: seconds and peak memory
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
import torch
from sentence_transformers.util import semantic_search

from tandem.search.exact import search

FULL = 300_000


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=50_000, help="on either side")
    parser.add_argument("--dimension", type=int, default=300)
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--memory-bytes", type=int, default=2 << 30)
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} sentences, ours alone, once")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    faiss.omp_set_num_threads(options.threads)
    print(f"{options.threads} threads, dimension {options.dimension}, k {options.k}")
    if options.full:
        run_full(options)
    else:
        compare(options)


def write_embeddings(path: Path, rows: int, dimension: int, seed: int) -> None:
    """Write rows about 1,000 directions of unequal frequency: neither all alike nor all apart."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((1000, dimension), np.float32)
    weights = 1 / np.arange(1, 1001)
    out = np.lib.format.open_memmap(path, "w+", np.float32, (rows, dimension))
    for start in range(0, rows, 10_000):
        count = min(10_000, rows - start)
        topic = rng.choice(1000, count, p=weights / weights.sum())
        noise = rng.standard_normal((count, dimension), np.float32)
        out[start : start + count] = centres[topic] + 1.5 * noise
    out.flush()


def run_full(options: argparse.Namespace) -> None:
    """Search 300,000 against 300,000 within the bound and report seconds and peak memory."""
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / "source.npy", Path(name) / "target.npy"]
        for seed, path in enumerate(paths):
            write_embeddings(path, FULL, options.dimension, seed)
        rates = [product_rate(*paths, options)]
        wall, cpu = time.perf_counter(), time.process_time()
        search(*paths, options.k, memory_bytes=options.memory_bytes, folder=Path(name))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        rates.append(product_rate(*paths, options))
    work = 2e-9 * FULL * FULL * options.dimension
    print(f"{FULL:,} x {FULL:,}: {wall:.0f} s wall, {cpu:.0f} s CPU, peak {peak_bytes() >> 20} MiB")
    for kind, seconds in (("wall", wall), ("CPU", cpu)):
        before, after = rates[0][kind], rates[1][kind]
        print(
            f"{kind}: {work / seconds:.0f} GFLOP/s; the matrix product before and after: "
            f"{before:.0f} and {after:.0f}; share {work / seconds / ((before + after) / 2):.2f}"
        )


def product_rate(source: Path, target: Path, options: argparse.Namespace) -> dict[str, float]:
    """Return GFLOP/s of the bare product of 50,000 rows of either side, by wall and CPU time."""
    left, right = (
        torch.from_numpy(np.array(np.load(path, mmap_mode="r")[:50_000]))
        for path in (source, target)
    )
    wall, cpu = timed(lambda: multiply(left, right))
    work = 2e-9 * len(left) * len(right) * options.dimension
    return {"wall": work / wall, "CPU": work / cpu}


def multiply(left: torch.Tensor, right: torch.Tensor) -> None:
    """Multiply everything by everything in blocks of 1,024 x 8,192, and do nothing with it."""
    space = torch.empty(1024 * 8192)
    for rows in left.split(1024):
        for columns in right.split(8192):
            out = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.T, out=out)


def compare(options: argparse.Namespace) -> None:
    """Let the contestants take turns."""
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / "source.npy", Path(name) / "target.npy"]
        for seed, path in enumerate(paths):
            write_embeddings(path, options.sentences, options.dimension, seed)
        source, target = (torch.from_numpy(np.load(path)) for path in paths)
        left, right = (torch.nn.functional.normalize(side) for side in (source, target))
        contestants: dict[str, Callable[[], object]] = {
            "matrix product alone": lambda: multiply(left, right),
            "tandem, both directions": lambda: search(
                *paths, options.k, memory_bytes=options.memory_bytes
            ),
            "FAISS flat, one direction": lambda: flat(left, right, options.k),
            "sentence-transformers, one direction": lambda: semantic_search(
                source, target, top_k=options.k, corpus_chunk_size=options.sentences
            ),
        }
        report(contestants, options)


def flat(left: torch.Tensor, right: torch.Tensor, k: int) -> None:
    """Search with FAISS's flat index."""
    index = faiss.IndexFlatIP(left.shape[1])
    index.add(right.numpy())
    index.search(left.numpy(), k)


def report(contestants: dict[str, Callable[[], object]], options: argparse.Namespace) -> None:
    """Time every contestant in turn, `repeats` times over, and print medians."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for _ in range(options.repeats):
        for name, contestant in contestants.items():
            times[name].append(timed(contestant))
    work = 2e-9 * options.sentences**2 * options.dimension
    medians = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in times.items()
    }
    base = medians["matrix product alone"]
    print(f"{options.sentences:,} x {options.sentences:,}, medians of {options.repeats}")
    print(f"{'':38}{'wall s':>8}{'CPU s':>8}{'GFLOP/s':>9}{'rate/product: wall':>20}{'CPU':>6}")
    for name, (wall, cpu) in medians.items():
        print(
            f"{name:38}{wall:8.2f}{cpu:8.2f}{work / wall:9.0f}"
            f"{base[0] / wall:20.2f}{base[1] / cpu:6.2f}"
        )


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """Return wall and CPU seconds of an action."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - wall, time.process_time() - cpu


def peak_bytes() -> int:
    """Return the most memory this process has held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


if __name__ == "__main__":
    main()
