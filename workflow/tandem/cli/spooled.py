"""Text and its vectors on disk, and the search among them: what mining and retrieval share."""

from __future__ import annotations

import argparse
import contextlib
from array import array
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tandem.cli import argument, common
from tandem.corpora.files import STDIO, lines_of
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError, writing
from tandem.files.scratch import StoredLines, scratch
from tandem.own_bitext.mined import CHECK_LANGUAGE, NOTHING_KNOWN
from tandem.progress import progress_bar
from tandem.search.candidates import Candidates, candidates
from tandem.search.limits import default_bound, memory_bound
from tandem.search.neighbours import IndexKind, Neighbours, search
from tandem.text.spelling import exact_key, key


def add_search(parser: argparse.ArgumentParser) -> None:
    """Add how neighbours are searched."""
    parser.add_argument(
        "--index", type=IndexKind, choices=list(IndexKind), default=IndexKind.EXACT,
        help="exact search (default), or for large files ivf or hnsw, which may miss neighbours",
    )  # fmt: skip
    parser.add_argument(
        "--ids", action="store_true",
        help="write two more columns: the numbers of both lines, from 1",
    )  # fmt: skip
    parser.add_argument(
        "--memory", type=argument.byte_size, metavar="SIZE",
        help="bound on memory while searching (default: 2GiB, or what the system allows if less)",
    )  # fmt: skip


class Side(NamedTuple):
    """One side on disk: its lines, what is searched of them, and the vectors of that, mapped.

    Attributes:
        lines: all lines.
        items: sentences or documents, with the lines (from 0) where they stand.
        vectors: of the items, float32 (c, d).
        size: the number of items with those that have no vector: no word that the model knows.
        documents: whether lines are a name, a tab and a sentence.
    """

    lines: StoredLines
    items: Candidates
    vectors: np.ndarray
    size: int
    documents: bool

    def line(self, number: int) -> bytes:
        """Return a line as one column, or the name of its document."""
        line = self.lines[number]
        return line.partition(b"\t")[0] if self.documents else line.replace(b"\t", b" ")


class Equal(StrEnum):
    """Which lines are one item: those of a document, of the same text, or none."""

    DOCUMENT = "document"
    TEXT = "text"
    NONE = "none"


def prepare(options: argparse.Namespace) -> None:
    """Refuse before the work a bound on memory that is not allowed, and FAISS not installed."""
    options.memory = options.memory or default_bound()
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
    equal: Equal,
) -> Side:
    """Write the lines and the vectors of their items to disk, in files that the stack closes.

    Of documents lines are a name, a tab and a sentence; those with the same name, wherever they
    stand, are a document, and its vector is the mean of its sentences' (yang2019, section 5.2).
    Beside the files, some 100 bytes a line are held while lines are compared, then 40.

    Raises:
        InputError: the file is empty, nothing in it is known, or a line has no name.
    """
    place = None if options.out == STDIO else Path(options.out).parent
    text, vectors = (stack.enter_context(scratch(place)) for _ in range(2))
    lines = StoredLines(text)
    documents = equal is Equal.DOCUMENT
    with writing(f"the lines of {name}", text.fileno(), text.tell):
        keys = _copied(name, lines, equal)
    if not keys:
        raise InputError(name, None, "it is empty", "Give some sentences")
    items = candidates(np.frombuffer(keys, np.uint64))

    def sentences() -> Iterator[str]:
        wanted = items.places if documents else items.firsts
        for batch in common.batches(wanted, lambda number: 0, "line"):
            for number in batch:
                line = lines[number].decode()
                yield line.partition("\t")[2] if documents else line

    there = [np.zeros(0, bool)]
    with writing(f"the vectors of {name}", vectors.fileno(), lambda: text.tell() + vectors.tell()):
        parts = encoder.encode_stream(sentences(), language, common.BATCH)
        for part in _means(parts, items.counts) if documents else parts:
            there.append(np.asarray(part.any(1)))
            vectors.write(np.ascontiguousarray(part[there[-1]]).data)
        vectors.flush()
    kept = items.take(np.concatenate(there))
    if not len(kept):
        problem = NOTHING_KNOWN.format(what="line", language=language)
        raise InputError(name, None, problem, CHECK_LANGUAGE)
    mapped = np.memmap(vectors, np.float32, "r", shape=(len(kept), encoder.dimension))
    return Side(lines, kept, mapped, len(items), documents)


def _copied(name: str, lines: StoredLines, equal: Equal) -> array[int]:
    """Copy a file's lines; return the key of each, equal for those of one item."""
    keys = array("Q")
    for number, line in enumerate(lines_of(name)):
        head, tab, _ = line.partition("\t")
        if equal is Equal.DOCUMENT and not (tab and head.strip()):
            problem = "no name of a document" if tab else "no tab after the name of a document"
            raise InputError(name, number + 1, problem, "Give name, tab, sentence")
        lines.append(line.encode())
        if equal is Equal.NONE:
            keys.append(number)
        else:
            keys.append(exact_key(head) if equal is Equal.DOCUMENT else key(line))
    lines.file.flush()
    return keys


def _means(parts: Iterable[np.ndarray], sizes: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the mean vectors (some, d) of documents, of so many consecutive sentences each."""
    ends = np.cumsum(sizes)
    begun, read, done = np.float64(0), 0, 0  # the sum of a document that goes on, (d,)
    for part in parts:
        whole = int(np.searchsorted(ends, read + len(part), "right"))
        cuts = ends[done:whole] - read
        end = 0
        if whole > done:
            end = cuts[-1]
            sums = np.add.reduceat(part[:end], np.append(0, cuts[:-1]), axis=0, dtype=np.float64)
            sums[0] += begun
            yield (sums / sizes[done:whole, None]).astype(np.float32)
            begun, done = np.float64(0), whole
        begun = begun + part[end:].sum(0, dtype=np.float64)
        read += len(part)


def nearest(source: Side, target: Side, options: argparse.Namespace, k: int) -> Neighbours:
    """Search, showing progress; `options` are those of `add_search`, with `device`."""
    with progress_bar(total=100, unit="%", desc="search") as bar:
        return search(
            source.vectors,
            target.vectors,
            k,
            index=options.index,
            memory_bytes=options.memory,
            device=options.device,
            progress=lambda share: bar.update(int(100 * share) - bar.n),
        )
