"""Measure search against its limit: two matrix products of the same shapes, one a direction.

Prints, from one run on the same embeddings, seconds by wall and of processor, and the share of the
limit; for IVF and HNSW also the share of the exact neighbours that they find.

    python benchmarks/search.py --sentences 50000
    python benchmarks/search.py --sentences 50000 --index exact ivf hnsw
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
import torch

from tandem.search.neighbours import IndexKind, Neighbours, search


def main() -> None:
    """Let the contestants take turns and print medians."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=50_000, help="on either side")
    parser.add_argument("--dimension", type=int, default=300)
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--memory-mb", type=int, default=2048)
    parser.add_argument("--index", type=IndexKind, nargs="+", default=[IndexKind.EXACT])
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    faiss.omp_set_num_threads(options.threads)
    print(f"{options.sentences:,} x {options.sentences:,} x {options.dimension}, both directions, "
          f"k {options.k}, {options.threads} threads, medians of {options.repeats}")  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / f"{side}.npy" for side in ("source", "target")]
        write_embeddings(*paths, options.sentences, options.dimension)
        compare(paths, options)


def write_embeddings(source: Path, target: Path, rows: int, dimension: int) -> None:
    """Write rows about 1,000 topics of unequal frequency; half of the targets translate a source.

    A translation is at cosines of 0.8 or so, as those of encoders are.
    """
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((1000, dimension), np.float32)
    weights = 1 / np.arange(1, 1001)
    left, right = (
        centres[rng.choice(1000, rows, p=weights / weights.sum())]
        + 1.5 * rng.standard_normal((rows, dimension), np.float32)
        for _ in range(2)
    )
    half = rows // 2
    right[:half] = left[:half] + 1.3 * rng.standard_normal((half, dimension), np.float32)
    np.save(source, left)
    np.save(target, right)


def compare(paths: list[Path], options: argparse.Namespace) -> None:
    """Time every contestant in turn, `repeats` times over."""
    left, right = (torch.from_numpy(np.load(path)) for path in paths)

    def run(kind: IndexKind) -> Neighbours:
        memory = options.memory_mb << 20
        return search(*paths, options.k, index=kind, memory_bytes=memory, device="cpu")

    contestants: dict[str, Callable[[], object]] = {
        "matrix products alone": lambda: (multiply(left, right), multiply(right, left))
    }
    contestants |= {str(kind): lambda kind=kind: run(kind) for kind in options.index}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    found = {}
    for _ in range(options.repeats):
        for name, contestant in contestants.items():
            wall, processor = time.perf_counter(), time.process_time()
            found[name] = contestant()
            times[name].append((time.perf_counter() - wall, time.process_time() - processor))
    limit = 0.0
    print(f"{'':24}{'wall s':>8}{'CPU s':>8}{'of limit':>10}{'recall':>8}")
    for name, rows in times.items():
        wall, processor = (statistics.median(column) for column in zip(*rows, strict=True))
        limit = limit or wall
        share = recall(found[name], found.get(str(IndexKind.EXACT)))
        print(f"{name:24}{wall:8.2f}{processor:8.2f}{limit / wall:10.2f}{share:>8}")


def multiply(left: torch.Tensor, right: torch.Tensor) -> None:
    """Multiply everything by everything in blocks of 1,024 x 8,192, and do nothing with it."""
    space = torch.empty(1024 * 8192)
    for rows in left.split(1024):
        for columns in right.split(8192):
            out = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.T, out=out)


def recall(found: object, exact: object) -> str:
    """Return the share of the exact neighbours that were found, of both directions."""
    if not isinstance(found, Neighbours) or not isinstance(exact, Neighbours):
        return ""
    shares = [
        (ours.indices[:, :, None] == theirs.indices[:, None]).any(1).mean()
        for ours, theirs in zip(found, exact, strict=True)
    ]
    return f"{np.mean(shares):.3f}"


if __name__ == "__main__":
    main()
