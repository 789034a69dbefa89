"""`tandem mine`: translations out of two unaligned files."""

from __future__ import annotations

import argparse
import contextlib
import math

from tandem.cli import common
from tandem.cli.spooled import add_search, nearest, prepare, spool
from tandem.own_bitext.mined import NEIGHBOURS, calibrated
from tandem.search.margins import Retrieval, Score, mine

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
        "--k", type=common.positive, default=NEIGHBOURS, help="neighbours that a margin looks at"
    )
    add_search(parser)
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Encode both files to disk, search, and write the pairs.

    The files on disk have no name, so that nothing is left of them however the process ends.
    """
    names = [options.first, options.second]
    with common.output(options, names, options.model) as out, contextlib.ExitStack() as stack:
        prepare(options)
        encoder = common.load_model(options, *options.languages)
        least = options.at_least
        if least is None:
            least = calibrated(encoder, options.score, options.k)
        sides = [
            spool(encoder, name, language, stack, options)
            for name, language in zip(names, options.languages, strict=True)
        ]
        del encoder  # its table and cached words are memory that the search needs
        neighbours = nearest(sides[0].vectors, sides[1].vectors, options)
        pairs = mine(neighbours, options.score, options.retrieval)
        best = max(pairs.score, default=math.nan)
        pairs = pairs.above(least)
        for source, target, score in zip(pairs.source, pairs.target, pairs.score, strict=True):
            out.write(b"%.6f\t%b\t%b\n" % (score, sides[0].line(source), sides[1].line(target)))
        sizes = [len(side.vectors) for side in sides]
        limit = least if math.isfinite(least) else None
        done = {"sentences": sizes, "pairs": len(pairs), "at_least": limit}
        where = f"{sizes[0]:,} and {sizes[1]:,} sentences"
        if not len(pairs):
            scores = f"scores {least:.3f} or more; the highest is {best:.3f}"
            reason = f"no pair of {where} {'has a score' if math.isnan(best) else scores}"
            common.refuse_empty(options, done, reason)
    summary = f"{len(pairs):,} pairs found in {where}{common.from_on(limit)}"
    common.report(options, done, summary)
