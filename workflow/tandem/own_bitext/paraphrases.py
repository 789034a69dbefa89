"""An encoder fine-tuned on labelled pairs, its threshold, and what it tells of others."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.corpora.families import Triple, implied
from tandem.corpora.labelled import keyed_lines
from tandem.corpora.labelled_files import LabelledFiles, LabelledText, digest
from tandem.encoders.composition import check_freezing
from tandem.encoders.model import SentenceEncoder, is_unfinished
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder
from tandem.files.io import write_lines
from tandem.files.unfinished import workspace
from tandem.objectives.kinds.scaled_cosine import ScaledCosine
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.own_bitext.identification import DIGEST, calibrated, measured
from tandem.own_bitext.labelled_division import divided
from tandem.own_bitext.stopping import put_in_place, stopping
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.labelled import SPLITS, segment_labelled
from tandem.tasks.selection import by_labels
from tandem.training import run as training
from tandem.training.history import Epoch
from tandem.training.pairs import load_labelled
from tandem.training.recipe import Recipe
from tandem.training.run import Run
from tandem.version import __version__

PRETRAINED = {
    "epochs": 3, "batch": 32, "dropout": 0.0, "learning_rate": 0.0001, "warmup": 40,
    "decay": "linear", "frozen": "embeddings", "patience": 2,
}  # fmt: skip
"""Recipe of an encoder of many layers; of others, what follows from the amount of text."""
OTHERS = {"epochs": 30, "batch": 64, "learning_rate": 0.002, "patience": 5, "dropout": 0.1}


@dataclass(frozen=True)
class Tuning:
    """What a training on labelled pairs is asked for.

    Attributes:
        languages: of the two sides; they may be one.
        start: the encoder that training starts from.
        objective: the loss, which reads labels; None: the binary cross-entropy on the cosine.
        recipe: settings of `Recipe` that take the place of the usual ones.
        held_out: most pairs held out for each of three purposes: to stop on, to calibrate on, to
            report on.
        seed: of what is held out, and of the order of the pairs.
        device: cpu, cuda, or auto.
        implied: whether pairs are trained on, too, whose label follows from others' (`families`).
    """

    languages: tuple[str, str]
    start: SentenceEncoder
    objective: Objective | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    held_out: int = 500
    seed: int = 1
    device: str = "auto"
    implied: bool = False

    def run(self) -> Run:
        """Return what is trained and how."""
        objective = self.objective or ScaledCosine()
        usual = PRETRAINED if self.start.kind.kind == "pretrained" else OTHERS
        recipe = Recipe(**usual | dict(self.recipe))
        recipe.check(objective, self.start.kind)
        objective.check(self.start.kind)
        return Run(self.start.kind, objective, recipe, self.seed)

    def check(self) -> None:
        """Refuse languages that the encoder does not know, and layers that it has not."""
        self.start.check(self.languages)
        if (recipe := self.run().recipe).frozen != "none":
            check_freezing(self.start.kind, recipe.frozen_layers)

    def description(self) -> dict[str, Any]:
        """Return all that decides what the model becomes, as plain values."""
        return {
            "version": __version__, "languages": list(self.languages),
            "start": self.start.digest(), "held_out": self.held_out, "implied": self.implied,
            **self.run().description(),
        }  # fmt: skip


def fine_tune(
    pairs: Iterable[LabelledText],
    how: Tuning,
    place: Path,
    free: Callable[[bool], None],
    overwrite: bool = False,
    resume: bool = False,
    tell: Callable[[str], object] = lambda line: None,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
) -> SentenceEncoder:
    """Train on labelled pairs, calibrate a threshold, and write the model as a folder.

    What is held out for each purpose is divided by `labelled_division.divided`: pairs that share a
    sentence are in one part, unless nearly all share some, as where negatives were mined; then only
    those of one first sentence are. See `build` of bitext for `free`, `overwrite`, `resume`, `tell`
    and `after_epoch`.

    Raises:
        TandemError: too few pairs have texts of their own, or one label is missing.
    """
    free(overwrite or resume)
    how.check()
    texts = list(dict.fromkeys(pairs))
    name = pairs.name if isinstance(pairs, LabelledFiles) else "the pairs"
    parts = divided(texts, how.held_out, how.seed, name)
    more = implied(_triples(parts["train"], how)) if how.implied else []
    checksum = zlib.crc32("\n".join("\t".join(map(str, text)) for text in texts).encode())
    with workspace(place) as space:
        description = how.description() | {"text": {"pairs": len(texts), "crc32": checksum}}
        beside, precious = overwrite and not resume, "" if resume else "checkpoint"
        goes_on = space.begin(description, beside, precious)
        again = overwrite or (resume and goes_on and is_unfinished(place))
        free(again)
        ids, checkpoint, model = space.parts("ids", "checkpoint", "model")
        if not ids.exists():
            _segment(parts, more, how, ids)
        besides = f", and {len(more):,} that they imply" if how.implied else ""
        tell(f"training on {len(parts['train']):,} of {len(texts):,} labelled pairs{besides}")
        with stopping() as stop:
            encoder, history = training.train_encoder(
                how.run(), how.start.segmenter, [load_labelled(ids, "train")], by_labels(ids),
                checkpoint, how.device, start=how.start, stopped=stop, after_epoch=after_epoch,
            )  # fmt: skip
        origin = _origin(encoder, how, parts) | {DIGEST: digest(texts), "implied": len(more)}
        training.save_trained(model, encoder, history, origin, score="accuracy_x100")
        put_in_place(model, place, encoder, free, again)
    return encoder


def _origin(
    encoder: SentenceEncoder, how: Tuning, parts: Mapping[str, Sequence[LabelledText]]
) -> dict[str, Any]:
    """Return what the metadata say of the text, of the threshold, and of how good it is."""
    sizes = {name: len(part) for name, part in parts.items()}
    origin: dict[str, Any] = {"languages": list(how.languages), "labelled": sizes}
    if not encoder.metadata.get("unfinished"):
        threshold = calibrated(encoder, parts["calibration"], how.languages)
        origin["identification"] = {
            "threshold": threshold, "calibrated_on_pairs": sizes["calibration"],
            **measured(encoder, parts["test"], how.languages, threshold),
        }  # fmt: skip
    return origin


def _triples(pairs: Iterable[LabelledText], how: Tuning) -> list[Triple]:
    """Return pairs with the languages of their sides."""
    first, second = how.languages
    return [((first, pair.first), (second, pair.second), pair.label) for pair in pairs]


def _segment(
    parts: Mapping[str, Sequence[LabelledText]], more: list[Triple], how: Tuning, folder: Path
) -> None:
    """Write the ids of what is trained on, `more` too, and of what an epoch is selected by."""
    with atomic_folder(folder) as temporary:
        text = temporary / "text"
        text.mkdir()
        for split, file in SPLITS.items():
            pairs = _triples(parts[split], how) + (more if split == "train" else [])
            write_lines(text / file, ("\t".join(map(str, line)) for line in keyed_lines(pairs)))
        segment_labelled(text, Words(), temporary, how.start.segmenter)


def objective_of(kind: str | None, settings: Mapping[str, Any]) -> Objective | None:
    """Return the objective that is asked for; None: the usual one.

    Raises:
        TandemError: it does not read labels.
    """
    if kind is None and not settings:
        return None
    objective = OBJECTIVES.parse({"kind": kind or "scaled-cosine", **settings})
    if not getattr(objective, "labelled", False):
        labelled = [k for k in OBJECTIVES.modules()
                    if getattr(OBJECTIVES.kind(k), "labelled", False)]  # fmt: skip
        problem = f"the objective {objective.kind} reads no labels"
        raise TandemError(f"{problem}. Choose from: {', '.join(labelled)}")
    return objective
