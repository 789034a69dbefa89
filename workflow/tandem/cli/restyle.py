"""`tandem restyle`: the meaning of one sentence in the manner of another."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain, repeat

from tandem.cli import argument, common
from tandem.cli.places import add_input
from tandem.corpora.files import STDIO, lines_of
from tandem.errors import InputError, TandemError
from tandem.text import is_blank
from tandem.text.amounts import amount

_EXAMPLE = "tandem restyle model/ verses.en king-james.en --language en --out restyled.en"
_SMALLER = "Give --beam 1, or --device cpu"


def add_restyle(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    add_input(parser, "first", metavar="SOURCE", help="a file of sentences whose meaning is kept")
    add_input(
        parser, "second", metavar="STYLE",
        help="a file of sentences whose manner is taken: line n for line n of SOURCE, or one line "
        "for all",
    )  # fmt: skip
    parser.add_argument(
        "--language",
        type=argument.text,
        help="of both files (default: the first that the model was trained on)",
    )
    parser.add_argument(
        "--beam", type=argument.within(1, 100), default=5, metavar="N",
        help="beginnings of a sentence that are kept (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--longest", type=argument.within(1, 1000), default=100, metavar="N",
        help="most tokens of a sentence that is written (default: %(default)s)",
    )  # fmt: skip
    common.add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Write a line for each line of SOURCE, blank where that is or the model knows none of it."""
    from tandem.generation.saving import Generator
    from tandem.generation.writing import legible, restyled
    from tandem.machine import gpu_errors, limit_threads, place

    files = [options.first, options.second]
    device = place(options.device)
    with common.output(options, files, options.model) as out, gpu_errors(_SMALLER, device):
        if options.threads is not None:
            limit_threads(options.threads)
        generator = Generator(options.model, device)
        count = blank = read = styled = 0
        for batch in common.batches(_matched(*files), lambda pair: sum(map(len, pair)), "line"):
            sources, styles = zip(*batch, strict=True)
            how = options.language, options.beam, options.longest
            for line in restyled(generator, sources, styles, *how):
                out.write(f"{line}\n".encode())
                count += 1
            blank += sum(map(is_blank, batch))  # no style is
            read += int(legible(generator, sources, options.language).sum())
            styled += int(legible(generator, styles, options.language).sum())
        if not count:
            common.refuse_empty(options, f"{_name(options.first)}: the file is empty")
    _report(options, count, blank, count - blank - read, count - styled)


def _report(
    options: argparse.Namespace, lines: int, blank: int, unknown: int, unstyled: int
) -> None:
    """Report how many lines were written, and which of them say less than one may think.

    Args:
        options: of the command.
        lines: all that were written.
        blank: those blank in SOURCE.
        unknown: those left blank since the model knows no token of SOURCE.
        unstyled: those of whose STYLE the model knows no token.
    """
    summary = amount(lines, "line")
    if blank:
        summary += f"; blank, as in SOURCE: {blank:,}"
    if unknown:
        summary += f"; left blank, since the model knows no token of SOURCE: {unknown:,}"
    if unstyled:
        summary += f"; in no manner, since the model knows no token of STYLE: {unstyled:,}"
    done = {"sentences": lines, "blank": blank, "unknown": unknown, "unstyled": unstyled}
    common.report(options, done, summary)


def _matched(source: str, style: str) -> Iterator[tuple[str, str]]:
    """Yield each source with its style; TandemError where there is none, or a blank one."""
    styles = _manners(style)
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


def _manners(file: str) -> Iterator[str]:
    """Yield the lines of STYLE; InputError at a blank one, which has no manner."""
    for number, line in enumerate(lines_of(file), 1):
        if is_blank((line, line)):
            raise InputError(_name(file), number, "the line is blank", "Give a sentence there")
        yield line


def _name(file: str) -> str:
    return "stdin" if file == STDIO else file
