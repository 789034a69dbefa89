"""`tandem encode`: sentences to vectors."""

from __future__ import annotations

import argparse
from itertools import chain

import numpy as np

from tandem.cli import argument, common
from tandem.cli.places import add_input
from tandem.corpora.files import STDIO, lines_of
from tandem.corpora.formats import PACKING
from tandem.errors import TandemError
from tandem.files.npy import write_npy
from tandem.text.amounts import amount

_EXAMPLE = "tandem encode small my.en --language en --out my.en.npy"


def add_encode(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    add_input(parser, "file", nargs="?", default=STDIO, metavar="FILE")
    parser.add_argument(
        "--language", type=argument.text, help="of the sentences; needed if the model knows several"
    )
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Encode line by line in constant memory."""
    if PACKING.search(options.out) and PACKING.sub("", options.out).endswith(".npy"):
        raise TandemError(f"{options.out}: a matrix is not packed. Name it *.npy, or *.tsv.gz")
    with common.output(options, [options.file], options.model) as out:
        encoder = common.load_model(options, *filter(None, [options.language]))
        batches = common.batches(lines_of(options.file), len, "line")
        lines = chain.from_iterable(batches)
        vectors = encoder.encode_stream(lines, options.language, common.BATCH)
        if options.out.endswith(".npy"):
            rows = write_npy(out, vectors, np.float32, encoder.dimension)
        else:
            rows = 0
            for batch in vectors:
                np.savetxt(out, batch, fmt="%.7g", delimiter="\t")
                rows += len(batch)
        if not rows:
            name = "stdin" if options.file == STDIO else options.file
            common.refuse_empty(options, f"{name}: the file is empty")
    summary = f"{amount(rows, 'vector')} of {encoder.dimension} numbers"
    common.report(options, {"sentences": rows, "dimensions": encoder.dimension}, summary)
