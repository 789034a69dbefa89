"""`tandem train`: an encoder from two aligned files."""

from __future__ import annotations

import argparse
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from tandem import __version__
from tandem.cli import common
from tandem.corpora.bitext import build_bitext
from tandem.corpora.settings import Bitext
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.errors import TandemError
from tandem.filtering import parse_filters
from tandem.io import atomic_folder, atomic_path, read_lines, replace_folder, sha256
from tandem.objectives.objective import OBJECTIVES
from tandem.outputs import check, keep_if, workspace
from tandem.registry import Settings, faults
from tandem.segmentation.scheme import Segmentation, Unit
from tandem.segmentation.segmenter import Segmenter, learn, segment_lines
from tandem.tasks.selection import by_retrieval
from tandem.training import run as training
from tandem.training.loop import Run
from tandem.training.recipe import Recipe

_EXAMPLE = "tandem train my.en my.de --languages en de --out model/"
_CLEANING: dict[str, dict] = {"words": {}, "ratio": {}, "identical": {}, "markup": {}}


def add_to(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    summary = (
        "Train an encoder on bitext. Pairs are cleaned; some are held out, and the epoch is kept "
        "in which the most of these find their translations among them."
    )
    parser = common.add_command(commands, "train", run, summary, _EXAMPLE)
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="two aligned files, or one of two tab-separated columns",
    )  # fmt: skip
    common.add_languages(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the model")
    common.add_overwrite(parser)
    parser.add_argument("--encoder", choices=list(ENCODERS.modules()), default="averaging")
    parser.add_argument("--objective", choices=list(OBJECTIVES.modules()), default="margin")
    parser.add_argument("--segmentation", choices=get_args(Unit), default="sentencepiece")
    _add_settings(parser, Segmentation, "size")
    _add_settings(parser, Encoder, "dimension")
    _add_settings(parser, Recipe, *Recipe.model_fields)
    parser.add_argument(
        "--held-out", type=common.positive, default=Bitext.model_fields["valid"].default,
        metavar="N", help="pairs that choose the epoch (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=common.natural, default=1, metavar="N", help="of order and drawing"
    )
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda")


def _add_settings(parser: argparse.ArgumentParser, model: type[Settings], *names: str) -> None:
    """Add an option for each of these settings, with its own default and meaning."""
    kinds = {"threads": common.threads}
    for name in names:
        field = model.model_fields[name]
        meaning = " ".join((field.description or "").split()).replace("%", "%%")
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=kinds.get(name, common.positive if isinstance(field.default, int) else float),
            default=field.default,
            metavar="N",
            help=f"{meaning} (default: %(default)s)",
        )


def run(options: argparse.Namespace) -> None:
    """Clean, split, segment, train and keep the model.

    What is made on the way lies beside the model, for a second call to go on from where this one
    was stopped, and is removed at the end.
    """
    places = common.check_inputs(options.files)
    again = partial(check, options.out, places, options.overwrite, folder=True)
    again()
    options.device = common.place(options.device)
    source = " and ".join(options.files)
    try:
        bitext = Bitext(
            sources=(source,),
            languages=tuple(options.languages),
            valid=options.held_out,
            test=0,
            seed=options.seed,
            cleaning=parse_filters(_CLEANING),
        )
        recipe = Recipe(**{name: getattr(options, name) for name in Recipe.model_fields})
        scheme = Segmentation(kind=options.segmentation, size=options.size)
    except ValidationError as error:
        raise TandemError("; ".join(faults(error))) from error
    with workspace(options.out) as folder:
        inputs = [_spool(name, folder) for name in options.files]
        others = ("command", "run", "out", "overwrite")
        given = {name: value for name, value in vars(options).items() if name not in others}
        made_of = {"version": __version__, "inputs": list(map(sha256, inputs)), **given}
        keep_if(folder, made_of, inputs)
        text, ids, model = folder / "text", folder / "ids", folder / "model"
        if not text.exists():
            build_bitext({source: common.pairs_of(list(map(str, inputs)))}, bitext, text)
        if not ids.exists():
            with atomic_folder(ids) as temporary:
                _segment(scheme, options.languages, text, temporary)
        _train(options, recipe, ids, folder / "checkpoint", model)
        again()  # somebody may have written there meanwhile
        replace_folder(model, options.out)


def _spool(name: str, folder: Path) -> Path:
    """Return the path of an input; what can be read only once is copied into the folder."""
    if name != common.STDIO and Path(name).is_file():
        return Path(name)
    copy = folder / "stdin" if name == common.STDIO else folder / Path(name).name
    source = sys.stdin.buffer if name == common.STDIO else open(name, "rb")
    with source, atomic_path(copy) as temporary, open(temporary, "wb") as out:
        shutil.copyfileobj(source, out)
    return copy


def _segment(scheme: Segmentation, sides: list[str], text: Path, ids: Path) -> None:
    """Learn the vocabulary on the training pairs and segment both splits."""
    texts = {side: partial(read_lines, text / f"train.{side}") for side in sides}
    segmenter = learn(scheme, texts, ids)
    for side in sides:
        for split in ("train", "valid"):
            lines = read_lines(text / f"{split}.{side}")
            segment_lines(segmenter, lines, side, ids / f"{split}.{side}")


def _train(
    options: argparse.Namespace, recipe: Recipe, ids: Path, checkpoint: Path, model: Path
) -> None:
    """Train on all pairs and write the model."""
    kind = ENCODERS.parse({"kind": options.encoder, "dimension": options.dimension})
    how = Run(kind, OBJECTIVES.parse({"kind": options.objective}), recipe, options.seed)
    sides = tuple(options.languages)
    pairs, select = training.load_pairs(ids, "train", sides), by_retrieval(ids, sides)
    encoder, history = training.train_encoder(
        how, Segmenter.load(ids), [pairs], select, checkpoint, options.device
    )
    origin = {"corpus": " and ".join(options.files), "languages": list(sides)}
    training.save_trained(model, encoder, history, origin, score="p_at_1_x100")
