"""The training loop.

    for each epoch: shuffle the pairs
        for each mega-batch: encode both sides without dropout, choose the hardest negatives
            for each batch: encode pairs and negatives with dropout, margin loss, one Adam step
        validate; keep the best epoch's parameters

wieting2019, section 2 and 3.1. Every random draw is keyed by (seed, epoch, step), so the state of
a run is its parameters, the optimiser's moments and its position: a killed run resumes to the same
bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from tandem.encoders.composition import EncoderConfig, build, initial_embeddings
from tandem.errors import TandemError
from tandem.objectives.losses import margin_loss
from tandem.objectives.negatives import Negatives, hardest
from tandem.segmentation.ragged import Ragged
from tandem.training import adam_kernels, checkpoint
from tandem.training.adam import RowAdam
from tandem.training.batches import (
    DropoutPool,
    Indices,
    Pairs,
    generator,
    megabatch_size,
    scramble,
    sentence_keys,
)
from tandem.training.checkpoint import Epoch, Progress

Validate = Callable[[Tensor, nn.Module], float]
"""Takes the embedding table and the composition, returns a score, the higher the better."""


@dataclass(frozen=True)
class TrainingConfig:
    """Everything besides the data and the architecture that changes the result.

    Attributes:
        epochs, learning_rate, margin, seed: as named.
        batch: pairs of one update.
        megabatch: batches in a full mega-batch.
        anneal: batches after which the mega-batch grows by one; 0 for full from the start.
        dropout: rate on token embeddings.
        scramble: share of sentences whose tokens are shuffled.
        threads: of PyTorch on the CPU; sums are ordered by it.
    """

    epochs: int
    batch: int
    megabatch: int
    anneal: int
    margin: float
    dropout: float
    scramble: float
    learning_rate: float
    seed: int
    threads: int


@dataclass
class Trained:
    """What training returns: the best epoch's parameters and the history."""

    table: Tensor
    composition: nn.Module
    history: list[Epoch]
    best_epoch: int
    pairs: int


class Trainer:
    """One run of training; `run` does it all."""

    def __init__(
        self,
        architecture: EncoderConfig,
        vocabulary: int,
        pairs: Pairs,
        config: TrainingConfig,
        device: str = "cpu",
    ) -> None:
        """Draw the initial parameters from the seed.

        Raises:
            TandemError: fewer than two usable pairs.
        """
        torch.set_num_threads(config.threads)
        adam_kernels.set_threads(config.threads)
        self.config, self.pairs, self.device = config, pairs, torch.device(device)
        self.usable = pairs.usable()
        if len(self.usable) < 2:
            raise TandemError(
                f"{len(self.usable)} usable pairs: training needs at least 2, each with tokens "
                "on both sides"
            )
        self.steps_per_epoch = math.ceil(len(self.usable) / config.batch)
        table, self.composition = initialise(architecture, vocabulary, config.seed)
        self.composition.to(self.device)
        self.optimizer = RowAdam(
            table.to(self.device), config.learning_rate, config.epochs * self.steps_per_epoch
        )
        weights = list(self.composition.parameters())
        self.weights_optimizer = (
            torch.optim.Adam(weights, config.learning_rate) if weights else None
        )
        self.dropout = None
        if config.dropout:
            self.dropout = DropoutPool(
                config.dropout, architecture.dimension, config.seed, self.device
            )
        self.progress = Progress()
        self.best: dict[str, Tensor] = {}

    def run(
        self,
        validate: Validate,
        folder: Path | None = None,
        checkpoint_seconds: float = 60,
        show: bool = True,
    ) -> Trained:
        """Train to the end, resuming from `folder` if it holds a checkpoint of this run.

        Args:
            validate: scores the parameters after each epoch (and before the first).
            folder: where checkpoints go; None for none.
            checkpoint_seconds: least time between two; when they are taken changes no result.
            show: draw a progress bar on standard error.
        """
        if folder is not None:
            checkpoint.resume(self, folder)
        if not self.progress.history:
            self._record(None, validate)
        saved = time.monotonic()
        total = self.config.epochs * len(self.usable)
        done = self.progress.epoch * len(self.usable) + self.progress.position
        with tqdm(total=total, initial=done, unit="pair", unit_scale=True, disable=not show) as bar:
            while self.progress.epoch < self.config.epochs:
                order = self._order(self.progress.epoch)
                while self.progress.position < len(order):
                    bar.update(self._megabatch(order))
                    if folder is not None and time.monotonic() - saved > checkpoint_seconds:
                        checkpoint.save(self, folder)
                        saved = time.monotonic()
                loss = self.progress.loss_sum / self.steps_per_epoch
                self._record(loss, validate)
                bar.set_postfix(loss=f"{loss:.4f}", validation=f"{self.latest.validation:.2f}")
        self.composition.load_state_dict({k: v for k, v in self.best.items() if k != "embedding"})
        return Trained(
            self.best["embedding"],
            self.composition,
            self.progress.history,
            self.progress.best_epoch,
            len(self.usable),
        )

    @property
    def latest(self) -> Epoch:
        """The last line of the history."""
        return self.progress.history[-1]

    def _order(self, epoch: int) -> Indices:
        order = generator(self.config.seed, 1, epoch).permutation(len(self.usable))
        return self.usable[order]

    def _record(self, loss: float | None, validate: Validate) -> None:
        """Close an epoch: validate, keep the parameters if they are the best trained so far."""
        progress = self.progress
        table = self.optimizer.settle()
        score = validate(table, self.composition)
        epoch = 0 if loss is None else progress.epoch + 1
        earlier = [entry.validation for entry in progress.history if entry.epoch > 0]
        progress.history.append(Epoch(epoch, loss, score))
        if epoch == 0:
            return
        if not earlier or score > max(earlier):
            progress.best_epoch = epoch
            self.best = {k: v.clone() for k, v in self.composition.state_dict().items()}
            self.best["embedding"] = table.clone()
        progress.epoch, progress.position, progress.loss_sum = epoch, 0, 0.0

    def _megabatch(self, order: Indices) -> int:
        """Train on the next mega-batch; return how many pairs it had."""
        config, progress = self.config, self.progress
        batches = megabatch_size(progress.step, config.megabatch, config.anneal)
        start = progress.position
        end = min(start + batches * config.batch, len(order))
        if end == len(order) - 1:  # a pair alone has no negative: the last one joins in
            end = len(order)
        random = generator(config.seed, 2, progress.epoch, start)
        pool = self.pairs.take(order[start:end])
        negatives = self._negatives(pool)
        count = end - start
        for first in range(0, count, config.batch):
            batch = np.arange(first, min(first + config.batch, count))
            progress.loss_sum += self._step(pool, batch, negatives, random)
            progress.step += 1
        progress.position = end
        return count

    @torch.no_grad()
    def _negatives(self, pool: Ragged) -> Negatives:
        types, local = np.unique(pool.ids, return_inverse=True)
        table = self.optimizer.fetch(self._tensor(types)).values
        vectors = self.composition(table, self._tensor(local), self._tensor(pool.offsets))
        keys = self._tensor(sentence_keys(pool))
        count = len(pool) // 2
        chosen = hardest(
            vectors[:count], vectors[count:], keys[:count], keys[count:], self.pairs.monolingual
        )
        return Negatives(*(tensor.cpu() for tensor in chosen))

    def _step(
        self, pool: Ragged, batch: Indices, negatives: Negatives, random: np.random.Generator
    ) -> float:
        count = len(pool) // 2
        chosen = [batch, batch + count, negatives.for_left[batch], negatives.for_right[batch]]
        rows = pool.gather(np.concatenate(chosen))
        rows = scramble(rows, self.config.scramble, random)
        types, local = np.unique(rows.ids, return_inverse=True)
        fetched = self.optimizer.fetch(self._tensor(types))
        fetched.values.requires_grad_()
        dropout = None if self.dropout is None else self.dropout.draw(len(local), random)
        vectors = self.composition(
            fetched.values, self._tensor(local), self._tensor(rows.offsets), dropout
        )
        found = negatives.found[:, batch]
        weights = None if bool(found.all()) else found.to(vectors)
        vectors = vectors.unflatten(0, (4, len(batch)))
        loss = margin_loss(vectors, self.config.margin, weights)
        loss.backward()
        self.optimizer.update(fetched)
        if self.weights_optimizer is not None:
            self.weights_optimizer.step()
            self.weights_optimizer.zero_grad()
        return float(loss.detach())

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, np.int64)).to(self.device)


def initialise(architecture: EncoderConfig, vocabulary: int, seed: int) -> tuple[Tensor, nn.Module]:
    """Return the embedding table and composition that a seed gives: the random baseline."""
    random = torch.Generator().manual_seed(seed)
    table = initial_embeddings(vocabulary, architecture.dimension, random)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)  # nn.LSTM draws its weights from the global generator
        composition = build(architecture)
    return table, composition
