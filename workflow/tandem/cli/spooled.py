"""Text and its vectors on disk, and the search among them: what mining and retrieval share."""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from tandem.cli import common
from tandem.corpora.files import STDIO, lines_of
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError, writing
from tandem.progress import progress_bar
from tandem.search.limits import memory_bound
from tandem.search.neighbours import IndexKind, Neighbours, search


def add_search(parser: argparse.ArgumentParser) -> None:
    """Add how neighbours are searched."""
    parser.add_argument(
        "--index", type=IndexKind, choices=list(IndexKind), default=IndexKind.EXACT,
        help="exact search (default), or for large files ivf or hnsw, which may miss neighbours",
    )  # fmt: skip
    parser.add_argument(
        "--memory", type=common.byte_size, metavar="SIZE",
        help="bound on memory while searching (default: 2GiB, or what the system allows if less)",
    )  # fmt: skip


class Side(NamedTuple):
    """One side on disk: its lines, where each begins, and the vector of each, mapped."""

    text: BinaryIO
    starts: array[int]
    vectors: np.ndarray

    def line(self, number: int) -> bytes:
        """Return a line, or the name of a document."""
        start, end = self.starts[number : number + 2]
        return os.pread(self.text.fileno(), end - start - 1, start)


def prepare(options: argparse.Namespace) -> None:
    """Refuse before the work a bound on memory that is not allowed, and FAISS not installed."""
    memory_bound(options.memory)
    import faiss

    if options.threads is not None:
        faiss.omp_set_num_threads(options.threads)


def spool(
    encoder: SentenceEncoder,
    name: str,
    language: str,
    stack: contextlib.ExitStack,
    options: argparse.Namespace,
    documents: bool = False,
) -> Side:
    """Write the lines and their vectors to disk, in files that the stack closes.

    With `documents`, lines are a name, a tab and a sentence; consecutive lines with the same name
    are a document. Its line is its name, and its vector the mean of its sentences' (yang2019,
    section 5.2). InputError where the file is empty, or a line has no name.
    """
    place = None if options.out == STDIO else Path(options.out).parent
    text, vectors = (stack.enter_context(tempfile.TemporaryFile(dir=place)) for _ in range(2))
    starts, sizes = array("q", [0]), array("q")
    before = None

    def lines() -> Iterator[str]:
        nonlocal before
        for batch in common.batches(lines_of(name), len, "line"):
            for line in batch:
                head, tab, sentence = line.partition("\t") if documents else (line, "\t", line)
                if not tab:
                    problem = "no tab after the name of a document"
                    raise InputError(name, sum(sizes) + 1, problem, "Give name, tab, sentence")
                if documents and head == before:
                    sizes[-1] += 1
                else:
                    size = text.write(head.replace("\t", " ").encode() + b"\n")
                    starts.append(starts[-1] + size)
                    sizes.append(1)
                    before = head
                yield sentence

    with writing(f"the vectors of {name}", text.fileno(), lambda: text.tell() + vectors.tell()):
        parts = encoder.encode_stream(lines(), language, common.BATCH)
        for part in _means(parts, sizes) if documents else parts:
            vectors.write(np.ascontiguousarray(part).data)
        for file in (text, vectors):
            file.flush()
    shape = len(starts) - 1, encoder.dimension
    if not shape[0]:
        raise InputError(name, None, "it is empty", "Give some sentences")
    return Side(text, starts, np.memmap(vectors, np.float32, "r", shape=shape))


def _means(parts: Iterable[np.ndarray], sizes: array[int]) -> Iterator[np.ndarray]:
    """Yield the mean vectors of documents; `sizes`, their sentences, grows as parts are read."""
    waiting, done = [], 0
    for part in parts:
        waiting.append(part)
        # the last document may go on in what is read next
        if done + 1 < len(sizes):
            rows = np.concatenate(waiting)
            ends = np.cumsum(sizes[done:])
            whole = int(np.searchsorted(ends, len(rows), "right"))
            whole = min(whole, len(sizes) - done - 1)
            if whole:
                yield _mean(rows, ends[:whole])
                waiting, done = [rows[ends[whole - 1] :]], done + whole
    if done < len(sizes):
        yield _mean(np.concatenate(waiting), np.cumsum(sizes[done:]))


def _mean(rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    starts = np.append(0, ends[:-1])
    sums = np.add.reduceat(rows[: ends[-1]], starts, axis=0)
    return (sums / (ends - starts)[:, None]).astype(np.float32)


def nearest(source: np.ndarray, target: np.ndarray, options: argparse.Namespace) -> Neighbours:
    """Search, showing progress; `options` are those of `add_search`, with `k` and `device`."""
    with progress_bar(total=100, unit="%", desc="search") as bar:
        return search(
            source,
            target,
            options.k,
            index=options.index,
            memory_bytes=options.memory,
            device=options.device,
            progress=lambda share: bar.update(int(100 * share) - bar.n),
        )
