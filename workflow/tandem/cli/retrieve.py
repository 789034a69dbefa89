"""`tandem retrieve`: for each sentence, or document, the nearest of a corpus."""

from __future__ import annotations

import argparse
import contextlib

from tandem.cli import argument, common
from tandem.cli.places import add_input
from tandem.cli.spooled import Equal, add_search, nearest, prepare, spool
from tandem.search.neighbours import NOBODY

_EXAMPLE = """tandem retrieve model/ questions.en corpus.de --languages en de --k 3
tandem retrieve model/ pages.en.tsv pages.de.tsv --languages en de --documents"""


def add_retrieve(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    add_input(parser, "queries", metavar="QUERIES", help="what is looked for, one a line")
    add_input(parser, "corpus", metavar="CORPUS", help="where, one a line")
    common.add_languages(parser)
    parser.add_argument(
        "--k", type=argument.positive, default=1, help="how many to find for each (default: 1)"
    )
    parser.add_argument(
        "--documents", action="store_true",
        help="lines are the name of a document, a tab and a sentence: documents are found by the "
        "mean of their sentences' vectors, wherever in the file those stand, and names are written",
    )  # fmt: skip
    add_search(parser)
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Encode both to disk, search, and write what is found, the best first."""
    names = [options.queries, options.corpus]
    with common.output(options, names, options.model) as out, contextlib.ExitStack() as stack:
        prepare(options)
        encoder = common.load_model(options, *options.languages)
        equal = Equal.DOCUMENT if options.documents else Equal.NONE
        queries, corpus = (
            spool(encoder, name, language, stack, options, equal)
            for name, language in zip(names, options.languages, strict=True)
        )
        del encoder
        neighbours = nearest(queries, corpus, options, options.k).forward
        lines, others = queries.items.firsts, corpus.items.firsts
        for query, places, scores in zip(lines, *neighbours, strict=True):
            line = queries.line(query)
            for place, score in zip(places, scores, strict=True):
                if place == NOBODY:
                    continue
                row = [b"%.6f" % score, line, corpus.line(others[place])]
                row += [b"%d" % (n + 1) for n in (query, others[place])] if options.ids else []
                out.write(b"\t".join(row) + b"\n")
    sizes, unit = [queries.size, corpus.size], "documents" if options.documents else "sentences"
    unknown = [side.size - len(side.items) for side in (queries, corpus)]
    summary = f"{sizes[0]:,} {unit} looked for among {sizes[1]:,}"
    if any(unknown):
        summary += f"; without a word that the model knows: {unknown[0]:,} and {unknown[1]:,}"
    common.report(options, {unit: sizes, "k": options.k, "unknown": unknown}, summary)
