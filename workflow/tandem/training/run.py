"""From segmented pairs to a model folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tandem.encoders.composition import Composition, as_encoder, from_parameters, initialise
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder
from tandem.files.io import write_lines
from tandem.kernels import set_threads
from tandem.machine import device_name, gpu_errors, has_bfloat16, learns_on_host, place
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.training.course import BESIDE, Course, Learner, Parameters, Validate, part_of
from tandem.training.history import Epoch, history_lines
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe

Select = Callable[[Callable[[Ragged], np.ndarray]], float]
"""Scores a function from n segmented sentences to (n, d): the epoch that scores best is kept."""


@dataclass(frozen=True)
class Run:
    """Everything besides the text that changes what is trained."""

    encoder: Encoder
    objective: Objective
    recipe: Recipe
    seed: int

    @classmethod
    def parse(cls, values: Mapping[str, Any], seed: int) -> Run:
        """Return a run from its encoder, objective and recipe as plain values, and its seed."""
        encoder = ENCODERS.parse(values["encoder"])
        objective = OBJECTIVES.parse(values["objective"])
        return cls(encoder, objective, Recipe(**values["recipe"]), seed)

    def description(self) -> dict[str, object]:
        """Return it as plain values."""
        return {
            "encoder": ENCODERS.dump(self.encoder),
            "objective": OBJECTIVES.dump(self.objective),
            "recipe": self.recipe.model_dump(mode="json"),
            "seed": self.seed,
        }


def prepare(run: Run, vocabulary: int, texts: Sequence[Pairs]) -> None:
    """Set the threads of a run, before its learner is made.

    Raises:
        TandemError: it cannot learn from so many texts, its settings contradict each other, or
            texts have other types.
    """
    _set_threads(run)
    run.recipe.check(run.objective, run.encoder)
    run.objective.check(run.encoder, len(texts))
    for text in texts:
        text.left.check_below(vocabulary)
        text.right.check_below(vocabulary)


def _set_threads(run: Run) -> None:
    """Let PyTorch and compiled loops use the threads of a run: others round sums otherwise.

    The loops come first: when they begin, they let PyTorch have all threads of the machine.
    """
    set_threads(run.recipe.threads)
    torch.set_num_threads(run.recipe.threads)


def uses_bfloat16(run: Run, device: torch.device) -> bool:
    """Whether a run multiplies matrices in bfloat16 on a device."""
    if run.recipe.precision != "auto":
        return run.recipe.precision == "bfloat16"
    return device.type in run.encoder.bfloat16_on and has_bfloat16(device)


def first_parameters(
    run: Run, vocabulary: int, start: SentenceEncoder | None = None
) -> tuple[Tensor, Composition]:
    """Return copies of an encoder's table, (vocabulary, dimension), and composition.

    Without one they are drawn from the seed.

    Raises:
        TandemError: the encoder is not of the run's kind, or has another number of types.
    """
    table, composition = initialise(run.encoder, vocabulary, run.seed)
    if start is None:
        return table, composition
    taken = run.encoder.taken_over(start.kind, start.weights)
    if taken is None or len(start.table) != vocabulary:
        kinds = [ENCODERS.dump(kind) for kind in (start.kind, run.encoder)]
        raise TandemError(
            f"the encoder to start from is {kinds[0]} with {len(start.table):,} types, and "
            f"{kinds[1]} with {vocabulary:,} is to be trained. Give both the same architecture and "
            "segmentation"
        )
    drawn = {name: value.numpy() for name, value in composition.state_dict().items()}
    return torch.tensor(start.table), composition.load(drawn | taken)


def course_of(
    run: Run,
    vocabulary: int,
    texts: Sequence[Pairs],
    device: str = "cpu",
    start: SentenceEncoder | None = None,
) -> Course:
    """Return the course of a training, with the learner that its objective has.

    `vocabulary` is a number of types; the pairs of one language and of two are separate `texts`.
    Training begins with the parameters of `start`, or with what the seed draws.

    Raises:
        TandemError: too few usable pairs, pairs that the objective cannot learn from, or another
            kind of encoder to start from.
    """
    learner = run.objective.learner_maker()(run, vocabulary, texts, device, start)
    host = learns_on_host(device)
    identity = {
        **run.description(),
        "pairs": [pairs.checksum for pairs in texts],
        "vocabulary": vocabulary,
        "start": start.digest() if start else "",
        "on_host": host,  # the optimisers of a GPU have other states
    }
    if (halves := uses_bfloat16(run, torch.device(device))) or not host:
        identity["bfloat16"] = halves  # of the precision `auto`, this depends on the machine
    return Course(learner, identity, run.recipe.epochs, run.recipe.patience)


def train_encoder(
    run: Run,
    segmenter: Segmenter,
    texts: Sequence[Pairs],
    select: Select | None,
    checkpoint: Path | None = None,
    device: str = "auto",
    show: bool = True,
    start: SentenceEncoder | None = None,
    stopped: Callable[[], bool] = lambda: False,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
    held_out: Pairs | None = None,
    chosen_by: Mapping[str, Any] | None = None,
) -> tuple[SentenceEncoder, list[Epoch]]:
    """Train an encoder; return it as it was after the best epoch, and the history.

    `texts` are its pairs, those of one language apart from those of two. `select` scores it after
    every epoch, and before the first; where pairs are `held_out`, the loss on these does; else
    nothing is chosen, and the last epoch is kept. A stopped run resumes from the folder
    `checkpoint`; remove it once the encoder is saved. `chosen_by`, plain values, says what `select`
    scores, and on what: a checkpoint with scores of another kind is not taken up. Training begins
    from the parameters of `start`, or from what the seed draws. When it is `stopped`, the encoder
    is that of the best epoch, and its metadata have `unfinished`. `after_epoch` receives each.

    Raises:
        KeyboardInterrupt: it was stopped before an epoch was kept: in the first one, or in any
            where nothing is chosen.
        TandemError: `start` has another vocabulary than the text, or is of another kind; the
            device is not there, or a GPU is full or lost.
    """
    if start is not None:
        run = _started(run, segmenter, start)
    device = place(device)
    with gpu_errors(run.objective.smaller, device):
        course = course_of(run, len(segmenter), texts, device, start)
        course.identity |= _choice(chosen_by, held_out)
        validate = select and _validation(segmenter, run.encoder, select)
        validate = validate if held_out is None else _by_loss(course.learner, held_out)
        course.run(validate, checkpoint, show=show, stopped=stopped, after_epoch=after_epoch)
    if not course.best:
        raise KeyboardInterrupt
    pairs, epoch = sum(len(text.usable) for text in texts), course.progress.best_epoch
    metadata = {"pairs": pairs, "epoch": epoch, "device": device_name(device), **run.description()}
    if course.identity.get("bfloat16"):
        metadata["bfloat16"] = True
    if start is not None:
        metadata["start"] = {"sha256": course.identity["start"], "training": start.metadata}
    if not course.finished:
        metadata["unfinished"] = True
    return _trained(course, segmenter, run.encoder, metadata, device), course.progress.history


def _started(run: Run, segmenter: Segmenter, start: SentenceEncoder) -> Run:
    """Return a run with the encoder that it trains where it starts from another."""
    if start.segmenter.vocabulary != segmenter.vocabulary:
        raise TandemError(
            "the text was segmented with another vocabulary than that of the encoder to start "
            "from. Segment it with the encoder's own segmenter"
        )
    return replace(run, encoder=run.encoder.started(start.kind))


def _choice(chosen_by: Mapping[str, Any] | None, held_out: Pairs | None) -> dict[str, Any]:
    """Return what tells a choice of epochs from others; nothing where nothing is said of it."""
    choice: dict[str, Any] = {} if chosen_by is None else {"chosen_by": dict(chosen_by)}
    return choice if held_out is None else choice | {"held_out": held_out.checksum}


def _validation(segmenter: Segmenter, kind: Encoder, select: Select) -> Validate:
    """Return what scores parameters as those of an encoder of this kind."""
    return lambda parameters: select(
        from_parameters(segmenter, kind, _parted(parameters)[0]).encode_ids
    )


def _trained(
    course: Course, segmenter: Segmenter, kind: Encoder, metadata: dict[str, Any], device: str
) -> SentenceEncoder:
    """Return the encoder that a course kept, which knows how to write what is beside it."""
    best, beside = _parted(course.best)
    encoder = from_parameters(segmenter, kind, best, metadata, device)
    if beside:
        write = course.learner.write_beside
        encoder.beside = partial(write, encoder=encoder, parameters=beside)
    return encoder


def _by_loss(learner: Learner, held_out: Pairs) -> Validate:
    """Return what scores the parameters of a learner by their loss on pairs."""
    return lambda parameters: -learner.loss_on(held_out)


def _parted(parameters: Parameters) -> tuple[Parameters, Parameters]:
    """Return the parameters of the encoder, and those beside it without their prefix."""
    encoder = {k: v for k, v in parameters.items() if not k.startswith(BESIDE)}
    return encoder, part_of(parameters, BESIDE)


def untrained_encoder(
    kind: Encoder,
    segmenter: Segmenter,
    seed: int,
    select: Select | None,
    start: SentenceEncoder | None = None,
) -> tuple[SentenceEncoder, list[Epoch]]:
    """Return the untrained baseline: the parameters that this seed, or `start`, begins from."""
    metadata = {"pairs": 0, "epoch": 0, "seed": seed}
    if start is None:
        encoder = as_encoder(segmenter, *initialise(kind, len(segmenter), seed), metadata)
    else:
        metadata |= start.metadata
        encoder = SentenceEncoder(segmenter, start.kind, start.table, start.weights, metadata)
    score = select(encoder.encode_ids) if select else None
    return encoder, [Epoch(0, None, score)]


def save_trained(
    folder: str | Path,
    encoder: SentenceEncoder,
    history: list[Epoch],
    provenance: dict[str, Any],
    score: str = "pearson_x100",
) -> None:
    """Write the model folder: the encoder, with how it came about, and history.csv.

    `score` names what validation measured, for the head of that column; empty without validation.
    """
    encoder.metadata |= provenance
    with atomic_folder(folder) as temporary:
        write_lines(temporary / "history.csv", history_lines(history, f"validation_{score}"))
        encoder.write(temporary)
