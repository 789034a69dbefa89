"""`tandem mine`: translations out of two unaligned files."""

from __future__ import annotations

import argparse
import contextlib
import math

from tandem.cli import argument, common
from tandem.cli.places import add_input
from tandem.cli.spooled import Equal, add_search, nearest, prepare, spool
from tandem.own_bitext.mined import NEIGHBOURS, choose, lowest
from tandem.search.margins import Retrieval, Score
from tandem.text.amounts import amount
from tandem.text.spelling import same

_EXAMPLE = "tandem mine model/ news.en news.de --languages en de --at-least auto --out mined.tsv"


def add_mine(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    add_input(parser, "first", metavar="FILE", help="text in the first language")
    add_input(parser, "second", metavar="FILE", help="text in the second language")
    common.add_languages(parser)
    parser.add_argument(
        "--score", type=Score, choices=list(Score), default=Score.RATIO,
        help="how pairs are scored: the cosine, or a margin over the k nearest (default: ratio)",
    )  # fmt: skip
    parser.add_argument(
        "--retrieval", type=Retrieval, choices=list(Retrieval), default=Retrieval.MAX,
        help="which pairs are proposed (default: max, each different sentence with one "
        "other at most)",
    )  # fmt: skip
    parser.add_argument(
        "--at-least", type=argument.auto_or_number, default=-math.inf, metavar="SCORE",
        help=common.AT_LEAST,
    )  # fmt: skip
    parser.add_argument(
        "--k", type=argument.positive, default=NEIGHBOURS, help="neighbours that a margin looks at"
    )
    common.add_copies(parser, "do not propose a sentence that stands in both files for itself")
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
        least = lowest(encoder, options.at_least, options.score, options.languages, options.k)
        left, right = (
            spool(encoder, name, language, stack, options, Equal.TEXT)
            for name, language in zip(names, options.languages, strict=True)
        )
        del encoder  # its table and cached words are memory that the search needs
        pairs, best = choose(
            (left.items, right.items),
            lambda k: nearest(left, right, options, k),
            least, options.score, options.retrieval, options.k, options.drop_copies,
        )  # fmt: skip
        copies = 0
        for source, target, score in zip(pairs.source, pairs.target, pairs.score, strict=True):
            row = [b"%.6f" % score, left.line(source), right.line(target)]
            copies += same(row[1].decode(), row[2].decode())
            row += [b"%d" % (number + 1) for number in (source, target)] if options.ids else []
            out.write(b"\t".join(row) + b"\n")
        sizes = [len(side.lines) for side in (left, right)]
        limit = least if math.isfinite(least) else None
        where = f"{sizes[0]:,} and {sizes[1]:,} sentences"
        done = {"sentences": sizes, "pairs": len(pairs), "copies": copies, "at_least": limit}
        if not len(pairs):
            scores = f"scores {least:.3f} or more; the highest is {best:.3f}"
            reason = f"no pair of {where} {'has a score' if math.isnan(best) else scores}"
            common.refuse_empty(options, reason)
    summary = f"{amount(len(pairs), 'pair')} found in {where}{common.from_on(limit)}"
    common.report(options, done, summary, *common.warning_of_copies(copies, len(pairs)))
