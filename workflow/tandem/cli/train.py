"""`tandem train`: an encoder from two aligned files, on its own or from a trained one."""

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
from tandem.encoders.model import SentenceEncoder
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
_DECIDED = {
    "encoder": "averaging",
    "segmentation": "sentencepiece",
    "size": Segmentation.model_fields["size"].default,
    "dimension": Encoder.model_fields["dimension"].default,
}
"""What the model of --from decides, and what else holds where the option is not given."""


def add_to(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    summary = (
        "Train an encoder on bitext. Pairs are cleaned; some are held out, and the epoch is kept "
        "in which the most of these find their translations among them. With --from, training "
        "goes on from a trained encoder, with its segmentation: so few pairs go further."
    )
    parser = common.add_command(commands, "train", run, summary, _EXAMPLE)
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="two aligned files, or one of two tab-separated columns",
    )  # fmt: skip
    common.add_languages(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the model")
    common.add_overwrite(parser)
    parser.add_argument(
        "--from", dest="model", metavar="MODEL", help=f"what to start from: {common.MODEL}"
    )
    absent = argparse.SUPPRESS
    parser.add_argument("--encoder", choices=list(ENCODERS.modules()), default=absent)
    parser.add_argument("--objective", choices=list(OBJECTIVES.modules()), default="margin")
    parser.add_argument("--segmentation", choices=get_args(Unit), default=absent)
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
        number = common.positive if isinstance(field.default, int) else float
        words: dict = {"choices": get_args(field.annotation)}
        numbers = {"type": kinds.get(name, number), "metavar": "N"}
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            **(words if isinstance(field.default, str) else numbers),
            default=argparse.SUPPRESS if name in _DECIDED else field.default,
            help=f"{meaning} (default: {field.default})",
        )


def run(options: argparse.Namespace) -> None:
    """Clean, split, segment, train and keep the model.

    What is made on the way lies beside the model, for a second call to go on from where this one
    was stopped, and is removed at the end.
    """
    places = common.check_inputs(options.files)
    if options.model is not None:
        places.append(options.model)
    again = partial(check, options.out, places, options.overwrite, folder=True)
    again()
    options.device = common.place(options.device)
    start = _start(options)
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
        how: Segmentation | Segmenter
        if start is None:
            how = Segmentation(kind=options.segmentation, size=options.size)
        else:
            how = start.segmenter
    except ValidationError as error:
        raise TandemError("; ".join(faults(error))) from error
    with workspace(options.out) as folder:
        inputs = [_spool(name, folder) for name in options.files]
        others = ("command", "run", "out", "overwrite", "model")
        given = {name: value for name, value in vars(options).items() if name not in others}
        if start is not None:
            given["start"] = start.digest()
        made_of = {"version": __version__, "inputs": list(map(sha256, inputs)), **given}
        keep_if(folder, made_of, inputs)
        text, ids, model = folder / "text", folder / "ids", folder / "model"
        if not text.exists():
            build_bitext({source: common.pairs_of(list(map(str, inputs)))}, bitext, text)
        if not ids.exists():
            with atomic_folder(ids) as temporary:
                _segment(how, options.languages, text, temporary)
        _train(options, recipe, start, ids, folder / "checkpoint", model)
        again()  # somebody may have written there meanwhile
        replace_folder(model, options.out)


def _start(options: argparse.Namespace) -> SentenceEncoder | None:
    """Load the encoder of --from, which must know the languages; None: complete the options.

    Raises:
        TandemError: options contradict it.
    """
    given = [f"--{name}" for name in _DECIDED if hasattr(options, name)]
    if options.model is None:
        vars(options).update({**_DECIDED, **vars(options)})
        return None
    if given:
        raise TandemError(
            f"{' and '.join(given)}: the model that training starts from decides that. Leave it "
            "out, or leave out --from"
        )
    return common.load_model(options, *options.languages)


def _spool(name: str, folder: Path) -> Path:
    """Return the path of an input; what can be read only once is copied into the folder."""
    if name != common.STDIO and Path(name).is_file():
        return Path(name)
    copy = folder / "stdin" if name == common.STDIO else folder / Path(name).name
    source = sys.stdin.buffer if name == common.STDIO else open(name, "rb")
    with source, atomic_path(copy) as temporary, open(temporary, "wb") as out:
        shutil.copyfileobj(source, out)
    return copy


def _segment(how: Segmentation | Segmenter, sides: list[str], text: Path, ids: Path) -> None:
    """Segment both splits with a segmenter, or with one that is learned on the training pairs."""
    if isinstance(how, Segmenter):
        segmenter = how
        segmenter.save(ids)
    else:
        texts = {side: partial(read_lines, text / f"train.{side}") for side in sides}
        segmenter = learn(how, texts, ids)
    for side in sides:
        for split in ("train", "valid"):
            lines = read_lines(text / f"{split}.{side}")
            segment_lines(segmenter, lines, side, ids / f"{split}.{side}")


def _train(
    options: argparse.Namespace,
    recipe: Recipe,
    start: SentenceEncoder | None,
    ids: Path,
    checkpoint: Path,
    model: Path,
) -> None:
    """Train on all pairs and write the model."""
    if start is None:
        kind = ENCODERS.parse({"kind": options.encoder, "dimension": options.dimension})
    else:
        kind = start.kind
    how = Run(kind, OBJECTIVES.parse({"kind": options.objective}), recipe, options.seed)
    sides = tuple(options.languages)
    pairs, select = training.load_pairs(ids, "train", sides), by_retrieval(ids, sides)
    encoder, history = training.train_encoder(
        how, Segmenter.load(ids), [pairs], select, checkpoint, options.device, start=start
    )
    origin = {"corpus": " and ".join(options.files), "languages": list(sides)}
    training.save_trained(model, encoder, history, origin, score="p_at_1_x100")
