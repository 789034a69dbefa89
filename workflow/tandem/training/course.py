"""The course of a training, whatever learns: epochs, validation, the best, checkpoints, stopping.

    for each epoch: the learner begins it
        until the epoch is over: the learner advances; now and then a checkpoint
        validate, keep the parameters of the best epoch; without validation, those of the last

A learner keys its random draws by their place in the run, or has its generator in its state: so a
killed run resumes to the same bytes.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import Tensor

from tandem.errors import TandemError
from tandem.progress import progress_bar
from tandem.training import checkpoint
from tandem.training.divergence import Diverged, refuse_diverged
from tandem.training.history import Epoch

if TYPE_CHECKING:
    from tqdm import tqdm

    from tandem.encoders.model import SentenceEncoder
    from tandem.training.pairs import Pairs

logger = logging.getLogger(__name__)

Parameters = dict[str, Tensor]
"""What is trained, by name."""
BESIDE = "beside."
"""How the names of parameters begin that are trained beside the encoder's, and are not of it."""
Validate = Callable[[Parameters], float]
"""Scores parameters: the higher the better, unless the course selects nothing."""


class Advance(NamedTuple):
    """What a learner did in one advance: pairs read, and the sum of its losses.

    The mean is the sum divided by `weight`, a number of steps or tokens. A loss that is computed on
    a GPU stays there, so that nothing waits for it, until an epoch ends or a checkpoint is due.
    """

    pairs: int
    loss: float | Tensor
    weight: float


class State(NamedTuple):
    """What a learner resumes from: tensors, and its place in the epoch as plain values."""

    tensors: Parameters
    place: dict[str, Any]

    def part(self, prefix: str) -> Parameters:
        """Return the tensors whose names begin with a prefix, without it."""
        return part_of(self.tensors, prefix)


def part_of(tensors: Mapping[str, Tensor], prefix: str) -> Parameters:
    """Return the tensors whose names begin with a prefix, without it."""
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}


class Learner:
    """Takes the steps of a training and holds what is trained; without a `state` none resumes."""

    def begin(self, epoch: int) -> int:
        """Prepare an epoch (from 0), or the rest of one; return the pairs of the whole epoch."""
        raise NotImplementedError

    def advance(self) -> Advance | None:
        """Train on the next pairs; None: the epoch is over."""
        raise NotImplementedError

    def encoder(self) -> Parameters:
        """Return the parameters as they are now; the next advance changes them."""
        raise NotImplementedError

    def write_beside(
        self, folder: Path, encoder: SentenceEncoder, parameters: Mapping[str, Tensor]
    ) -> None:
        """Write what is trained beside an encoder into its folder.

        The names of `parameters` are without BESIDE.
        """

    def loss_on(self, held_out: Pairs) -> float:
        """Return the loss of other pairs, in the unit of the objective.

        Raises:
            TandemError: the objective has none, since its loss depends on what else is chosen.
        """
        problem = "has no loss of its own on held-out pairs. Give another `selection` than loss"
        raise TandemError(f"what a {type(self).__name__} learns {problem}")

    def state(self) -> State:
        """Return what `load_state` continues from to the same bytes."""
        raise NotImplementedError(f"a {type(self).__name__} does not resume: give no folder")

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        raise NotImplementedError


@dataclass
class Progress:
    """Where a course stands: epochs that are over, and sums of the one that is not."""

    epoch: int = 0
    pairs: int = 0
    loss: float | Tensor = 0.0
    weight: float = 0.0
    history: list[Epoch] = field(default_factory=list)
    best_epoch: int = 0


class Course:
    """A training from its first epoch to its last.

    Attributes:
        progress: where it stands, with the history.
        best: the parameters after the epoch that is kept.
    """

    def __init__(
        self,
        learner: Learner,
        identity: Mapping[str, Any],
        epochs: int,
        patience: int = 0,
        selects: bool = True,
    ) -> None:
        """Take a learner that has not begun.

        A checkpoint must have `identity`, plain values, in common with this training. It ends after
        `patience` epochs without a better score; 0: after all `epochs`. Where it `selects`,
        validation chooses the epoch; else it is only written down.
        """
        self.learner, self.identity = learner, dict(identity)
        self.epochs, self.patience, self.selects = epochs, patience, selects
        self.progress = Progress()
        self.best: Parameters = {}
        self._diverged = False

    def run(
        self,
        validate: Validate | None,
        folder: Path | None = None,
        checkpoint_seconds: float = 60,
        show: bool = True,
        stopped: Callable[[], bool] = lambda: False,
        title: str | None = None,
        from_start: bool = True,
        after_epoch: Callable[[Epoch], object] = lambda epoch: None,
    ) -> None:
        """Train to the end, resuming from `folder` if it holds a checkpoint of this training.

        Args:
            validate: scores parameters; None: nothing is scored, and the last epoch is kept.
            folder: where checkpoints go; None for none.
            checkpoint_seconds: least time between two checkpoints; it changes no result.
            show: whether a progress bar, with this `title`, is drawn on standard error.
            stopped: asked after every advance; if true, training ends with a checkpoint.
            from_start: score the parameters before the first epoch too, where it selects.
            after_epoch: called with each epoch that ends.

        Raises:
            Diverged: what is learned is infinite or not a number before an epoch was kept; later
                training ends with that epoch.
        """
        if folder is not None:
            self.resume(folder)
        if validate and from_start and self.selects and not self.progress.history:
            self._close_epoch(None, validate)
        self._stored = time.monotonic()
        with progress_bar(
            unit="pair", unit_scale=True, disable=not show, initial=self.progress.pairs, desc=title
        ) as bar:
            try:
                while not self.finished and self._advance(bar, folder, checkpoint_seconds, stopped):
                    # there may be nothing to learn from
                    loss = float(self.progress.loss) / (self.progress.weight or 1)
                    self._close_epoch(loss, validate)
                    epoch = self.progress.history[-1]
                    bar.set_postfix(epoch.shown(), refresh=False)
                    after_epoch(epoch)
            except Diverged as error:
                if not self.best:
                    raise
                logger.warning("%s; epoch %d is kept", error, self.progress.best_epoch)
                self._diverged = True

    def _advance(
        self, bar: tqdm[Any], folder: Path | None, seconds: float, stopped: Callable[[], bool]
    ) -> bool:
        """Train to the end of the epoch; return whether it came to that, and was not stopped."""
        bar.total = self.epochs * self.learner.begin(self.progress.epoch)
        while (advance := self.learner.advance()) is not None:
            self.progress.pairs += advance.pairs
            self.progress.loss += advance.loss
            self.progress.weight += advance.weight
            bar.update(advance.pairs)
            stop = stopped()
            due = stop or time.monotonic() - self._stored > seconds
            if folder is not None and due:
                self.save(folder)
                self._stored = time.monotonic()
            if stop:
                return False
        return True

    @property
    def finished(self) -> bool:
        """Whether all epochs are over, patience has run out, or training diverged."""
        progress = self.progress
        if self._diverged:
            return True
        scored = progress.history and progress.history[-1].validation is not None
        impatient = 0 < self.patience <= progress.epoch - progress.best_epoch
        return progress.epoch >= self.epochs or bool(self.selects and scored and impatient)

    def _close_epoch(self, loss: float | None, validate: Validate | None) -> None:
        """Validate, and keep the parameters if they are the best so far; epoch 0 has no loss."""
        progress, parameters = self.progress, self.learner.encoder()
        if loss is not None:
            # a GPU is not looked at after every step, so that it may be seen here alone
            refuse_diverged("what is learned", loss, *parameters.values())
        score = validate(parameters) if validate else None
        epoch = 0 if loss is None else progress.epoch + 1
        earlier = [e.validation for e in progress.history if e.epoch and e.validation is not None]
        earlier = [score for score in earlier if not math.isnan(score)]
        progress.history.append(Epoch(epoch, loss, score))
        logger.info("epoch %d: loss %s, validation %s", epoch, loss, score)
        if epoch == 0:
            return
        if score is None or not self.selects:
            keep = epoch == self.epochs
        else:
            keep = not earlier or score > max(earlier)
        if keep:
            progress.best_epoch = epoch
            self.best = {name: tensor.clone() for name, tensor in parameters.items()}
        progress.epoch, progress.loss, progress.weight = epoch, 0.0, 0.0

    def save(self, folder: Path) -> None:
        """Write a checkpoint, replacing the last one only once it is complete."""
        state = self.learner.state()
        tensors = {f"learner.{name}": tensor for name, tensor in state.tensors.items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.best.items()}
        self.progress.loss = float(self.progress.loss)
        refuse_diverged("the loss", self.progress.loss)
        values = {"progress": asdict(self.progress), "place": state.place}
        checkpoint.write(folder, self.identity, values, tensors)

    def resume(self, folder: Path) -> bool:
        """Go on from the checkpoint of this training; False: there is none.

        A checkpoint that is damaged, or of another training, is left as it is until this training,
        which begins anew, replaces it.
        """
        stored = checkpoint.read(folder, self.identity)
        if stored is None:
            return False
        values, tensors = stored
        history = [Epoch(**entry) for entry in values["progress"].pop("history")]
        self.progress = Progress(**values["progress"], history=history)
        state = State(tensors, values["place"])
        self.best = state.part("best.")
        self.learner.load_state(State(state.part("learner."), state.place))
        place = self.progress.epoch + 1, self.progress.pairs
        logger.info("%s: going on in epoch %d, after %d pairs in all", folder, *place)
        return True
