"""From sentence pairs to a model folder: clean, hold out, segment, train, calibrate, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tandem.corpora.bitext import build_bitext
from tandem.corpora.files import Corpus
from tandem.corpora.settings import Bitext
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import Description, SentenceEncoder
from tandem.errors import TandemError
from tandem.files import saved
from tandem.files.io import (
    atomic_folder,
    read_json,
    read_lines,
    replace_folder,
)
from tandem.files.outputs import check
from tandem.files.unfinished import workspace
from tandem.filtering.filter import parse_filters
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.own_bitext import recipes
from tandem.own_bitext.inputs import described, written
from tandem.own_bitext.quality import CROWD, examples, quality
from tandem.own_bitext.selection import by_retrieval_and_margin
from tandem.own_bitext.stopping import stopping
from tandem.own_bitext.vocabulary import segment
from tandem.registry import faults
from tandem.segmentation.segmenter import Segmenter
from tandem.text import Pair
from tandem.training import run as training
from tandem.training.course import Epoch
from tandem.training.pairs import Pairs, load_pairs
from tandem.training.run import Run
from tandem.version import __version__

MOST_HELD_OUT = 0.05
"""Largest share of the pairs that is held out for each of the three purposes."""
MOST_UNKNOWN = 0.01
"""Largest share of pairs with a side of unknown tokens only that needs no warning."""
_CLEANING: dict[str, dict] = {"words": {}, "ratio": {}, "identical": {}, "markup": {}}


@dataclass(frozen=True)
class Asked:
    """What a training is asked for.

    Attributes:
        languages: of the two sides.
        encoder: of the model, unless it starts from another; None: the mean of its embeddings.
        segmentation: settings of `Segmentation` that replace those that follow from the amount of
            text, unless it starts from another model.
        start: a trained encoder to start from, with its segmentation.
        objective: the loss; None: the margin loss.
        recipe: settings of `Recipe` that replace those that follow from the amount of text.
        held_out: most pairs held out for each of three purposes: to stop on, to calibrate
            thresholds on, to report on.
        seed: of the order of the pairs and of what is drawn.
        device: cpu, cuda, or auto.
    """

    languages: tuple[str, str]
    encoder: Encoder | None = None
    segmentation: Mapping[str, Any] = field(default_factory=dict)
    start: SentenceEncoder | None = None
    objective: Objective | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    held_out: int = 500
    seed: int = 1
    device: str = "auto"

    def __post_init__(self) -> None:
        """Refuse settings that make no sense, before any work: TandemError names the setting."""
        self._check_start()
        try:
            self.bitext(("pairs",))
            recipes.followed(1, objective=self.objective, **self.recipe)
            segmentation = recipes.segmentation(1, Counter(), (), self.segmentation)
        except ValidationError as error:
            raise TandemError("; ".join(faults(error))) from error
        if not self.start and not self.kind.reads(segmentation):
            problem = f"{self.kind.kind} does not read {segmentation.kind}"
            raise TandemError(f"{problem}. Give another segmentation or encoder")

    def _check_start(self) -> None:
        """Refuse a model to start from that does not fit what else is asked for."""
        if not self.start:
            return
        decided = [] if self.encoder is None else ["encoder (with its dimension)"]
        decided += ["segmentation" if name == "kind" else name for name in self.segmentation]
        if decided:
            raise TandemError(
                f"{' and '.join(decided)}: the model that training starts from decides that. "
                "Leave it out, or start from none"
            )
        self.start.check(self.languages)

    @property
    def kind(self) -> Encoder:
        """The encoder that is trained: that of the model to start from, if there is one."""
        return self.start.kind if self.start else self.encoder or Averaging()

    def bitext(self, sources: Sequence[str]) -> Bitext:
        """Return how pairs are cleaned and divided: the test split is calibrated and reported on.

        Raises:
            ValidationError: a setting makes no sense.
        """
        return Bitext(
            sources=tuple(sources),
            languages=self.languages,
            valid=self.held_out,
            test=2 * self.held_out,
            seed=self.seed,
            cleaning=parse_filters(_CLEANING),
        )

    def description(self) -> dict[str, Any]:
        """Return all that decides what the model becomes, as plain values."""
        return {
            "languages": list(self.languages),
            "encoder": ENCODERS.dump(self.kind),
            "segmentation": dict(self.segmentation),
            "start": self.start and self.start.digest(),
            "objective": self.objective and OBJECTIVES.dump(self.objective),
            "recipe": dict(self.recipe),
            "held_out": self.held_out,
            "seed": self.seed,
            "device": self.device.partition(":")[0],  # any card of a machine
        }


def train(
    bitext: Iterable[Pair],
    languages: Sequence[str],
    out: str | Path,
    *,
    overwrite: bool = False,
    resume: bool = False,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
    **asked: Any,  # noqa: ANN401
) -> SentenceEncoder:
    """Train an encoder on sentence pairs and write it as a model folder.

    Pairs are cleaned, and repetitions removed. Three sets of pairs without a text in common with
    the training pairs are held out: to stop on, to calibrate thresholds on, and to report on. The
    recipe follows from the amount of text. What was measured is in the encoder's
    `metadata["quality"]`.

    A training that was stopped goes on where it was when it is called again with the same pairs
    and settings, and ends with the same bytes. Ctrl-C writes the best epoch so far. With others,
    `overwrite` without `resume` begins anew; what was stopped stays until the model is complete.

    Args:
        bitext: pairs (first, second), such as those of `read_bitext`.
        languages: codes of the two sides, such as ("en", "de").
        out: the model folder to write.
        overwrite: `out` may be an earlier model, which is replaced.
        resume: `out` may be the best epoch of this training, from when it was stopped.
        after_epoch: called with each epoch: its number, loss and P@1 x 100 on held-out pairs.
        asked: fields of `Asked`, such as `start` or `seed`; settings of its recipe, such as
            `epochs` or `threads`, and of its segmentation, such as `size`, may stand by themselves.

    Returns:
        The encoder as it was after the epoch in which most sentences found their translation.

    Raises:
        TandemError: too few pairs are left, settings contradict each other, or `out` is not free.
        KeyboardInterrupt: it was stopped.
    """
    first, second = languages
    settings = recipes.grouped(asked)
    if unknown := settings.keys() - {entry.name for entry in fields(Asked)}:
        problem = f"no setting of a training is called {' or '.join(sorted(unknown))}"
        raise TandemError(f"{problem}. See `Asked`, `Recipe` and `Segmentation`")
    how, place = Asked((first, second), **settings), Path(out)
    free = partial(check, place, [], folder=True)
    read = partial(written, bitext)
    return build(how, read, place, free, overwrite, resume, after_epoch=after_epoch)


def build(
    how: Asked,
    read: Callable[[Path], list[Corpus]],
    place: Path,
    free: Callable[[bool], None],
    overwrite: bool,
    resume: bool,
    tell: Callable[[str], object] = lambda line: None,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
) -> SentenceEncoder:
    """Train as `train` does, into the folder `place`.

    Args:
        read: returns the corpora; inputs that must be copied go into the folder it receives.
        free: refuses, before the work and after it, a place that is not free; its argument tells
            whether an earlier output may be there.
        overwrite: an earlier model is replaced, and work of other settings may begin.
        resume: the best epoch of this training is replaced.
        tell: called with messages on the way.
        after_epoch: called with each epoch.
    """
    free(overwrite or resume)
    with workspace(place) as space:
        corpora = read(space.folder)
        precious = "" if resume else "checkpoint"
        goes_on = space.begin(_description(how, corpora), overwrite and not resume, precious)
        again = overwrite or (resume and goes_on and _is_unfinished(place))
        free(again)
        text, ids, checkpoint, model = space.parts("text", "ids", "checkpoint", "model")
        if not text.exists():
            sources = {corpus.name: corpus.pairs(how.languages) for corpus in corpora}
            build_bitext(sources, how.bitext(list(sources)), text, most_held_out=MOST_HELD_OUT)
        if not ids.exists():
            with atomic_folder(ids) as temporary:
                learned = how.start.segmenter if how.start else None
                segment(text, how.languages, how.segmentation, learned, temporary)
        encoder = _train(how, text, ids, checkpoint, model, tell, after_epoch)
        free(again)  # somebody may have written there meanwhile
        replace_folder(model, place)
        if encoder.metadata.get("unfinished"):
            interrupted = KeyboardInterrupt()
            interrupted.add_note(f"{place} has the best epoch so far")
            raise interrupted
    return encoder


def _description(how: Asked, corpora: Sequence[Corpus]) -> dict[str, Any]:
    """Return all that decides what becomes of some text, as plain values."""
    return {"version": __version__, **described(corpora), **how.description()}


def _is_unfinished(model: Path) -> bool:
    """Tell whether a folder holds the best epoch of a training that was stopped."""
    path = model / "encoder.json"
    return path.is_file() and "unfinished" in saved.read(path, Description.model_validate).training


def _train(
    how: Asked,
    text: Path,
    ids: Path,
    checkpoint: Path,
    model: Path,
    tell: Callable[[str], object],
    after_epoch: Callable[[Epoch], object],
) -> SentenceEncoder:
    """Train on all pairs, measure how good the encoder is, and write the model."""
    pairs = load_pairs(ids, "train", how.languages)
    objective, recipe = recipes.followed(len(pairs.left), how.kind, how.objective, **how.recipe)
    segmenter = Segmenter.load(ids)
    settings = recipes.in_words(len(segmenter), objective, recipe)
    tell(f"training on {len(pairs.left):,} pairs: {settings}")
    for line in unknown({"training": pairs, "held-out": load_pairs(ids, "valid", how.languages)}):
        tell(line)
    run = Run(how.kind, objective, recipe, how.seed)
    select = by_retrieval_and_margin(ids, how.languages)
    with stopping() as stop:
        encoder, history = training.train_encoder(
            run, segmenter, [pairs], select, checkpoint, how.device, start=how.start, stopped=stop,
            after_epoch=after_epoch,
        )  # fmt: skip
    cleaning, splits = (read_json(text / f"{name}.json") for name in ("cleaning", "splits"))
    origin = {"languages": list(how.languages), "text": {"cleaning": cleaning, "splits": splits}}
    if "unfinished" not in encoder.metadata:
        held_out, seen = (_pairs(text, split, how.languages) for split in ("test", "train"))
        tested, crowd = list(held_out), list(islice(seen, CROWD))
        origin["quality"] = quality(encoder, tested, crowd, how.languages)
        for line in examples(encoder, tested, how.languages):
            tell(line)
    training.save_trained(model, encoder, history, origin, score="p_at_1_x100")
    return encoder


def unknown(parts: Mapping[str, Pairs]) -> Iterator[str]:
    """Yield a warning of each part of the pairs of which many have a side without a token."""
    for name, pairs in parts.items():
        lost = len(pairs.left) - len(pairs.usable)
        if lost > MOST_UNKNOWN * len(pairs.left):
            yield (
                f"warning: {lost:,} of {len(pairs.left):,} {name} pairs have a side of unknown "
                "tokens only, which no model can tell apart. Give more text, a larger --size or "
                "another --segmentation"
            )


def _pairs(text: Path, split: str, languages: Sequence[str]) -> Iterator[Pair]:
    return zip(*(read_lines(text / f"{split}.{side}") for side in languages), strict=True)
