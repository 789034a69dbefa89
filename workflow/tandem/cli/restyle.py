"""`tandem restyle`: the meaning of one sentence in the manner of another."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain, repeat

from tandem.cli import common
from tandem.corpora.files import STDIO, lines_of
from tandem.errors import TandemError
from tandem.text.amounts import amount

_EXAMPLE = "tandem restyle model/ verses.en king-james.en --language en --out restyled.en"


def add_restyle(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    parser.add_argument("first", metavar="SOURCE", help="a file of sentences whose meaning is kept")
    parser.add_argument(
        "second", metavar="STYLE",
        help="a file of sentences whose manner is taken: line n for line n of SOURCE, or one line "
        "for all",
    )  # fmt: skip
    parser.add_argument(
        "--language", type=common.text,
        help="of both files (default: the first that the model was trained on)",
    )
    parser.add_argument(
        "--beam", type=common.within(1, 100), default=5, metavar="N",
        help="beginnings of a sentence that are kept (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--longest", type=common.within(1, 1000), default=100, metavar="N",
        help="most tokens of a sentence that is written (default: %(default)s)",
    )  # fmt: skip
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Write a line for each line of SOURCE."""
    from tandem.generation.saving import Generator
    from tandem.generation.writing import restyled
    from tandem.machine import limit_threads, place

    files = [options.first, options.second]
    with common.output(options, files, options.model) as out:
        if options.threads is not None:
            limit_threads(options.threads)
        generator = Generator(options.model, place(options.device))
        count = 0
        for batch in common.batches(_matched(*files), lambda pair: sum(map(len, pair)), "line"):
            sources, styles = zip(*batch, strict=True)
            how = options.language, options.beam, options.longest
            for line in restyled(generator, sources, styles, *how):
                out.write(f"{line}\n".encode())
                count += 1
        if not count:
            common.refuse_empty(options, f"{_name(options.first)}: the file is empty")
    common.report(options, {"sentences": count}, amount(count, "sentence"))


def _matched(source: str, style: str) -> Iterator[tuple[str, str]]:
    """Yield each source with its style; TandemError where there is none."""
    styles = lines_of(style)
    first = next(styles, None)
    if first is None:
        raise TandemError(f"{_name(style)}: the file is empty. Give a sentence to take after")
    second = next(styles, None)
    rest = repeat(first) if second is None else chain([first, second], styles)
    for number, line in enumerate(lines_of(source), 1):
        manner = next(rest, None)
        if manner is None:
            raise TandemError(
                f"{_name(style)}: no line {number:,}, which {_name(source)} has. Give one line for "
                "each, or one for all"
            )
        yield line, manner
    if second is not None and next(rest, None) is not None:
        raise TandemError(
            f"{_name(style)}: more lines than {_name(source)}. Give one for each, or one for all"
        )


def _name(file: str) -> str:
    return "stdin" if file == STDIO else file
