"""`tandem evaluate`: how good a model is on pairs and scores that it has not seen."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tandem.cli import argument, common
from tandem.cli.labelled import add_labelled, columns, warning_of_languages
from tandem.cli.places import add_input
from tandem.corpora.labelled_files import LabelledFiles
from tandem.errors import TandemError
from tandem.own_bitext.quality import evaluated, similarity
from tandem.text import Filled
from tandem.text.batches import of_pair
from tandem.text.draws import reservoir

_EXAMPLE = """tandem evaluate model/ test.en test.de --languages en de
tandem evaluate model/ --sts sts.tsv en en --json scores.json"""

MOST_PAIRS = 20_000
"""Pairs that are evaluated unless more are asked for."""
_TRAINED_ON = (
    "warning: the model was trained on these very pairs, and tells others worse. Give pairs that "
    "it has not seen"
)


class Row(NamedTuple):
    """A figure, what it is of, and its 95% interval if it has one."""

    of: str
    metric: str
    value: float
    low: float | None
    high: float | None
    items: str


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, run, _EXAMPLE)
    common.add_model(parser)
    common.add_overwrite(parser)
    add_input(parser, "files", nargs="*", metavar="FILE", help=f"test pairs: {common.BITEXT}")
    parser.add_argument(
        "--languages", nargs=2, type=argument.text, metavar=("FIRST", "SECOND"),
        help="of the two sides of FILE",
    )  # fmt: skip
    common.add_columns(parser)
    parser.add_argument(
        "--pairs", type=argument.within(4, 1_000_000), metavar="N",
        help=f"most pairs, drawn from all (default: {MOST_PAIRS:,}): each is compared with all",
    )  # fmt: skip
    add_labelled(parser, "how well labelled pairs are told, at the model's threshold or else one "
                 "calibrated on half of them")  # fmt: skip
    add_input(
        parser, "--sts", words=slice(1), nargs=3, action="append", default=[],
        metavar=("FILE", "FIRST", "SECOND"),
        help="similarity: score (0 to 5), sentence, sentence, between tabs, and the languages of "
        "the sentences; may be repeated",
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Write a table to stdout."""
    if options.labelled:
        _labelled(options)
        return
    if bool(options.files) != bool(options.languages) or not (options.files or options.sts):
        raise TandemError("give test pairs with --languages, or --sts, or both")
    argument.refuse_idle(options, "--labelled", "label")
    if not options.files:
        argument.refuse_idle(options, "FILE", "columns", "header", "pairs")
    encoder = common.load_model(options, *(options.languages or ()))
    done: dict[str, Any] = {}
    rows: list[Row] = []
    lines: list[str] = []
    if options.files:
        common.check_inputs(options.files)
        read = Filled(common.pairs(options))
        every = chain.from_iterable(common.batches(read, of_pair, "pair"))
        pairs, count = reservoir(every, options.pairs or MOST_PAIRS, seed=1)
        scores = evaluated(encoder, pairs, options.languages)
        done["bitext"] = scores | {"blank": read.blank, "read": count}
        if read.blank:
            lines.append(f"{count:,} pairs{common.without(read)}")
        if len(pairs) < count:
            lines.append(f"{len(pairs):,} of {count:,} pairs were drawn (--pairs)")
        rows += _of_bitext(done["bitext"], " and ".join(options.files))
    for path, *languages in options.sts:
        correlations = similarity(encoder, path, languages)
        name = " ".join((path, *languages))
        done.setdefault("sts", {})[name] = {
            "pearson_x100": asdict(correlations.pearson_x100),
            "spearman_x100": asdict(correlations.spearman_x100),
            "pairs": correlations.pairs,
        }
        items = f"{correlations.pairs:,} pairs"
        of = " ".join((Path(path).name, *languages))
        for kind, interval in zip(("Pearson r", "Spearman rho"), correlations[:2], strict=True):
            figures = interval.estimate, interval.low, interval.high
            rows.append(Row(of, f"{kind} x 100", *figures, items))
    lacking = options.files and "ratio" not in done["bitext"]["thresholds"]
    lines += [common.NO_THRESHOLD] if lacking else []
    common.report(options, done, *lines)
    if options.json != common.STDIO:
        print("\n".join(_table(rows)))


def _labelled(options: argparse.Namespace) -> None:
    """Write how well labelled pairs are told."""
    from tandem.cli.paraphrases import ROWS, blank
    from tandem.own_bitext.identification import evaluated as told_apart

    argument.refuse_idle(options, "bitext", "pairs")
    if options.sts or not (options.files and options.languages):
        raise TandemError("--labelled: give labelled pairs with --languages, and no --sts")
    common.check_inputs(options.files)
    encoder = common.load_model(options, *options.languages)
    pairs = LabelledFiles(options.files, columns(options))
    done = told_apart(encoder, pairs, options.languages)
    rows = []
    for key, shown in ROWS.items():
        figure = done[f"{key}_x100"]
        spread = figure["estimate"], figure["low"], figure["high"]
        rows.append(Row(" and ".join(options.files), shown, *spread, f"{done['pairs']:,} pairs"))
    whose = "the model's own"
    if not done["own_threshold"]:
        whose = f"calibrated on {done['calibrated_on_pairs']:,} others"
    note = f"from a cosine of {done['threshold']:.3f} on ({whose}); {done['positive_x100']:.1f}% of"
    lines = [f"{note} the pairs say the same", *blank(done["blank"])]
    lines += [_TRAINED_ON] if done["trained_on"] else []
    best = f"One of {done['best_threshold']:.3f} tells these very pairs best (identify --at-least)"
    lines += warning_of_languages(done.get("threshold_languages", ()), options.languages, best)
    common.report(options, {"labelled": done}, *lines)
    if options.json != common.STDIO:
        print("\n".join(_table(rows)))


def _of_bitext(figures: dict[str, Any], name: str) -> list[Row]:
    """Return the figures of pairs as rows."""
    retrieval = figures["retrieval"]
    pairs, half = f"{retrieval['pairs']:,} pairs", "every second one without its translation"
    interval = retrieval["p_at_1_x100"], retrieval["low"], retrieval["high"]
    least = {key: f"{value:.3f}" for key, value in figures["thresholds"].items()}
    rows = [Row(name, "P@1 x 100", *interval, pairs)]
    for kind in ("true", "wrong") if "cosine" in least else ():
        share = figures["filtering"][f"{kind}_kept_x100"]
        metric = f"{kind} pairs with a cosine of {least['cosine']} or more, %"
        rows.append(Row(name, metric, share, None, None, pairs))
    named = (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))
    for kind, shown in named if "ratio" in least else ():
        metric = f"mining from a margin of {least['ratio']}: {shown} x 100"
        rows.append(Row(name, metric, figures["mining"][f"{kind}_x100"], None, None, half))
    return rows


def _table(rows: list[Row]) -> list[str]:
    """Return lines of aligned columns."""
    cells = [("of", "metric", "score", "95% interval", "items")]
    for row in rows:
        spread = "" if row.low is None else f"{row.low:.1f} to {row.high:.1f}"
        cells.append((row.of, row.metric, f"{row.value:.1f}", spread, row.items))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (zip(row, widths, strict=True) for row in cells)
    return ["  ".join(cell.ljust(width) for cell, width in line).rstrip() for line in lines]
