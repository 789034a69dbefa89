"""`tandem similarity` and `tandem score`: the cosine of sentence pairs."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from tandem.cli import Dashed, argument, common
from tandem.corpora.files import STDIO
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.own_bitext.mined import lowest
from tandem.search.margins import Score
from tandem.statistics.cosine import cosine_similarity
from tandem.text import Filled, Pair, is_blank
from tandem.text.amounts import amount
from tandem.text.batches import of_pair
from tandem.text.spelling import same

_SIMILARITY = """tandem similarity model/ my.en my.de --languages en de > cosines.txt
tandem similarity model/ "A sheep sleeps." "Ein Schaf schläft." --languages en de"""
_FILE = re.compile(r"\S*/\S*|\S*\.\w{1,8}", re.ASCII)
"""What looks like the name of a file: without white space, with a slash or an ending."""
_SCORE = "tandem score model/ my.en my.de --languages en de --at-least auto --out kept.tsv"


def add_similarity(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, similarity, _SIMILARITY)
    _add_options(parser, "; or two sentences, where no files are called so")


def add_score(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, score, _SCORE)
    parser.add_argument(
        "--at-least", type=argument.auto_or_number, default=-1.0, metavar="COSINE",
        help=common.AT_LEAST,
    )  # fmt: skip
    common.add_copies(parser, common.COPIES)
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser, more: str = "") -> None:
    common.add_model(parser)
    common.add_files(parser, more)
    common.add_languages(parser)
    common.add_columns(parser)
    common.add_output(parser)


def similarity(options: argparse.Namespace) -> None:
    """Write one cosine a line, 0 for a blank line, so that lines stay beside those of the text."""
    read = blank = 0
    if sentences := two_sentences(options.files):
        argument.refuse_idle(options, "FILE", "columns", "header")
    with common.output(options, [] if sentences else options.files, options.model) as out:
        encoder = common.load_model(options, *options.languages)
        bitext = sentences or common.pairs(options)
        for pairs, cosines in _scored(encoder, bitext, options.languages):
            out.write("".join(f"{cosine:.6f}\n" for cosine in cosines).encode())
            read += len(pairs)
            blank += sum(map(is_blank, pairs))
    summary = "cosine of two sentences" if sentences else f"cosines of {amount(read, 'pair')}"
    summary += f"; {blank:,} of them have a blank side, and a 0" if blank else ""
    common.report(options, {"pairs": read, "blank": blank}, summary)


def two_sentences(words: Sequence[str]) -> list[Pair]:
    """Return the pair of two sentences that a command line names in place of files, or nothing.

    Neither may be the name of a file that is there, nor look like one: en.txt, corpus/en.
    TandemError where one is blank.
    """
    words = [word.word if isinstance(word, Dashed) else word for word in words]
    if len(words) != 2 or any(
        word == STDIO or os.path.lexists(word) or _FILE.fullmatch(word) for word in words
    ):
        return []
    for which, word in zip(("first", "second"), words, strict=True):
        if not word.strip():
            raise TandemError(f"the {which} sentence is empty. Give two sentences, or files")
    return [(words[0], words[1])]


def score(options: argparse.Namespace) -> None:
    """Write the pairs whose cosine is high enough."""
    read = kept = 0
    copies = dropped = 0
    best = -math.inf
    with common.output(options, options.files, options.model) as out:
        encoder = common.load_model(options, *options.languages)
        least = lowest(encoder, options.at_least, Score.COSINE, options.languages)
        bitext = Filled(common.pairs(options))
        for pairs, cosines in _scored(encoder, bitext, options.languages):
            read += len(pairs)
            best = max(best, *cosines)
            for pair, cosine in zip(pairs, cosines, strict=True):
                if cosine >= least:
                    copy = same(*pair)
                    if copy and options.drop_copies:
                        dropped += 1
                        continue
                    copies += copy
                    kept += 1
                    row = f"{cosine:.6f}", *(side.replace("\t", " ") for side in pair)
                    out.write("\t".join(row).encode() + b"\n")
        scored, read = read, read + bitext.blank
        counts = {"read": read, "kept": kept, "copies": copies, "dropped": dropped}
        done = counts | {"blank": bitext.blank, "at_least": least}
        if not kept:
            enough = f"a cosine of {least:.3f} or more"
            reason = f"none of {scored:,} pairs has {enough}; the highest is {best:.3f}"
            if not scored:
                reason = f"each of {read:,} pairs has a blank side"
            elif dropped:
                reason = f"all {dropped:,} pairs with {enough} are copies (--drop-copies)"
            common.refuse_empty(options, reason)
    summary = f"{kept:,} of {read:,} pairs kept{common.from_on(least)}"
    if dropped:
        summary += f"; {dropped:,} copies left out"
    summary += common.without(bitext)
    common.report(options, done, summary, *common.warning_of_copies(copies, kept))


def _scored(
    encoder: SentenceEncoder, bitext: Iterable[Pair], languages: Sequence[str]
) -> Iterator[tuple[list[Pair], list[float]]]:
    """Yield batches of pairs with their cosines."""
    for pairs in common.batches(bitext, of_pair, "pair"):
        vectors = map(encoder.encode, zip(*pairs, strict=True), languages)
        yield pairs, cosine_similarity(*vectors).tolist()
