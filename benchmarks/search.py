"""Measure search against its limit: two matrix products of the same shapes, one a direction.

Prints, from one run on the same embeddings, seconds by wall and of processor, and the share of the
limit; for IVF and HNSW also the share of the exact neighbours that they find. On a GPU the products
are the GPU's; `--processor` adds exact search on the CPU, once, and the share of its neighbours.

    python benchmarks/search.py --sentences 50000
    python benchmarks/search.py --sentences 50000 --index exact ivf hnsw
    python benchmarks/search.py --sentences 200000 --k 5 --device cuda --processor
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

PROCESSOR = "exact, on the CPU"


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
    parser.add_argument("--device", default="cpu", help="where exact search multiplies")
    parser.add_argument("--processor", action="store_true", help="search exactly on the CPU, too")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    faiss.omp_set_num_threads(options.threads)
    print(f"{options.sentences:,} x {options.sentences:,} x {options.dimension}, both directions, "
          f"k {options.k}, {options.device}, {options.threads} threads, "
          f"medians of {options.repeats}")  # fmt: skip
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
    left, right = (torch.from_numpy(np.load(path)).to(options.device) for path in paths)

    def run(kind: IndexKind, device: str = options.device) -> Neighbours:
        memory = options.memory_mb << 20
        return search(*paths, options.k, index=kind, memory_bytes=memory, device=device)

    contestants: dict[str, Callable[[], object]] = {
        "matrix products alone": lambda: (multiply(left, right), multiply(right, left))
    }
    contestants |= {str(kind): lambda kind=kind: run(kind) for kind in options.index}
    if options.processor:
        contestants[PROCESSOR] = lambda: run(IndexKind.EXACT, "cpu")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    found = {}
    for number in range(options.repeats):
        for name, contestant in contestants.items():
            if number and name == PROCESSOR:  # it takes minutes where a GPU takes seconds
                continue
            wall, processor = time.perf_counter(), time.process_time()
            found[name] = contestant()
            times[name].append((time.perf_counter() - wall, time.process_time() - processor))
    limit = 0.0
    exact = found.get(PROCESSOR, found.get(str(IndexKind.EXACT)))
    products = 4 * len(left) * len(right) * left.shape[1] / 1e12
    print(f"{'':24}{'wall s':>8}{'CPU s':>8}{'of limit':>10}{'TFLOP/s':>9}{'recall':>9}")
    for name, rows in times.items():
        wall, processor = (statistics.median(column) for column in zip(*rows, strict=True))
        limit = limit or wall
        share = recall(found[name], exact)
        print(f"{name:24}{wall:8.2f}{processor:8.2f}{limit / wall:10.2f}{products / wall:9.2f}"
              f"{share:>9}")  # fmt: skip


def multiply(left: torch.Tensor, right: torch.Tensor) -> None:
    """Multiply everything by everything in blocks of 1,024 x 8,192, and do nothing with it."""
    space = left.new_empty(1024 * 8192)
    for rows in left.split(1024):
        for columns in right.split(8192):
            out = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.T, out=out)
    space[:1].cpu()  # a GPU is waited for


def recall(found: object, exact: object) -> str:
    """Return the share of the exact neighbours that were found, of both directions."""
    if not isinstance(found, Neighbours) or not isinstance(exact, Neighbours):
        return ""
    shares = [
        (ours.indices[:, :, None] == theirs.indices[:, None]).any(1).mean()
        for ours, theirs in zip(found, exact, strict=True)
    ]
    return f"{np.mean(shares):.6f}"


if __name__ == "__main__":
    main()
