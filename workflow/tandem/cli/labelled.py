"""Options of the commands that read labelled pairs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tandem.corpora.labelled_files import LabelledColumns
from tandem.errors import TandemError

LABELLED = (
    "tables between tabs, or CSV: both sentences and the label, 1 where they say the same and 0 "
    "where not; the names sentence1, sentence2 and label in the first line say which, or they are "
    "the last three"
)


def add_labelled(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add whether pairs are labelled, and where the label is."""
    parser.add_argument("--labelled", action="store_true", help=f"{meaning}; FILE is {LABELLED}")
    parser.add_argument(
        "--label", metavar="COLUMN",
        help="with --labelled and --columns, the column of the label: its number, or its name",
    )  # fmt: skip


def add_implied(parser: argparse.ArgumentParser) -> None:
    """Add whether pairs are trained on whose label follows from others'."""
    parser.add_argument(
        "--implied", action="store_true", default=None,
        help="with --labelled: train on pairs, too, whose label follows from others'. Paraphrases "
        "of a sentence say the same, and none says the same as what that differs from",
    )  # fmt: skip


def columns(options: argparse.Namespace) -> LabelledColumns:
    """Return the columns that are asked for; TandemError where one is lacking."""
    if bool(options.columns) != bool(options.label):
        problem = "give --columns and --label, or neither: sentences, and their label"
        raise TandemError(f"{problem}, such as --columns 2,3 --label 4")
    chosen = (*options.columns, options.label) if options.label else ()
    return LabelledColumns(chosen, options.header)


def warning_of_languages(calibrated: Sequence[str], asked: Sequence[str], remedy: str) -> list[str]:
    """Return a line that says where a threshold was calibrated, if it was in other languages.

    The order of the sides changes no cosine. Nothing is said where `calibrated` is empty.
    """
    if not calibrated or sorted(calibrated) == sorted(asked):
        return []
    those, these = " ".join(calibrated), " ".join(asked)
    return [f"warning: the threshold was calibrated on pairs of {those}, not of {these}. {remedy}"]
