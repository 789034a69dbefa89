"""`tandem compress`: a model folder that takes less room."""

from __future__ import annotations

import argparse
from pathlib import Path

from tandem.cli import argument, common
from tandem.cli.places import add_input, add_place
from tandem.encoders import named
from tandem.encoders.measured import parts
from tandem.encoders.model import parts_beside
from tandem.encoders.precision import Precision
from tandem.exporting.compact import narrowed
from tandem.files.outputs import check

_EXAMPLE = "tandem compress model/ compact/"
_NO_THRESHOLDS = (
    "its calibrated thresholds are left out, since fewer dimensions change its cosines: tandem "
    "evaluate measures others"
)
_ALONE = (
    "the encoder alone: {parts} are left out, which tandem restyle needs. Keep {model} for that"
)


def add_compress(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    add_input(parser, "model", type=argument.name_of_model, metavar="MODEL", help=common.MODEL)
    add_place(parser, "folder", type=Path, metavar="FOLDER", help="where to")
    parser.add_argument(
        "--precision", type=Precision, choices=list(Precision), default=Precision.INT8,
        help="of the stored numbers (default: int8); in memory they are float32 again",
    )  # fmt: skip
    parser.add_argument(
        "--dimensions", type=argument.positive, metavar="K",
        help="keep so many, after a rotation onto principal axes (default: all, not rotated)",
    )  # fmt: skip
    common.add_overwrite(parser)
    common.add_reporting(parser)


def run(options: argparse.Namespace) -> None:
    """Compress, and report the sizes before and after."""
    check(options.folder, [options.model], options.overwrite, folder=True)
    encoder, lines = named.load_model(options.model), list[str]()
    if options.dimensions is not None:
        if any(part.get("thresholds") for part in parts(encoder.metadata, "quality").values()):
            lines.append(_NO_THRESHOLDS)
        encoder = narrowed(encoder, options.dimensions)
    whole = (options.model / "encoder.json").is_file()  # not one of another library
    if beside := parts_beside(options.model) if whole else ():
        lines.append(_ALONE.format(parts=" and ".join(beside), model=options.model))
    encoder.save(options.folder, options.precision, options.overwrite)
    # an encoder of a package has no folder
    before = _megabytes(options.model) if options.model.is_dir() else None
    after = _megabytes(options.folder)
    summary = "" if before is None else f"{before:.1f} MB before, "
    summary += f"{after:.1f} MB after"
    common.report(options, {"before_mb": before, "after_mb": after}, summary, *lines)


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
