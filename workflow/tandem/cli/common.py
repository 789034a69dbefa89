"""What the commands share: options, lines in, lines out."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from tandem.cli import argument
from tandem.cli.places import add_input, add_place, inputs_of, places_of
from tandem.corpora.files import STDIO, check_readable, read_bitext
from tandem.corpora.tables import Columns
from tandem.encoders import named
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError, shown, writing
from tandem.files.atomic import atomic_path
from tandem.files.io import packing, write_json
from tandem.files.outputs import Place, check, check_streams
from tandem.machine import limit_threads, place
from tandem.progress import progress_bar
from tandem.text import Filled, Pair
from tandem.text.batches import batches as text_batches

T = TypeVar("T")

BITEXT = (
    "two files whose lines belong together, or one of two columns between tabs, CSV, JSON lines, "
    "Parquet, TMX, XLIFF, PO or a Moses archive; several may follow each other"
)
BATCH = 1024
"""Most sentences encoded at a time: more take 100 MB more and no less time."""
AT_LEAST = "keep pairs that score this or more; auto: the threshold that 95%% of true pairs reach"
COPIES = "leave out pairs with the same text on both sides, but for case and white space"
NO_THRESHOLD = (
    "no threshold of translations: too many of the pairs to calibrate on have no word that the "
    "model knows"
)
MODEL = "a model folder, or a name: small, which comes along, a built one, such as many, or e5"


def set_up(
    parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], None], example: str
) -> None:
    """Give a command the function that runs it, and an example."""
    parser.set_defaults(run=run)
    parser.epilog = "example:\n" + textwrap.indent(example, "  ")


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model, where it computes, and what is reported."""
    add_input(parser, "model", type=argument.name_of_model, metavar="MODEL", help=MODEL)
    add_device(parser)
    parser.add_argument(
        "--threads", type=argument.threads, metavar="N",
        help="processor threads (default: all): an averaging model is as fast with one; others, "
        "and searches, gain from more where cores are idle",
    )  # fmt: skip
    add_reporting(parser)


def add_device(parser: argparse.ArgumentParser, default: str = "cpu") -> None:
    """Add where a command computes."""
    parser.add_argument(
        "--device", default=default,
        help="where to compute: cpu, cuda, cuda:1 (the second card), or auto: cuda if there is one "
        "(default: %(default)s)",
    )  # fmt: skip


def add_reporting(parser: argparse.ArgumentParser) -> None:
    """Add what is reported, and where."""
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors to stderr")
    add_place(parser, "--json", metavar="FILE", help="write what was done, as JSON; - is stdout")


def check_report(options: argparse.Namespace) -> None:
    """Refuse a place for --json that is not free or that another output takes.

    Neither may stdout or stderr go to an input.
    """
    inputs = inputs_of(options)
    check_streams(inputs)
    if options.json == STDIO == vars(options).get("out"):
        raise TandemError("--json - and the rows both go to stdout. Name a file for one of them")
    if options.json in (None, STDIO):
        return
    check(Path(options.json), inputs, options.overwrite)
    place = Path(os.path.realpath(options.json))
    for name, other in places_of(options).items():
        taken = Path(os.path.realpath(other))
        if name != "json" and taken in (place, *place.parents):
            raise TandemError(f"--json {options.json} is or lies in {other}. Choose another place")


def report(options: argparse.Namespace, done: Mapping[str, Any], *lines: str) -> None:
    """Report what was done: as some lines on stderr, and in full where --json asks for it."""
    if options.json == STDIO:
        print(json.dumps(done, indent=2, ensure_ascii=False))
    elif options.json:
        try:
            check_report(options)  # somebody may have written there meanwhile
            write_json(options.json, done)
        except (OSError, TandemError) as error:
            error.add_note("All else is written")
            raise
    tell(options, *lines)


def tell(options: argparse.Namespace, *lines: str) -> None:
    """Write lines to stderr, unless nothing is to be said."""
    for line in () if options.quiet else lines:
        print(shown(line), file=sys.stderr)


def refuse_empty(options: argparse.Namespace, reason: str, *lines: str) -> NoReturn:
    """End a command whose result is empty, before its output is put in place; lines say more.

    No --json is written either, so that the next try finds its places free.
    """
    tell(options, *lines)
    raise TandemError(f"{reason}. Nothing is written")


def without(pairs: Filled) -> str:
    """Return how many pairs were left out since a side is blank, in words; nothing if none were."""
    return f"; {pairs.blank:,} with a blank side left out" if pairs.blank else ""


def from_on(least: float | None) -> str:
    """Return the lowest score of the pairs kept, in words; nothing if there is no bound."""
    return "" if least is None or least <= -1 else f", from a score of {least:.3f} on"


def add_files(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the files of a bitext; `more` is said of them."""
    add_input(
        parser, "files", nargs="*", default=[STDIO], metavar="FILE",
        help=f"{BITEXT}{more} (default: -)",
    )  # fmt: skip


def add_languages(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Add the languages of the two sides."""
    parser.add_argument(
        "--languages", nargs=2, required=required, type=argument.text, metavar=("FIRST", "SECOND"),
        help="of the two sides",
    )  # fmt: skip


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add where in a table the text is."""
    parser.add_argument(
        "--columns", type=columns, default=(), metavar="N,N",
        help="the columns that have the text, from 1 on, or their names; N: that of each of two "
        "files (default: both of two, those that the first line names, or each line whole)",
    )  # fmt: skip
    parser.add_argument(
        "--header", action=argparse.BooleanOptionalAction,
        help="the first line names columns (default: if it names both languages, source and "
        "target, or sentence1 and sentence2)",
    )  # fmt: skip


def columns(text: str) -> tuple[str, ...]:
    """Read the columns that have the text, by number or by name."""
    try:
        return Columns(tuple(part.strip() for part in text.split(","))).chosen
    except TandemError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def pairs(options: argparse.Namespace) -> Iterator[Pair]:
    """Return the pairs of all files."""
    return read_bitext(
        *options.files, languages=options.languages, columns=options.columns, header=options.header
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where the result goes."""
    add_place(
        parser, "--out", default=STDIO, metavar="FILE",
        help="where to, whole or not at all; packed if it ends in .gz, .bz2, .xz or .zst "
        "(default: -)",
    )  # fmt: skip
    add_overwrite(parser)


def add_overwrite(parser: argparse.ArgumentParser) -> None:
    """Add the permission to replace an earlier output."""
    parser.add_argument("--overwrite", action="store_true", help="replace an earlier output")


def add_copies(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add what is done with copies: pairs of the same text on both sides."""
    parser.add_argument("--drop-copies", action="store_true", help=meaning)


def warning_of_copies(copies: int, pairs: int) -> list[str]:
    """Return a line that says how many of the pairs written are copies; none if none are."""
    if not copies:
        return []
    return [
        f"warning: {copies:,} of these {pairs:,} pairs have the same text on both sides, as names "
        "and numbers do, and sentences that were never translated; --drop-copies leaves them out"
    ]


def load_model(options: argparse.Namespace, *languages: str) -> SentenceEncoder:
    """Load the model that was asked for; it must know the languages."""
    if getattr(options, "threads", None) is not None:
        limit_threads(options.threads)
    encoder = named.load_model(options.model, place(options.device))
    encoder.check(languages)
    return encoder


def batches(items: Iterable[T], characters: Callable[[T], int], unit: str) -> Iterator[list[T]]:
    """Yield the items in lists, showing progress on stderr; see `tandem.text.batches`."""
    with progress_bar(unit=f" {unit}", unit_scale=True) as bar:
        for batch in text_batches(items, BATCH, characters):
            yield batch
            bar.update(len(batch))


def check_inputs(names: list[str]) -> list[Place]:
    """Return inputs that can be read: paths, and 0 for stdin; see `check_readable`."""
    check_readable(names)
    return [0 if name == STDIO else name for name in names]


@contextlib.contextmanager
def output(options: argparse.Namespace, names: list[str], other: str) -> Iterator[BinaryIO]:
    """Open stdout for -, else a file that appears whole or not at all.

    Text, `names`, and a model or the rules, `other`, are read meanwhile. It is opened before any
    work, so that a place that is not free is refused at once.
    """
    # sentences may stand in no file
    inputs = [*(check_inputs(names) if names else ()), other, *inputs_of(options)]
    if options.out == STDIO:
        with writing("stdout", place=1):
            sys.stdout.buffer.write(b"")  # says before the work that it is closed
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    again = partial(check, Path(options.out), inputs, options.overwrite)
    again()
    with atomic_path(options.out) as temporary:
        with open(temporary, "wb") as file, packing(file, options.out) as out:
            yield out
        again()  # somebody may have written there meanwhile
