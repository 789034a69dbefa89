"""The training loop of translators: one run, whatever it trains, resumable to the same bytes."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import sentencepiece as spm
import torch
from torch import Tensor, nn
from tqdm import tqdm

from tandem.errors import TandemError
from tandem.io import atomic_path, read_lines
from tandem.translation.padding import Ids, group_by_length

logger = logging.getLogger(__name__)

HISTORY_HEADER = "epoch,loss,validation_loss"


class Bitext(NamedTuple):
    """Aligned sentences: what to translate, and what it should become."""

    source: Sequence[str]
    target: Sequence[str]


def read_bitext(folder: str | Path, split: str, source: str, target: str) -> Bitext:
    """Read one split of a corpus folder, to be translated from `source` to `target`."""
    lines = (list(read_lines(Path(folder) / f"{split}.{side}")) for side in (source, target))
    return Bitext(*lines)


class Pairs(NamedTuple):
    """Aligned id lists."""

    sources: list[Ids]
    targets: list[Ids]


class Schedule(Protocol):
    """What a translator's configuration (a dataclass) says about its training.

    epochs: passes over the pairs. batch_tokens: padded target tokens of a batch. learning_rate:
    Adam's highest, reached after the first `warmup` share of training and falling linearly to 0.
    clip: largest norm of the gradient.
    """

    epochs: int
    batch_tokens: int
    learning_rate: float
    warmup: float
    clip: float
    seed: int


class Learner(Protocol):
    """A network and its losses on a batch of aligned id lists."""

    network: nn.Module

    def loss(self, pairs: Pairs, generator: torch.Generator) -> tuple[Tensor, int]:
        """Return the loss to descend, a mean over target tokens, and their number."""
        ...

    def surprise(self, pairs: Pairs) -> tuple[float, int]:
        """Return the summed negative log-probability (nats) of the targets, and their tokens."""
        ...


def keep_short(pairs: Bitext, max_words: int) -> Bitext:
    """Keep the pairs with 1 to `max_words` words (by white space) on each side.

    Raises:
        TandemError: on sides of unequal length.
    """
    if len(pairs.source) != len(pairs.target):
        raise TandemError(
            f"{len(pairs.source)} source lines and {len(pairs.target)} target lines: the sides of "
            "a bitext must align line by line"
        )
    kept = [
        (source, target)
        for source, target in zip(pairs.source, pairs.target, strict=True)
        if 1 <= len(source.split()) <= max_words and 1 <= len(target.split()) <= max_words
    ]
    return Bitext([source for source, _ in kept], [target for _, target in kept])


def segment(processor: spm.SentencePieceProcessor, pairs: Bitext) -> Pairs:
    """Cut both sides into ids."""
    return Pairs(
        processor.encode(list(pairs.source), num_threads=1),
        processor.encode(list(pairs.target), num_threads=1),
    )


def learning_rate(schedule: Schedule, progress: float) -> float:
    """Rate at a share `progress` (0 to 1) of training: up over `warmup`, then down to 0, linear."""
    rise = progress / schedule.warmup if schedule.warmup else 1.0
    fall = (1.0 - progress) / (1.0 - schedule.warmup)
    return schedule.learning_rate * min(rise, fall)


class Run:
    """A training run: all that changes from epoch to epoch."""

    def __init__(
        self,
        learner: Learner,
        train: Pairs,
        validation: Pairs,
        schedule: Schedule,
        checkpoint: str | Path,
    ) -> None:
        """Start a run, or go on from the checkpoint file if it is of the same run."""
        self.learner, self.schedule = learner, schedule
        self.train, self.validation = train, validation
        self.optimiser = torch.optim.Adam(
            learner.network.parameters(),
            lr=schedule.learning_rate,
            betas=(0.9, 0.98),
            fused=True,
        )
        self.epoch = 0
        self.history: list[str] = []
        self.checkpoint = Path(checkpoint)
        self.identity = _identity(schedule, train)
        self._resume()

    def finish(self, progress: bool) -> list[str]:
        """Train the epochs that are left, saving after each; return the lines of the history."""
        while self.epoch < self.schedule.epochs:
            # dropout inside library layers draws from the global generator: it is lent, and
            # every epoch starts from its own seed, so that a resumed run draws what it would have
            with torch.random.fork_rng(devices=[]):
                self._train_epoch(progress)
            self.save()
        return [HISTORY_HEADER, *self.history]

    def _train_epoch(self, progress: bool) -> None:
        """Train over all pairs once; every random draw comes from (seed, epoch)."""
        seed = [self.schedule.seed, self.epoch]
        groups = group_by_length(*self.train, self.schedule.batch_tokens, seed)
        generator = torch.Generator().manual_seed(_mix(seed))
        torch.manual_seed(_mix(seed))
        total = tokens = 0.0
        title = f"translator, epoch {self.epoch + 1} of {self.schedule.epochs}"
        self.learner.network.train()
        for step, group in enumerate(tqdm(groups, desc=title, unit=" steps", disable=not progress)):
            share = (self.epoch + (step + 1) / (len(groups) + 1)) / self.schedule.epochs
            loss, count = self._step(group, learning_rate(self.schedule, share), generator)
            total, tokens = total + loss * count, tokens + count
        self.learner.network.eval()
        self.epoch += 1
        self.history.append(f"{self.epoch},{total / tokens:.6f},{self._validate():.6f}")
        logger.info("translator: %s = %s", HISTORY_HEADER, self.history[-1])

    def _step(self, group: list[int], rate: float, generator: torch.Generator) -> tuple[float, int]:
        """Take one step of Adam on the pairs at `group`; return the loss per token and tokens."""
        for parameters in self.optimiser.param_groups:
            parameters["lr"] = rate
        self.optimiser.zero_grad()
        loss, count = self.learner.loss(_pick(self.train, group), generator)
        loss.backward()
        nn.utils.clip_grad_norm_(
            self.learner.network.parameters(), self.schedule.clip, error_if_nonfinite=True
        )
        self.optimiser.step()
        return loss.item(), count

    def _validate(self) -> float:
        """Cross-entropy of the validation pairs, nats per token; NaN without pairs."""
        total = tokens = 0.0
        with torch.inference_mode():
            for group in group_by_length(*self.validation, self.schedule.batch_tokens, None):
                surprise, count = self.learner.surprise(_pick(self.validation, group))
                total, tokens = total + surprise, tokens + count
        return total / tokens if tokens else math.nan

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        state = {
            "identity": self.identity,
            "epoch": self.epoch,
            "history": self.history,
            "network": self.learner.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }
        with atomic_path(self.checkpoint) as aside:
            torch.save(state, aside)

    def _resume(self) -> None:
        """Take over the checkpoint's state, if there is one of this configuration and text."""
        if not self.checkpoint.is_file():
            return
        state: dict[str, Any] = torch.load(self.checkpoint, weights_only=True)
        if state["identity"] != self.identity:
            logger.warning("%s is of another configuration or text: starting anew", self.checkpoint)
            return
        self.learner.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.epoch, self.history = state["epoch"], state["history"]
        logger.info("translator: going on after epoch %d", self.epoch)


def _pick(pairs: Pairs, places: Sequence[int]) -> Pairs:
    """Return the pairs at some places."""
    return Pairs([pairs.sources[i] for i in places], [pairs.targets[i] for i in places])


def _identity(schedule: Schedule, pairs: Pairs) -> str:
    """Digest of what a checkpoint must share with the run that goes on from it."""
    return hashlib.sha256(json.dumps([asdict(schedule), *pairs]).encode()).hexdigest()


def _mix(seed: Sequence[int]) -> int:
    """One 63-bit seed out of several numbers."""
    text = ",".join(map(str, seed)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
