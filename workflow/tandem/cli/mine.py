"""`tandem mine`: translations out of two unaligned files."""

from __future__ import annotations

import argparse
import math
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path

import faiss
import numpy as np
from tqdm import tqdm

from tandem.cli import common
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.npy import write_npy
from tandem.search.margins import Retrieval, Score, mine
from tandem.search.neighbours import DEFAULT_MEMORY_BYTES, IndexKind, Neighbours, search

_EXAMPLE = "tandem mine model/ news.en news.de --languages en de --at-least 1.1 --out mined.tsv"


def add_to(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    summary = "Find translations: write score, sentence, sentence (TSV), the best pair first."
    parser = common.add_command(commands, "mine", run, summary, _EXAMPLE)
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
        "--at-least", type=float, default=-math.inf, metavar="SCORE", help="write pairs from here"
    )
    parser.add_argument(
        "--k", type=common.positive, default=4, help="neighbours that a margin looks at"
    )
    parser.add_argument(
        "--index", type=IndexKind, choices=list(IndexKind), default=IndexKind.EXACT,
        help="exact search (default), or for large files ivf or hnsw, which may miss neighbours",
    )  # fmt: skip
    parser.add_argument(
        "--memory", type=common.byte_size, default=DEFAULT_MEMORY_BYTES, metavar="SIZE",
        help="bound on memory while searching (default: 2GiB)",
    )  # fmt: skip
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Encode both files to disk, search, and write the pairs.

    Raises:
        TandemError: stdin for both files.
    """
    names = [options.first, options.second]
    if names == [common.STDIO, common.STDIO]:
        raise TandemError("only one of the two files can be stdin")
    encoder = common.load_model(options, *options.languages)
    with tempfile.TemporaryDirectory(prefix="tandem-mine-") as scratch:
        folder = Path(scratch)
        sides = [
            _Side.write(encoder, name, language, folder / str(number), options)
            for number, (name, language) in enumerate(zip(names, options.languages, strict=True))
        ]
        pairs = mine(_search(sides, options), options.score, options.retrieval)
        with common.output(options.out) as out, sides[0].text() as left, sides[1].text() as right:
            for one, other, score in zip(pairs.source, pairs.target, pairs.score, strict=True):
                if score < options.at_least:
                    break
                out.write(b"%.6f\t%b\t%b\n" % (score, left.line(one), right.line(other)))


def _search(sides: list[_Side], options: argparse.Namespace) -> Neighbours:
    if options.threads is not None:
        faiss.omp_set_num_threads(options.threads)
    with tqdm(total=100, unit="%", desc="search", disable=options.quiet or None) as bar:

        def progress(share: float) -> None:
            bar.update(int(100 * share) - bar.n)

        return search(
            sides[0].vectors,
            sides[1].vectors,
            options.k,
            index=options.index,
            memory_bytes=options.memory,
            device=options.device,
            progress=progress,
        )


class _Side:
    """The sentences of one file on disk: their vectors, their text, and where each line begins."""

    def __init__(self, stem: Path) -> None:
        self.vectors = stem.with_suffix(".npy")
        self._text = stem.with_suffix(".txt")
        self._starts = array("q", [0])

    @classmethod
    def write(
        cls,
        encoder: SentenceEncoder,
        name: str,
        language: str,
        stem: Path,
        options: argparse.Namespace,
    ) -> _Side:
        """Encode a file, keeping its lines."""
        side = cls(stem)
        lines = side._spool(name, options)
        with open(side.vectors, "wb") as out:
            batches = encoder.encode_stream(lines, language, common.BATCH)
            write_npy(out, batches, np.float32, encoder.dimension)
        return side

    def _spool(self, name: str, options: argparse.Namespace) -> Iterator[str]:
        with open(self._text, "wb") as out:
            for batch in common.batches(common.lines_of(name), options, "line"):
                for line in batch:
                    size = out.write(common.one_line(line).encode() + b"\n")
                    self._starts.append(self._starts[-1] + size)
                    yield line

    def text(self) -> _Lines:
        """Open the lines."""
        return _Lines(self._text, self._starts)


class _Lines:
    """Lines of a file by number."""

    def __init__(self, path: Path, starts: array) -> None:
        self._stream, self._starts = open(path, "rb"), starts  # noqa: SIM115

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def line(self, number: int) -> bytes:
        """Return a line without its newline."""
        self._stream.seek(self._starts[number])
        return self._stream.read(self._starts[number + 1] - self._starts[number] - 1)
