"""`tandem mine`: translations out of two unaligned files."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import faiss
import numpy as np

from tandem.cli import common
from tandem.corpora.files import STDIO, lines_of
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError, writing
from tandem.own_bitext.threshold import calibrated
from tandem.progress import progress_bar
from tandem.search.limits import memory_bound
from tandem.search.margins import Retrieval, Score, mine
from tandem.search.neighbours import IndexKind, Neighbours, search

_EXAMPLE = "tandem mine model/ news.en news.de --languages en de --at-least auto --out mined.tsv"


def add_mine(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    parser.add_argument("first", metavar="FILE", help="text in the first language")
    parser.add_argument("second", metavar="FILE", help="text in the second language")
    common.add_languages(parser)
    parser.add_argument(
        "--score", type=Score, choices=list(Score), default=Score.RATIO,
        help="how pairs are scored: the cosine, or a margin over the k nearest (default: ratio)",
    )  # fmt: skip
    parser.add_argument(
        "--retrieval", type=Retrieval, choices=list(Retrieval), default=Retrieval.MAX,
        help="which pairs are proposed (default: max, each sentence in one pair at most)",
    )  # fmt: skip
    parser.add_argument(
        "--at-least", type=common.auto_or_number, default=-math.inf, metavar="SCORE",
        help=common.AT_LEAST,
    )  # fmt: skip
    parser.add_argument(
        "--k", type=common.positive, default=4, help="neighbours that a margin looks at"
    )
    parser.add_argument(
        "--index", type=IndexKind, choices=list(IndexKind), default=IndexKind.EXACT,
        help="exact search (default), or for large files ivf or hnsw, which may miss neighbours",
    )  # fmt: skip
    parser.add_argument(
        "--memory", type=common.byte_size, metavar="SIZE",
        help="bound on memory while searching (default: 2GiB, or what the system allows if less)",
    )  # fmt: skip
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Encode both files to disk, search, and write the pairs.

    The files on disk have no name, so that nothing is left of them however the process ends.
    """
    names = [options.first, options.second]
    with common.output(options, names, options.model) as out, contextlib.ExitStack() as stack:
        memory_bound(options.memory)  # refused before the work, not after it
        encoder = common.load_model(options, *options.languages)
        least = options.at_least
        if least is None:
            least = calibrated(encoder, options.score, options.k)
        sides = [
            _spool(encoder, name, language, stack, options)
            for name, language in zip(names, options.languages, strict=True)
        ]
        del encoder  # and the words that it remembers, for the search to have more
        neighbours = _search([side.vectors for side in sides], options)
        pairs = mine(neighbours, options.score, options.retrieval).above(least)
        for one, other, score in zip(pairs.source, pairs.target, pairs.score, strict=True):
            out.write(b"%.6f\t%b\t%b\n" % (score, sides[0].line(one), sides[1].line(other)))
    sizes = [len(side.vectors) for side in sides]
    limit = least if math.isfinite(least) else None
    common.report(options, {"sentences": sizes, "pairs": len(pairs), "at_least": limit})


class _Side(NamedTuple):
    """One side on disk: its text, where each line of it begins, and its vectors, mapped."""

    text: BinaryIO
    starts: array[int]
    vectors: np.ndarray

    def line(self, number: int) -> bytes:
        start, end = self.starts[number : number + 2]
        return os.pread(self.text.fileno(), end - start - 1, start)


def _spool(
    encoder: SentenceEncoder,
    name: str,
    language: str,
    stack: contextlib.ExitStack,
    options: argparse.Namespace,
) -> _Side:
    """Write the vectors and the text of a file to disk, in files that the stack closes."""
    place = None if options.out == STDIO else Path(options.out).parent
    text, vectors = (stack.enter_context(tempfile.TemporaryFile(dir=place)) for _ in range(2))
    starts = array("q", [0])

    def lines() -> Iterator[str]:
        for batch in common.batches(lines_of(name), options, "line"):
            for line in batch:
                size = text.write(line.replace("\t", " ").encode() + b"\n")
                starts.append(starts[-1] + size)
                yield line

    with writing(f"the vectors of {name}", text.fileno(), lambda: text.tell() + vectors.tell()):
        for part in encoder.encode_stream(lines(), language, common.BATCH):
            vectors.write(part.data)
        for file in (text, vectors):
            file.flush()
    shape = len(starts) - 1, encoder.dimension
    if not shape[0]:
        raise InputError(name, None, "it is empty", "Give some sentences")
    return _Side(text, starts, np.memmap(vectors, np.float32, "r", shape=shape))


def _search(sides: list[np.ndarray], options: argparse.Namespace) -> Neighbours:
    if options.threads is not None:
        faiss.omp_set_num_threads(options.threads)
    with progress_bar(total=100, unit="%", desc="search") as bar:
        return search(
            sides[0],
            sides[1],
            options.k,
            index=options.index,
            memory_bytes=options.memory,
            device=options.device,
            progress=lambda share: bar.update(int(100 * share) - bar.n),
        )
