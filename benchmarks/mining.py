"""What the workflow found among sentences whose truth is known, and what others take to search.

    python benchmarks/mining.py report FOLDER NAME [NAME ...] [--ending .part.tsv] [--out TABLE]
    python benchmarks/mining.py peers FOLDER --model MODEL [--sentences 20000] [--out TABLE]

`benchmarks/mining_text.py` makes the text in the folder, and the workflow mines it there:

    mined:
      ivf:
        model: MODEL
        first: {language: de, files: [de.tsv], columns: {id: 1, text: 2}}
        second: {language: en, files: [en.tsv], columns: {id: 1, text: 2}}
        index: ivf

`report` reads what it found, results/mined/NAME in the folder: precision, recall and F1 of every
second name, from the margin on that is best for the others; of each kind of job how many there
were, the seconds of all and of the longest, the peak memory; and the bytes on disk. With --ending,
of other files of the folder, `de.part.tsv` and `en.part.tsv`.
`peers` searches as many of the sentences exactly, the same vectors in turns, as others do: FAISS's
flat index in both directions with margins as LASER computes them, and the search that
sentence-transformers mines with: sentences a second, and memory of the process.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch

import numpy as np
from mining_text import FALSE, LANGUAGE, SPLITS

from tandem.encoders.model import SentenceEncoder
from tandem.files.io import read_lines

K = 4
"""Neighbours."""


def is_chosen_on(name: str) -> bool:
    """Tell whether a name is of the half that the margin is chosen on, of verses whole books."""
    if name.startswith(SPLITS):
        return name.startswith(SPLITS[0])
    return zlib.crc32(name.encode()) % 2 == 0


def read_pairs(path: Path) -> list[tuple[float, str, str]]:
    """Return the margin and both names of each pair that was mined, the best first."""
    rows = (line.split("\t") for line in read_lines(path))
    # after the score and the texts, each side has as many columns: file, line, name, its document
    return [(float(row[0]), row[5], row[5 + (len(row) - 3) // 2]) for row in rows]


def course(
    pairs: Sequence[tuple[float, str, str]], both: set[str], chosen_on: bool
) -> np.ndarray:
    """Return margin, precision, recall and F1 of half of the names after each pair, (pairs, 4)."""
    names = {name for name in both if is_chosen_on(name) == chosen_on}
    right, correct, rows = set[str](), 0, []
    for margin, first, second in pairs:
        if is_chosen_on(first) == chosen_on:
            correct += first == second
            right |= {first} & {second}
            precision, recall = correct / (len(rows) + 1), len(right) / len(names)
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            rows.append((margin, precision, recall, f1))
    return np.array(rows)


def report(folder: Path, names: Sequence[str], ending: str) -> Iterator[str]:
    """Yield the lines of the tables."""
    sides = [
        {line.partition("\t")[0] for line in read_lines(folder / f"{side}{ending}")}
        for side in (LANGUAGE, "en")
    ]
    both = {name for name in sides[0] & sides[1] if not name.startswith(FALSE)}
    yield "## Pairs"
    yield ""
    yield "| mined | from a margin of | precision | recall | F1 | MB on disk |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for name in names:
        place = folder / "results/mined" / name
        pairs = read_pairs(place / "pairs.tsv")
        choosing, scored = (course(pairs, both, half) for half in (True, False))
        margin = choosing[choosing[:, 3].argmax(), 0]
        _, precision, recall, f1 = 100 * scored[scored[:, 0] >= margin][-1]
        size = sum(f.stat().st_size for f in place.rglob("*") if f.is_file()) / 1e6
        yield (
            f"| {name} | {margin:.3f} | {precision:.1f} | {recall:.1f} | {f1:.1f} | {size:,.0f} |"
        )
    yield ""
    yield "## Jobs"
    yield ""
    yield "| mined | job | jobs | seconds, all | longest | peak memory, MB |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for name in names:
        for rule, measured in benchmarks(folder / "results/mined" / name / "benchmarks"):
            seconds = [float(row["s"]) for row in measured]
            memory = max(float(row["max_rss"]) for row in measured)
            yield (
                f"| {name} | `{rule}` | {len(measured):,} | {sum(seconds):,.0f} | "
                f"{max(seconds):,.0f} | {memory:,.0f} |"
            )


def benchmarks(folder: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield rules with what Snakemake measured of their jobs."""
    for rule in sorted(folder.iterdir()):  # a folder, or the file of a rule that has one job
        measured: list[dict[str, str]] = []
        for path in sorted(rule.glob("*.tsv")) if rule.is_dir() else [rule]:
            with open(path, encoding="utf-8") as stream:
                measured += csv.DictReader(stream, delimiter="\t")
        yield rule.stem, measured


def tandem_way(source: np.ndarray, target: np.ndarray) -> int:
    """Return how many pairs are mined by this library."""
    from tandem.search.margins import Retrieval, Score, mine
    from tandem.search.neighbours import search

    return len(mine(search(source, target, K), Score.RATIO, Retrieval.MAX).source)


def laser_way(source: np.ndarray, target: np.ndarray) -> int:
    """Return how many pairs are mined with FAISS's flat index, and margins of ratios by NumPy."""
    import faiss

    faiss.omp_set_num_threads(1)
    sides = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (source, target)]
    lists = []
    for queries, keys in (sides, sides[::-1]):
        index = faiss.IndexFlatIP(keys.shape[1])
        index.add(keys)
        lists.append(index.search(queries, K))
    means = [cosines.mean(axis=1) for cosines, _ in lists]
    scored = []
    for (cosines, ids), own, other in zip(lists, means, means[::-1], strict=True):
        margins = cosines / ((own[:, None] + other[ids]) / 2)
        best = margins.argmax(axis=1)
        scored.append((margins.max(axis=1), ids[np.arange(len(ids)), best]))
    forward = zip(scored[0][0], range(len(source)), scored[0][1], strict=True)
    backward = zip(scored[1][0], scored[1][1], range(len(target)), strict=True)
    taken: tuple[set[int], set[int]] = set(), set()
    for _, left, right in sorted([*forward, *backward], reverse=True):
        if left not in taken[0] and right not in taken[1]:
            taken[0].add(int(left))
            taken[1].add(int(right))
    return len(taken[0])


def community_way(source: np.ndarray, target: np.ndarray) -> int:
    """Return how many sentences find a neighbour by sentence-transformers' semantic search.

    It has no margins: its paraphrase mining and its examples of bitext mining search so.
    """
    import torch
    from sentence_transformers.util import semantic_search

    torch.set_num_threads(1)
    sides = [torch.from_numpy(side) for side in (source, target)]
    both = (semantic_search(a, b, top_k=K) for a, b in (sides, sides[::-1]))
    return sum(len(hits) for hits in both)


WAYS: dict[str, Callable[[np.ndarray, np.ndarray], int]] = {
    "Tandem": tandem_way,
    "FAISS and NumPy, as LASER": laser_way,
    "sentence-transformers, without margins": community_way,
}


def timed(way: str, paths: Sequence[Path], results: Any) -> None:  # noqa: ANN401  (a queue)
    """Put the seconds and the memory beyond the vectors' that a way takes into a queue."""
    source, target = (np.load(path) for path in paths)
    WAYS[way](source[:500], target[:500])  # loads what it needs
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, start = resident_mb("VmRSS"), time.perf_counter()
    WAYS[way](source, target)
    results.put((time.perf_counter() - start, resident_mb("VmHWM") - before))


def resident_mb(field: str) -> float:
    """Return the memory of this process, VmRSS now or VmHWM at its peak, in MB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (kilobytes,) = [line.split()[1] for line in status.splitlines() if line.startswith(field)]
    return int(kilobytes) / 1024


def peers(folder: Path, model: str, size: int) -> Iterator[str]:
    """Yield the lines of a table: seconds, sentences a second and memory of each way."""
    encoder, paths = SentenceEncoder.load(model), []
    for side in (LANGUAGE, "en"):
        lines = (line.partition("\t")[2] for line in read_lines(folder / f"{side}.tsv"))
        paths.append(folder / f"{side}.{size}.npy")
        np.save(paths[-1], encoder.encode(islice(lines, size), language=side))
    context = multiprocessing.get_context("spawn")
    width = encoder.dimension
    yield f"{size:,} sentences a side, {width} wide, k = {K}, one thread, best of three."
    yield ""
    yield "| way | seconds | sentences a second, both sides | memory beside the vectors, MB |"
    yield "| --- | ---: | ---: | ---: |"
    measured: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(3):  # in turns: the machine may be busy
        for way, runs in measured.items():
            queue = context.Queue()
            process = context.Process(target=timed, args=(way, paths, queue))
            process.start()
            runs.append(queue.get())
            process.join()
    for way, runs in measured.items():
        seconds, memory = min(s for s, _ in runs), max(m for _, m in runs)
        yield f"| {way} | {seconds:.1f} | {2 * size / seconds:,.0f} | {memory:,.0f} |"
    for path in paths:
        path.unlink()


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    for name in ("report", "peers"):
        commands.add_parser(name).add_argument("folder", type=Path)
        commands.choices[name].add_argument("--out", type=Path, help="added to what is there")
    commands.choices["report"].add_argument("names", nargs="+", metavar="NAME")
    commands.choices["report"].add_argument("--ending", default=".tsv")
    commands.choices["peers"].add_argument("--model", required=True)
    commands.choices["peers"].add_argument("--sentences", type=int, default=20_000)
    options = parser.parse_args()
    lines = (
        report(options.folder, options.names, options.ending)
        if options.what == "report"
        else peers(options.folder, options.model, options.sentences)
    )
    for line in lines:
        print(line, flush=True)
        if options.out:
            with open(options.out, "a", encoding="utf-8") as out:
                out.write(line + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
