"""`tandem similarity` and `tandem score`: the cosine of sentence pairs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tandem.cli import common
from tandem.corpora.files import STDIO, read_bitext
from tandem.encoders.model import SentenceEncoder
from tandem.own_bitext.mined import calibrated
from tandem.search.margins import Score
from tandem.statistics.cosine import cosine_similarity
from tandem.text import Pair
from tandem.text.batches import of_pair

_SIMILARITY = "tandem similarity model/ my.en my.de --languages en de > cosines.txt"
_SCORE = "tandem score model/ my.en my.de --languages en de --at-least auto --out kept.tsv"


def add_similarity(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, similarity, _SIMILARITY)
    _add_options(parser)


def add_score(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, score, _SCORE)
    parser.add_argument(
        "--at-least", type=common.auto_or_number, default=-1.0, metavar="COSINE",
        help=common.AT_LEAST,
    )  # fmt: skip
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    common.add_model(parser)
    parser.add_argument(
        "files", nargs="*", default=[STDIO], metavar="FILE", help=f"{common.BITEXT} (default: -)"
    )
    common.add_languages(parser)
    common.add_output(parser)


def similarity(options: argparse.Namespace) -> None:
    """Write one cosine a line."""
    read = 0
    with common.output(options, options.files, options.model) as out:
        encoder = common.load_model(options, *options.languages)
        for pairs, cosines in _scored(encoder, options):
            out.write("".join(f"{cosine:.6f}\n" for cosine in cosines).encode())
            read += len(pairs)
    common.report(options, {"pairs": read}, f"cosines of {read:,} pairs")


def score(options: argparse.Namespace) -> None:
    """Write the pairs whose cosine is high enough."""
    read = kept = 0
    with common.output(options, options.files, options.model) as out:
        encoder = common.load_model(options, *options.languages)
        least = options.at_least
        if least is None:
            least = calibrated(encoder, Score.COSINE)
        for pairs, cosines in _scored(encoder, options):
            read += len(pairs)
            for pair, cosine in zip(pairs, cosines, strict=True):
                if cosine >= least:
                    kept += 1
                    row = f"{cosine:.6f}", *(side.replace("\t", " ") for side in pair)
                    out.write("\t".join(row).encode() + b"\n")
    summary = f"{kept:,} of {read:,} pairs kept{common.from_on(least)}"
    common.report(options, {"read": read, "kept": kept, "at_least": least}, summary)


def _scored(
    encoder: SentenceEncoder, options: argparse.Namespace
) -> Iterator[tuple[list[Pair], list[float]]]:
    """Yield batches of pairs with their cosines."""
    read = read_bitext(*options.files, languages=options.languages)
    for pairs in common.batches(read, of_pair, "pair"):
        vectors = map(encoder.encode, zip(*pairs, strict=True), options.languages)
        yield pairs, cosine_similarity(*vectors).tolist()
