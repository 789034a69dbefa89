"""What the commands share: options, lines in, lines out."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import stat
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeVar

import torch
from pydantic import ByteSize, TypeAdapter
from tqdm import tqdm

from tandem.corpora.readers.lines import align
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError, TandemError, writing
from tandem.io import atomic_path, read_lines, read_yaml, stream_lines, unpacked
from tandem.outputs import Place, check, same
from tandem.provenance import ROOT
from tandem.training.run import place

T = TypeVar("T")
Pair = tuple[str, str]

STDIO = "-"
BATCH = 1024
"""Sentences encoded at a time: more take 100 MB more and no less time."""
MODEL = "a model folder, or the name of a built model, such as many"
MODELS = "TANDEM_MODELS"
"""The environment variable with the folder of a person's models."""


def add_command(
    commands: argparse._SubParsersAction,
    name: str,
    run: Callable[[argparse.Namespace], None],
    summary: str,
    example: str,
) -> argparse.ArgumentParser:
    """Add a command with its example."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog="example:\n" + textwrap.indent(example, "  "),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model folder, where it computes, and silence."""
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda, ...")
    parser.add_argument("--threads", type=threads, help="processor threads (default: all)")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")


def add_languages(parser: argparse.ArgumentParser) -> None:
    """Add the languages of the two sides."""
    parser.add_argument(
        "--languages", nargs=2, required=True, metavar=("FIRST", "SECOND"), help="of the two sides"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where the result goes."""
    parser.add_argument(
        "--out", default=STDIO, metavar="FILE", help="where to, whole or not at all (default: -)"
    )
    add_overwrite(parser)


def add_overwrite(parser: argparse.ArgumentParser) -> None:
    """Add that the output may be there already."""
    parser.add_argument("--overwrite", action="store_true", help="replace an earlier output")


def find_model(model: str) -> Path:
    """Return the folder of a model: the one of this path, or a built one of this name.

    A plain name that is no path is looked for as `results/<name>/model` here, as `<name>` in the
    folder that TANDEM_MODELS names, and as `results/<name>/model` in Tandem's own checkout.

    Raises:
        TandemError: nothing has that name; the message lists the places.
    """
    path = Path(model)
    if path.exists() or not re.fullmatch(r"\w[\w.-]*", model):
        return path
    built, checkout = Path("results", model, "model"), ROOT.parent
    places = [built]
    if models := os.environ.get(MODELS):
        places.append(Path(models, model))
    if (checkout / "Snakefile").is_file() and not same(checkout, "."):
        places.append(checkout / built)
    if found := next(filter(Path.is_dir, places), None):
        return found
    study = checkout / "workflow/studies" / model / "study.yaml"
    remedy = f"Give a model folder, or set {MODELS} to the folder that holds {model}"
    if study.is_file() and "model" in (read_yaml(study).get("export") or {}):
        remedy += f". To build it, in {checkout}: snakemake --cores all {built}"
    looked = ", ".join(map(str, [path, *places]))
    raise TandemError(f"there is no model {model} (looked for {looked}). {remedy}")


def load_model(options: argparse.Namespace, *languages: str) -> SentenceEncoder:
    """Load the model that was asked for; it must know the languages."""
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    encoder = SentenceEncoder.load(options.model, place(options.device))
    for language in languages:
        encoder.segmenter.encoder(language)
    return encoder


def lines_of(name: str) -> Iterator[str]:
    """Yield the lines of a file, or of stdin for -; either may be gzipped."""
    if name == STDIO:
        return stream_lines(unpacked(sys.stdin.buffer), "stdin")
    return read_lines(name)


def pairs_of(names: list[str]) -> Iterator[Pair]:
    """Yield the pairs of two aligned files, or of one file with two columns."""
    if len(names) == 2:
        yield from align(lines_of(names[0]), lines_of(names[1]), *names)
        return
    for number, line in enumerate(lines_of(names[0]), start=1):
        columns = line.split("\t")
        if len(columns) != 2:
            problem = f"{len(columns)} columns, not 2"
            raise InputError(names[0], number, problem, "Give sentence, tab, sentence")
        yield columns[0], columns[1]


def batches(items: Iterable[T], options: argparse.Namespace, unit: str) -> Iterator[list[T]]:
    """Yield the items in lists, showing progress on stderr."""
    with tqdm(unit=f" {unit}", unit_scale=True, disable=options.quiet or None) as bar:
        stream = iter(items)
        while batch := list(islice(stream, BATCH)):
            yield batch
            bar.update(len(batch))


def check_inputs(names: list[str]) -> list[Place]:
    """Return what the inputs are, once they are seen to be there.

    Raises:
        TandemError: there are too many, or one is a folder; OSError: one is not there.
    """
    if len(names) > 2 or names == [STDIO, STDIO]:
        raise TandemError("give two files, or one of two columns; - is stdin, once at most")
    for name in names:
        if name != STDIO and stat.S_ISDIR(os.stat(name).st_mode):
            raise InputError(name, None, "a folder", "Name a text file")
    return [0 if name == STDIO else name for name in names]


@contextlib.contextmanager
def output(options: argparse.Namespace, names: list[str]) -> Iterator[BinaryIO]:
    """Open stdout for -, else a file that appears whole or not at all.

    It is opened before all work, so that what must not be replaced is refused at once.
    """
    inputs = [*check_inputs(names), options.model]
    if options.out == STDIO:
        if any(same(source, 1) for source in inputs):
            raise TandemError("stdout goes to a file that is read. Choose another")
        with writing("stdout", place=1):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    again = partial(check, Path(options.out), inputs, options.overwrite)
    again()
    with atomic_path(options.out) as temporary:
        with open(temporary, "wb") as out:
            yield out
        again()  # somebody may have written there meanwhile


def within(least: float, most: float, kind: type = int) -> Callable[[str], float]:
    """Return a reader of numbers in a range, for argparse; NaN is in none."""

    def number(text: str) -> float:
        if not least <= (read := kind(text)) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}")
        return read

    return number


natural, positive, threads = within(0, 2**63 - 1), within(1, 2**63 - 1), within(1, 1024)
threshold = within(-math.inf, math.inf, float)


def byte_size(text: str) -> int:
    """Read a size such as 2GiB or 500M."""
    return TypeAdapter(ByteSize).validate_python(text)
