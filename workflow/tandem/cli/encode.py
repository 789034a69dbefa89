"""`tandem encode`: sentences to vectors."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from itertools import chain

import numpy as np

from tandem.cli import common
from tandem.io import writing
from tandem.npy import write_npy

_EXAMPLE = "tandem encode model/ my.en --language en --out my.en.npy"


def add_to(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    summary = "Write the vector of each line, as a .npy matrix or as tab-separated numbers."
    parser = common.add_command(commands, "encode", run, summary, _EXAMPLE)
    common.add_model(parser)
    parser.add_argument("file", nargs="?", default=common.STDIO, metavar="FILE")
    parser.add_argument("--language", help="of the sentences; needed if the model knows several")
    parser.add_argument(
        "--format", choices=["npy", "tsv"], help="default: npy for a file *.npy, else tsv"
    )
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Encode line by line in constant memory."""
    style = options.format or ("npy" if options.out.endswith(".npy") else "tsv")
    with common.output(options, [options.file]) as out:
        encoder = common.load_model(options, *filter(None, [options.language]))
        batches = common.batches(common.lines_of(options.file), options, "line")
        lines = chain.from_iterable(batches)
        vectors = encoder.encode_stream(lines, options.language, common.BATCH)
        if style == "tsv":
            for batch in vectors:
                np.savetxt(out, batch, fmt="%.7g", delimiter="\t")
        elif out.seekable():
            write_npy(out, vectors, np.float32, encoder.dimension)
        else:
            # the header of a .npy file has the number of rows, and a pipe cannot be rewritten
            with tempfile.TemporaryFile() as scratch:
                with writing(
                    "the vectors before they go to stdout", scratch.fileno(), scratch.tell
                ):
                    write_npy(scratch, vectors, np.float32, encoder.dimension)
                scratch.seek(0)
                shutil.copyfileobj(scratch, out, 1 << 20)
