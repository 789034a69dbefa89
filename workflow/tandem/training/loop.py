"""The training loop.

    for each epoch: shuffle the pairs
        for each pool of batches: encode both sides without dropout, choose negatives
            for each batch: encode pairs and negatives with dropout, loss, one Adam step
              (without dropout a pool of one batch is encoded once)
        validate, keep the best epoch's parameters; without validation, the last epoch's

wieting2019, sections 2 and 3.1; the objective decides how large a pool is. Every random draw is
keyed by (seed, epoch, step), so the state of a run is its parameters, the optimiser's moments and
its position: a killed run resumes to the same bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tandem.encoders.composition import Composition, initialise
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.kernels.compiled import set_threads
from tandem.kernels.sums import number_types
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.progress import progress_bar
from tandem.segmentation.ragged import Ragged
from tandem.training import checkpoint
from tandem.training.adam import RowAdam, Rows
from tandem.training.batches import DropoutPool, Indices, Pairs, generator, scramble
from tandem.training.checkpoint import Epoch, Progress
from tandem.training.recipe import Recipe
from tandem.training.sgd import RowSgd

Validate = Callable[[Tensor, Composition], float]
"""Takes the embedding table and the composition, returns a score, the higher the better."""


@dataclass(frozen=True)
class Run:
    """Everything besides the text that changes what is trained."""

    encoder: Encoder
    objective: Objective
    recipe: Recipe
    seed: int

    def description(self) -> dict[str, object]:
        """Return it as plain values."""
        return {
            "encoder": ENCODERS.dump(self.encoder),
            "objective": OBJECTIVES.dump(self.objective),
            "recipe": self.recipe.model_dump(mode="json"),
            "seed": self.seed,
        }


def first_parameters(
    run: Run, vocabulary: int, start: SentenceEncoder | None = None
) -> tuple[Tensor, Composition]:
    """Return copies of an encoder's table, (vocabulary, dimension), and composition.

    Without one they are drawn from the seed.

    Raises:
        TandemError: the encoder is not of the run's kind, or has not so many types.
    """
    table, composition = initialise(run.encoder, vocabulary, run.seed)
    if start is None:
        return table, composition
    if start.kind != run.encoder or len(start.table) != vocabulary:
        kinds = [ENCODERS.dump(kind) for kind in (start.kind, run.encoder)]
        raise TandemError(
            f"the encoder to start from is {kinds[0]} with {len(start.table):,} types, and "
            f"{kinds[1]} with {vocabulary:,} is to be trained. Give both the same architecture and "
            "segmentation"
        )
    return torch.tensor(start.table), composition.load(start.weights)


class Encoded(NamedTuple):
    """Sentences, encoded.

    Attributes:
        fetched: the rows of the table that their tokens read.
        vectors: (sentences, width).
    """

    fetched: Rows
    vectors: Tensor


def uses_bfloat16(run: Run, device: torch.device) -> bool:
    """Whether a run multiplies matrices in bfloat16 on a device."""
    if run.recipe.precision != "auto":
        return run.recipe.precision == "bfloat16"
    has = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return run.encoder.multiplies and has


class Trainer:
    """One run of training; `run` does it all.

    Attributes:
        texts: the pairs that it learns from; pairs of one language and of two are texts apart,
            since they have negatives by rules of their own.
        progress: where it stands, with the history.
        best: the table (`embedding`) and the composition's parameters after the epoch that is kept.
        start: the digest of the encoder that it starts from; "" where the seed draws the first
            parameters.
    """

    def __init__(
        self,
        run: Run,
        vocabulary: int,
        *texts: Pairs,
        device: str = "cpu",
        start: SentenceEncoder | None = None,
    ) -> None:
        """Take the first parameters from a trained encoder, or draw them from the seed.

        Raises:
            TandemError: fewer than two usable pairs, or the encoder to start from is another kind
                or has another number of types.
        """
        recipe = run.recipe
        torch.set_num_threads(recipe.threads)
        set_threads(recipe.threads)
        self.settings, self.texts, self.device = run, texts, torch.device(device)
        for side in (side for pairs in texts for side in (pairs.left, pairs.right)):
            side.check_below(vocabulary)
        lengths = [pairs.longest for pairs in texts]
        if min(lengths) < 2:
            raise TandemError(
                f"{min(lengths)} usable pairs: training needs at least 2, each with tokens on both "
                "sides"
            )
        self.pairs_per_epoch = sum(lengths)
        table, self.composition = first_parameters(run, vocabulary, start)
        self.start = "" if start is None else start.digest()
        self.composition.to(self.device)
        self._bfloat16 = uses_bfloat16(run, self.device)
        steps = recipe.epochs * sum(math.ceil(length / recipe.batch) for length in lengths)
        factors = partial(recipe.factors, total=steps)
        table, rate = table.to(self.device), recipe.learning_rate
        rows: type[RowAdam] | type[RowSgd] = RowAdam if recipe.optimizer == "adam" else RowSgd
        self.optimizer = rows(table, rate * recipe.embedding_multiplier, steps, factors)
        weights = list(self.composition.parameters())
        optimizer = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[recipe.optimizer]
        self.weights_optimizer = optimizer(weights, rate) if weights else None
        self.dropout = None
        if recipe.dropout:
            dimension = run.encoder.dimension
            self.dropout = DropoutPool(recipe.dropout, dimension, run.seed, self.device)
        self._scratch = np.full(vocabulary, -1)
        self.progress = Progress()
        self.best: dict[str, Tensor] = {}

    def run(
        self,
        validate: Validate | None,
        folder: Path | None = None,
        checkpoint_seconds: float = 60,
        show: bool = True,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Train to the end, resuming from `folder` if it holds a checkpoint of this run.

        Args:
            validate: scores the parameters after each epoch (and before the first), to keep the
                best epoch; None: nothing is scored, and the last epoch is kept.
            folder: where checkpoints go; None for none.
            checkpoint_seconds: least time between two; when they are taken changes no result.
            show: draw a progress bar on standard error.
            stopped: asked after every pool of batches; training ends there with a checkpoint.
        """
        if folder is not None:
            checkpoint.resume(self, folder)
        if validate and not self.progress.history:
            self._record(None, validate)
        saved = time.monotonic()
        total = self.settings.recipe.epochs * self.pairs_per_epoch
        done = self.progress.epoch * self.pairs_per_epoch + sum(self.progress.positions)
        count: dict[str, Any] = {"total": total, "initial": done, "unit_scale": True}
        with progress_bar(unit="pair", disable=not show, **count) as bar:
            while not self.finished:
                orders = self._orders(self.progress.epoch)
                while (text := self._next(orders)) is not None:
                    bar.update(self._pool(text, orders[text]))
                    stop = stopped()
                    due = time.monotonic() - saved > checkpoint_seconds
                    if folder is not None and (stop or due):
                        checkpoint.save(self, folder)
                        saved = time.monotonic()
                    if stop:
                        return
                loss = self.progress.loss_sum / (self.progress.step - self.progress.epoch_start)
                self._record(loss, validate)
                validation = self.progress.history[-1].validation
                score = {} if validation is None else {"validation": f"{validation:.2f}"}
                bar.set_postfix({"loss": f"{loss:.4f}"} | score, refresh=False)

    @property
    def finished(self) -> bool:
        """Whether all epochs are over, or as many as the recipe has patience for."""
        recipe, progress = self.settings.recipe, self.progress
        since = progress.epoch - progress.best_epoch
        scored = bool(progress.history) and progress.history[-1].validation is not None
        return progress.epoch >= recipe.epochs or (scored and 0 < recipe.patience <= since)

    def _orders(self, epoch: int) -> list[Indices]:
        """Return the pairs of each text in the order of an epoch."""
        seeds = [
            (self.settings.seed, 1, epoch, *([n] if n else [])) for n in range(len(self.texts))
        ]
        return [p.epoch(generator(*seed)) for p, seed in zip(self.texts, seeds, strict=True)]

    def _next(self, orders: Sequence[Indices]) -> int | None:
        """Return the text of which most is left, as a share; None at the end of the epoch."""
        positions = self.progress.positions or [0] * len(orders)
        self.progress.positions = positions
        left = [1 - at / len(order) for at, order in zip(positions, orders, strict=True)]
        return None if not any(left) else left.index(max(left))

    def _record(self, loss: float | None, validate: Validate | None) -> None:
        """Close an epoch: validate, keep the parameters if they are the best trained so far."""
        progress = self.progress
        table = self.optimizer.settle()
        score = validate(table, self.composition) if validate else None
        epoch = 0 if loss is None else progress.epoch + 1
        earlier = [e.validation for e in progress.history if e.epoch and e.validation is not None]
        progress.history.append(Epoch(epoch, loss, score))
        if epoch == 0:
            return
        if score is None:
            keep = epoch == self.settings.recipe.epochs
        else:
            keep = not earlier or score > max(earlier)
        if keep:
            progress.best_epoch = epoch
            self.best = {k: v.clone() for k, v in self.composition.state_dict().items()}
            self.best["embedding"] = table.clone()
        progress.epoch, progress.positions, progress.loss_sum = epoch, [], 0.0
        progress.epoch_start = progress.step

    def _pool(self, text: int, order: Indices) -> int:
        """Train on the next pool of batches of a text; return how many pairs it had."""
        size, progress, pairs = self.settings.recipe.batch, self.progress, self.texts[text]
        start = progress.positions[text]
        end = min(start + self.settings.objective.batches(progress.step) * size, len(order))
        if end == len(order) - 1:  # a single pair has no negative: the last one joins this pool
            end = len(order)
        random = generator(self.settings.seed, 2, progress.epoch, start, *([text] if text else []))
        rows = order[start:end]
        pool = pairs.take(rows)
        keys, count = pairs.sentence_keys(rows, pool), end - start
        encoded = self._encode(pool) if count <= size and self._plain else None
        chosen = self._choose(pool, encoded, keys, pairs.monolingual)
        for first in range(0, count, size):
            batch = np.arange(first, min(first + size, count))
            progress.loss_sum += self._step(pool, encoded, batch, chosen, random)
            progress.step += 1
        progress.positions[text] = end
        return count

    @property
    def _plain(self) -> bool:
        """Whether negatives are chosen among the very vectors that a step compares."""
        changed = self.dropout is not None or self.settings.recipe.scramble > 0
        return self.settings.objective.compares and not changed

    @torch.no_grad()
    def _choose(
        self, pool: Ragged, encoded: Encoded | None, keys: NDArray[np.int64], monolingual: bool
    ) -> Any:  # noqa: ANN401  (the objective's own)
        objective, vectors = self.settings.objective, None
        if objective.compares:
            vectors = (encoded or self._encode(pool)).vectors.detach()
        return objective.choose(vectors, self._tensor(keys), monolingual)

    def _step(
        self,
        pool: Ragged,
        encoded: Encoded | None,
        batch: Indices,
        chosen: Any,  # noqa: ANN401
        random: np.random.Generator,
    ) -> float:
        objective = self.settings.objective
        groups = objective.rows(batch, len(pool) // 2, chosen)
        places = np.concatenate(groups)
        if encoded is None:
            # a sentence that is one pair's own and another's negative is encoded once
            sentences, places = np.unique(places, return_inverse=True)
            rows = scramble(pool.gather(sentences), self.settings.recipe.scramble, random)
            encoded = self._encode(rows, random)
        fetched, vectors = encoded
        vectors = vectors[self._tensor(places)].unflatten(0, (len(groups), len(batch)))
        loss = objective.loss(vectors, batch, chosen)
        loss.backward()
        self.optimizer.update(fetched)
        if self.weights_optimizer is not None:
            rate = self.optimizer.rate() / self.settings.recipe.embedding_multiplier
            self.weights_optimizer.param_groups[0]["lr"] = rate
            self.weights_optimizer.step()
            self.weights_optimizer.zero_grad()
        return float(loss.detach())

    def _encode(self, rows: Ragged, random: np.random.Generator | None = None) -> Encoded:
        """Encode sentences, with dropout where `random` is given."""
        types, local = number_types(rows.ids, self._scratch)
        fetched = self.optimizer.fetch(self._tensor(types))
        fetched.values.requires_grad_(torch.is_grad_enabled())
        dropout = None
        if self.dropout is not None and random is not None:
            dropout = self.dropout.draw(len(local), random)
        tokens = fetched.values, self._tensor(local), self._tensor(rows.offsets), dropout
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bfloat16):
            return Encoded(fetched, self.composition(*tokens))

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, np.int64)).to(self.device)
