"""`tandem similarity` and `tandem score`: the cosine of sentence pairs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tandem.cli import common
from tandem.tasks.sts_data import cosine_similarity

_SIMILARITY = "tandem similarity model/ my.en my.de --languages en de > cosines.txt"
_SCORE = "tandem score model/ my.en my.de --languages en de --at-least 0.5 --out kept.tsv"


def add_to(commands: argparse._SubParsersAction) -> None:
    """Add both commands."""
    summary = "Write the cosine of each pair of sentences."
    cosines = common.add_command(commands, "similarity", similarity, summary, _SIMILARITY)
    summary = "Filter bitext: write cosine, sentence, sentence (TSV) of each pair kept, in order."
    kept = common.add_command(commands, "score", score, summary, _SCORE)
    kept.add_argument(
        "--at-least", type=common.threshold, default=-1.0, metavar="COSINE",
        help="keep pairs from here",
    )  # fmt: skip
    for parser in (cosines, kept):
        common.add_model(parser)
        parser.add_argument(
            "files", nargs="*", default=[common.STDIO], metavar="FILE",
            help="two aligned files, or one of two tab-separated columns (default: stdin)",
        )  # fmt: skip
        common.add_languages(parser)
        common.add_output(parser)


def similarity(options: argparse.Namespace) -> None:
    """Write one cosine a line."""
    with common.output(options, options.files) as out:
        for _, cosines in _scored(options):
            out.write("".join(f"{cosine:.6f}\n" for cosine in cosines).encode())


def score(options: argparse.Namespace) -> None:
    """Write the pairs from a cosine on."""
    with common.output(options, options.files) as out:
        for pairs, cosines in _scored(options):
            for pair, cosine in zip(pairs, cosines, strict=True):
                if cosine >= options.at_least:
                    row = f"{cosine:.6f}", *(side.replace("\t", " ") for side in pair)
                    out.write("\t".join(row).encode() + b"\n")


def _scored(options: argparse.Namespace) -> Iterator[tuple[list[common.Pair], list[float]]]:
    """Yield batches of pairs with their cosines."""
    encoder = common.load_model(options, *options.languages)
    for pairs in common.batches(common.pairs_of(options.files), options, "pair"):
        vectors = [
            encoder.encode(side, language, common.BATCH)
            for side, language in zip(zip(*pairs, strict=True), options.languages, strict=True)
        ]
        yield pairs, cosine_similarity(*vectors).tolist()
