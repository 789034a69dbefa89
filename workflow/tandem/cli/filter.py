"""`tandem filter`: the pairs that pass the filters of a small file."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from tandem.cli import argument, common
from tandem.cli.places import add_input, add_place, inputs_of, mark_input
from tandem.corpora.files import STDIO
from tandem.encoders.named import find_model, open_encoder
from tandem.errors import TandemError
from tandem.files.atomic import atomic_path
from tandem.files.io import packing, read_yaml
from tandem.files.outputs import check
from tandem.filtering.filter import FILTERS, Filter, parse_filters, settings_of
from tandem.filtering.kinds.identical import IdenticalSides
from tandem.filtering.stream import UNFIT, apply, columns
from tandem.progress import progress_bar
from tandem.registry import ConfigurationError

_EXAMPLE = "tandem filter rules.yaml my.en my.de --languages en de --out kept.tsv"
_RULES = """RULES, such as rules.yaml:
  words: {minimum: 3, maximum: 80}
  ratio: {maximum: 2.5}
  identical: {}
  likeness: {kind: cosine, model: small, minimum: 0.3}

"""


def add_filter(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    parser.epilog = f"{_RULES}{parser.epilog}"
    add_input(
        parser, "rules", metavar="RULES",
        help="a YAML file: filters by name, each with its settings; there are "
        f"{', '.join(FILTERS.modules())}",
    )  # fmt: skip
    common.add_files(parser)
    mark_input(parser, "read_by_rules")
    parser.set_defaults(read_by_rules=())
    common.add_languages(parser)
    common.add_columns(parser)
    common.add_output(parser)
    add_place(
        parser, "--keep-scores", metavar="FILE",
        help="write every pair that was read, kept or not, with its scores and the filters that "
        "refuse it, between tabs under a head line",
    )  # fmt: skip
    common.add_copies(parser, f"{common.COPIES}, as the filter `identical: {{}}` does")
    parser.add_argument(
        "--jobs", type=argument.threads, default=1, help="processes that score (default: 1)"
    )
    common.add_device(parser)
    common.add_reporting(parser)


def run(options: argparse.Namespace) -> None:
    """Write the pairs that are kept, and count the others."""
    filters = read_rules(options.rules)
    if options.drop_copies:
        filters["--drop-copies"] = IdenticalSides()
    options.read_by_rules = [i for kind in filters.values() for i in kind.inputs(find_model)]
    common.check_report(options)  # now that it is known what is read
    removed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    read = copies = 0
    with (
        common.output(options, options.files, options.rules) as out,
        _scores_file(options, filters) as scores,
    ):
        with progress_bar(unit=" pair", unit_scale=True) as bar:
            pairs = common.pairs(options)
            scored = scores is not None
            opened = partial(open_encoder, device=options.device)
            blocks = apply(pairs, filters, options.languages, opened, options.jobs, scored)
            for block in blocks:
                out.write(block.kept)
                if scores:
                    scores.write(block.scores)
                read += block.read
                copies += block.copies
                removed += block.removed
                refused += block.refused
                bar.update(block.read)
        reasons = (*UNFIT, *filters)
        done: dict[str, Any] = {
            "read": read,
            "kept": read - removed.total(),
            "copies": copies,
            "removed": {name: removed[name] for name in reasons},
            "refused": {name: refused[name] for name in reasons},
            "rules": settings_of(filters),
        }
        if not done["kept"]:
            reason = f"{options.rules} keeps no pair"
            common.refuse_empty(options, reason, *_summary(done))
    warning = common.warning_of_copies(copies, done["kept"])
    common.report(options, done, *_summary(done), *warning)


def read_rules(path: str) -> dict[str, Filter]:
    """Return the filters of a file; TandemError names it and every key at fault."""
    values = read_yaml(path)
    if not values:
        raise TandemError(f"{path}: no filter. Name some, such as `ratio: {{maximum: 3}}`")
    try:
        return parse_filters(values, files=True)
    except ConfigurationError as error:
        raise TandemError(f"{path}: {error}") from error


@contextlib.contextmanager
def _scores_file(
    options: argparse.Namespace, filters: Mapping[str, Filter]
) -> Iterator[BinaryIO | None]:
    """Open the file of scores, if one is asked for, and write its head line."""
    if options.keep_scores is None:
        yield None
        return
    if options.keep_scores == STDIO:
        raise TandemError("--keep-scores -: scores do not go to stdout. Name a file")
    place = Path(options.keep_scores)
    inputs = inputs_of(options)
    scores, out = (Path(os.path.realpath(name)) for name in (place, options.out))
    if options.out != STDIO and (scores == out or scores in out.parents or out in scores.parents):
        problem = "--out and --keep-scores are the same file, or one lies in the other"
        raise TandemError(f"{place}: {problem}. Choose another place")
    again = partial(check, place, inputs, options.overwrite)
    again()
    with atomic_path(place) as temporary:
        with open(temporary, "wb") as plain, packing(plain, place) as file:
            head = "\t".join(["refused_by", *columns(filters), *options.languages])
            file.write(f"{head}\n".encode())
            yield file
        again()


def _summary(done: Mapping[str, Any]) -> list[str]:
    """Return the counts as lines of a small table."""
    removed, width = done["removed"], max(map(len, done["removed"]))
    return [
        f"{done['kept']:,} of {done['read']:,} pairs kept",
        *(
            f"  {name:<{width}}  removed {removed[name]:>12,}   of {count:,} that it refuses"
            for name, count in done["refused"].items()
            if count or name not in UNFIT
        ),
    ]
