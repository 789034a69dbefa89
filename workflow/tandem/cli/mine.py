"""`tandem mine`: translations out of two unaligned files."""

from __future__ import annotations

import argparse
import math
import tempfile
from array import array
from collections.abc import Callable, Iterator
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
    """Encode both files to disk, search, and write the pairs."""
    names = [options.first, options.second]
    if names == [common.STDIO, common.STDIO]:
        raise TandemError("only one of the two files can be stdin")
    encoder = common.load_model(options, *options.languages)
    with tempfile.TemporaryDirectory(prefix="tandem-mine-") as scratch:
        stems = [Path(scratch) / "first", Path(scratch) / "second"]
        starts = [
            _spool(encoder, name, language, stem, options)
            for name, language, stem in zip(names, options.languages, stems, strict=True)
        ]
        pairs = mine(_search(stems, options), options.score, options.retrieval)
        left, right = map(_lines, stems, starts)
        with common.output(options.out) as out:
            for one, other, score in zip(pairs.source, pairs.target, pairs.score, strict=True):
                if score < options.at_least:
                    break
                out.write(b"%.6f\t%b\t%b\n" % (score, left(one), right(other)))


def _spool(
    encoder: SentenceEncoder, name: str, language: str, stem: Path, options: argparse.Namespace
) -> array[int]:
    """Write the vectors and the text of a file to disk; return where each line begins."""
    starts = array("q", [0])

    def lines() -> Iterator[str]:
        with stem.with_suffix(".txt").open("wb") as out:
            for batch in common.batches(common.lines_of(name), options, "line"):
                for line in batch:
                    size = out.write(common.one_line(line).encode() + b"\n")
                    starts.append(starts[-1] + size)
                    yield line

    with stem.with_suffix(".npy").open("wb") as out:
        vectors = encoder.encode_stream(lines(), language, common.BATCH)
        write_npy(out, vectors, np.float32, encoder.dimension)
    return starts


def _search(stems: list[Path], options: argparse.Namespace) -> Neighbours:
    if options.threads is not None:
        faiss.omp_set_num_threads(options.threads)
    source, target = (stem.with_suffix(".npy") for stem in stems)
    with tqdm(total=100, unit="%", desc="search", disable=options.quiet or None) as bar:
        return search(
            source,
            target,
            options.k,
            index=options.index,
            memory_bytes=options.memory,
            device=options.device,
            progress=lambda share: bar.update(int(100 * share) - bar.n),
        )


def _lines(stem: Path, starts: array[int]) -> Callable[[int], bytes]:
    """Return the function from the number of a line to the line."""
    text = np.memmap(stem.with_suffix(".txt"), np.uint8, "r")
    return lambda number: text[starts[number] : starts[number + 1] - 1].tobytes()
