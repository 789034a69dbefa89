"""`tandem train`: an encoder from two aligned files."""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path

from tandem.cli import common
from tandem.corpora.bitext import build_bitext
from tandem.corpora.settings import Bitext
from tandem.encoders.composition import EncoderConfig
from tandem.errors import TandemError
from tandem.filtering import parse_filters
from tandem.io import read_lines
from tandem.segmentation import ragged
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segment_files import segment_file
from tandem.segmentation.segmenter import Segmenter, learn
from tandem.tasks.selection import by_retrieval
from tandem.training import run as training
from tandem.training.loop import TrainingConfig

_EXAMPLE = "tandem train my.en my.de --languages en de --out model/"
_KINDS = ("sentencepiece", "words", "trigrams")
_CLEANING: dict[str, dict] = {"words": {}, "ratio": {}, "identical": {}, "markup": {}}
_SPLITS = ("train", "valid")


def add_to(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    summary = (
        "Train an averaging encoder on bitext. Pairs are cleaned; some are held out, and the epoch "
        "is kept in which the most of these find their translations among them."
    )
    parser = common.add_command(commands, "train", run, summary, _EXAMPLE)
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="two aligned files, or one of two tab-separated columns",
    )  # fmt: skip
    common.add_languages(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the model")
    parser.add_argument("--segmentation", choices=_KINDS, default=_KINDS[0])
    numbers = {
        "--size": (20_000, "of the vocabulary, at most"),
        "--dimension": (300, "of the vectors"),
        "--epochs": (10, "times that each pair is trained on"),
        "--batch": (128, "pairs of one update; a smaller one may suit little text"),
        "--held-out": (500, "pairs that choose the epoch"),
        "--threads": (1, "changes the last digits"),
    }
    for name, (default, meaning) in numbers.items():
        note = f"{meaning} (default: {default})"
        parser.add_argument(name, type=common.positive, default=default, metavar="N", help=note)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of order and drawing")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda")


def run(options: argparse.Namespace) -> None:
    """Clean, split, segment, train and keep the model.

    What is made on the way lies beside the model and is removed at the end.
    """
    if len(set(options.languages)) < 2:
        raise TandemError("the two sides have one language code. Give each its own")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.out.parent, prefix=".training.") as name:
        text, ids = Path(name) / "text", Path(name) / "ids"
        source = " and ".join(options.files)
        bitext = Bitext(
            sources=(source,),
            languages=tuple(options.languages),
            valid=options.held_out,
            test=0,
            seed=options.seed,
            cleaning=parse_filters(_CLEANING),
        )
        build_bitext({source: common.pairs_of(options.files)}, bitext, text)
        segmenter = _segment(options, text, ids)
        _train(options, segmenter, ids, Path(name) / "checkpoint")


def _segment(options: argparse.Namespace, text: Path, ids: Path) -> Segmenter:
    """Learn the vocabulary on the training pairs and segment both splits."""
    ids.mkdir()
    scheme = Segmentation(kind=options.segmentation, size=options.size)
    sides = {side: partial(read_lines, text / f"train.{side}") for side in options.languages}
    segmenter = learn(scheme, sides, ids)
    for side in options.languages:
        for split in _SPLITS:
            segment_file(ids, text / f"{split}.{side}", side, ids / f"{split}.{side}")
    return segmenter


def _train(options: argparse.Namespace, segmenter: Segmenter, ids: Path, checkpoint: Path) -> None:
    """Train as wieting2019 does, section 3.1."""
    config = TrainingConfig(
        epochs=options.epochs,
        batch=options.batch,
        megabatch=60,
        anneal=150,
        margin=0.4,
        dropout=0.3,
        scramble=0.0,
        learning_rate=0.001,
        seed=options.seed,
        threads=options.threads,
    )
    sides = tuple(options.languages)
    pairs = training.load_pairs(ids, "train", sides, len(ragged.load(ids / f"train.{sides[0]}")))
    architecture = EncoderConfig("averaging", options.dimension)
    encoder, history = training.train_encoder(
        segmenter, architecture, config, pairs, by_retrieval(ids, sides), checkpoint, options.device
    )
    provenance = {"corpus": " and ".join(options.files), "languages": options.languages}
    training.save_trained(options.out, encoder, history, provenance, score="p_at_1_x100")
