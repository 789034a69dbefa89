"""`tandem export`: a model folder for sentence-transformers."""

from __future__ import annotations

import argparse
from pathlib import Path

from tandem.cli import argument, common
from tandem.cli.places import add_input, add_place
from tandem.encoders.named import load_model
from tandem.encoders.precision import Precision
from tandem.exporting.card import Card
from tandem.files.outputs import check

_EXAMPLE = 'tandem export model/ exported/ --name "My sentences" --corpus "my bitext" CC-BY-4.0'


def add_export(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    add_input(parser, "model", type=argument.name_of_model, metavar="MODEL", help=common.MODEL)
    add_place(parser, "folder", type=Path, metavar="FOLDER", help="where to")
    parser.add_argument(
        "--name", type=argument.text, help="of the model, in its card (default: the folder's)"
    )
    parser.add_argument(
        "--licence", type=argument.text, default="other", help="of the model, as hubs name it"
    )
    parser.add_argument(
        "--corpus", nargs=2, type=argument.text, action="append", default=[],
        metavar=("NAME", "LICENCE"),
        help="what it was trained on, for its card; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--precision", type=Precision, choices=[Precision.FLOAT32, Precision.FLOAT16],
        default=Precision.FLOAT32,
        help="of the numbers, in the folder and of the vectors that it gives (default: float32)",
    )  # fmt: skip
    common.add_overwrite(parser)
    common.add_reporting(parser)


def run(options: argparse.Namespace) -> None:
    """Export and say which folder serves which language."""
    # an extra brings the library that this imports
    from tandem.exporting.sentence_transformers import export_sentence_transformers

    check(options.folder, [options.model], options.overwrite, folder=True)
    card = Card(options.name or options.folder.name, options.corpus, licence=options.licence)
    encoder = load_model(options.model)
    folders = export_sentence_transformers(
        encoder, options.folder, card, options.precision, options.overwrite
    )
    lines = [f'{name}: SentenceTransformer("{path}")' for name, path in sorted(folders.items())]
    done = {"folders": {name: str(path) for name, path in folders.items()}}
    common.report(options, done, *lines)
