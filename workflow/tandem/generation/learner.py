"""The learner of generative objectives.

    for each batch, a number of tokens: for each of its parts, pairs of like lengths:
        encode, draw, write, loss, gradients
    clip the gradients, one step of Adam

On a CPU a step reads and moves the rows of the tables that its batch has; on a GPU all stays there,
and nothing waits for it. What is drawn is keyed by the place in the run, so that a killed run
resumes to the same bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch import Tensor

from tandem.errors import TandemError
from tandem.generation import saving
from tandem.generation.batches import Text, batches, longer
from tandem.generation.networks import SEMANTIC, Draws, Losses, Networks, losses
from tandem.generation.steps import GpuSteps, HostSteps, Steps
from tandem.machine import exact_products, learns_on_host
from tandem.objectives.kinds.generative import Generative
from tandem.training.course import BESIDE, Advance, Learner, Parameters, State
from tandem.training.noise import DropoutPool, generator
from tandem.training.run import Run, first_parameters, prepare, uses_bfloat16

if TYPE_CHECKING:
    from pathlib import Path

    from tandem.encoders.kinds.posterior import Posterior
    from tandem.encoders.model import SentenceEncoder
    from tandem.generation.tables import Tables
    from tandem.objectives.objective import Objective
    from tandem.training.pairs import Indices, Pairs

logger = logging.getLogger(__name__)
VALIDATED, SCORED = 1 << 13, 1 << 26
"""Most tokens of a side, filled up, and most scores (tokens by types), whose loss is validated at a
time."""
_DRAWS, _GROUPS, _VALIDATION = 11, 12, 13


class Generation(Learner):
    """Learns by writing sentences.

    Attributes:
        networks: encoders and decoders; what they read and write with is in `steps.tables`.
        step: updates so far.
    """

    def __init__(
        self,
        run: Run,
        vocabulary: int,
        texts: Sequence[Pairs],
        device: str = "cpu",
        start: SentenceEncoder | None = None,
    ) -> None:
        """Draw the parameters from the seed; those of the semantic encoder may be a start's.

        Raises:
            TandemError: the encoder is no posterior, there are several texts or one with labels or
                without a usable pair, or the encoder to start from is another.
        """
        self.settings, self.objective = run, cast("Generative", run.objective)
        prepare(run, vocabulary, texts)
        self.device, self._host = torch.device(device), learns_on_host(device)
        self._text, self._edge = _checked(run.objective, texts), vocabulary
        self._lengths = longer(self._text)[self._text.usable]
        total = run.recipe.epochs * len(self._batches(0))
        encoder, (table, semantic) = run.encoder, first_parameters(run, vocabulary, start)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(run.seed + 1)
            self.networks = Networks(cast("Posterior", encoder), self.objective)
            tables = self.networks.draw_tables(vocabulary) | {SEMANTIC: table}
        self.networks.encoders[SEMANTIC].load_state_dict(semantic.state_dict())
        self.networks.to(self.device)
        kind = HostSteps if self._host else GpuSteps
        self.steps: Steps = kind(self.networks, tables, run.recipe, total)
        self._total, self._last = total, self.objective.weight(total, total)
        dropout = run.recipe.dropout, encoder.dimension, run.seed, self.device
        self._pool = DropoutPool(*dropout) if run.recipe.dropout else None
        self._bfloat16 = uses_bfloat16(run, self.device)
        self._epoch = self._place = self.step = 0
        self._order: list[list[Indices]] = []

    def _batches(self, epoch: int) -> list[list[Indices]]:
        random = generator(self.settings.seed, _GROUPS, epoch)
        return batches(self._lengths, self.objective.tokens, self.objective.parts, random)

    def begin(self, epoch: int) -> int:
        """Group the pairs into the batches of an epoch; return their number."""
        self._epoch, self._order = epoch, self._batches(epoch)
        return len(self._lengths)

    def advance(self) -> Advance | None:
        """Take a step on the next batch; the loss is the sum over its pairs, in nats."""
        if self._place == len(self._order):
            self._place = 0
            return None
        parts = [self._text.usable[part] for part in self._order[self._place]]
        random = generator(self.settings.seed, _DRAWS, self._epoch, self._place)
        self._place, self.step = self._place + 1, self.step + 1
        loss, pairs = self._learn(parts, random), sum(map(len, parts))
        return Advance(pairs, float(loss) if self._host else loss, pairs)

    @exact_products()
    def _learn(self, parts: Sequence[Indices], random: np.random.Generator) -> Tensor:
        """Take a step on a batch; return the sum of the losses of its pairs."""
        texts, pairs = [self._sides(self._text, part) for part in parts], sum(map(len, parts))
        weight = self.objective.weight(self.step, self._total)
        seed = int(random.integers(1 << 62))
        self.steps.fetch(texts, random)
        self.networks.train()
        total = torch.zeros((), device=self.device)
        with torch.random.fork_rng(devices=[], enabled=self._host):
            torch.manual_seed(seed)
            for sides in texts:
                summed = self._losses(self.steps.tables, sides, self._draws(random))
                loss = summed.total(weight)
                (loss / pairs).backward()
                total += loss.detach()
        self.steps.move(self.step)
        return total

    def _sides(self, text: Pairs, rows: Indices) -> list[Text]:
        return [Text.of(side.gather(rows), self._edge) for side in (text.left, text.right)]

    def _draws(self, random: np.random.Generator) -> Draws:
        """Return what is drawn for a part of a batch."""
        pool, dropout = self._pool, self.settings.recipe.dropout
        if pool is None:
            return Draws(self.step)
        if self._host:
            return Draws(self.step, dropout, lambda tokens: pool.draw(tokens, random))
        seed = torch.full((1,), int(random.integers(1 << 62)), device=self.device)
        return Draws(self.step, dropout, lambda tokens: pool.draw_there(tokens, seed))

    def _losses(self, tables: Tables, sides: Sequence[Text], draws: Draws) -> Losses:
        sent = [side.sent(self.device) for side in sides]
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._bfloat16):
            return losses(self.networks, tables, sent, draws)

    @exact_products()
    @torch.no_grad()
    def loss_on(self, held_out: Pairs) -> float:
        """Return the loss of pairs, in nats for each, with what is drawn always the same.

        The divergence has the weight that training ends with, so that epochs are compared alike.

        Raises:
            TandemError: no pair is usable.
        """
        tables, random = self.steps.whole(), generator(self.settings.seed, _VALIDATION)
        lengths, tokens = longer(held_out)[held_out.usable], min(VALIDATED, SCORED // self._edge)
        if not len(lengths):
            raise TandemError("no held-out pair has tokens on both sides: give more text")
        self.networks.eval()
        sums = torch.zeros(3, dtype=torch.float64)
        with torch.random.fork_rng(devices=[], enabled=self._host):
            torch.manual_seed(self.settings.seed)
            for (part,) in batches(lengths, tokens, 1, random):
                sides = self._sides(held_out, held_out.usable[part])
                sums += torch.stack(self._losses(tables, sides, Draws())).double().cpu()
        means = (sums / len(lengths)).tolist()
        logger.info("held out: reconstruction %.3f, translation %.3f, divergence %.3f", *means)
        return means[0] + means[1] + self._last * means[2]

    def encoder(self) -> Parameters:
        """Return the parameters of the semantic encoder, and with BESIDE before all others."""
        parameters = {}
        for name, table in self.steps.whole().tables.items():
            prefix = "embedding" if name == SEMANTIC else f"{BESIDE}{name}"
            parameters[prefix] = table.detach()
        semantic = f"encoders.{SEMANTIC}."
        for name, tensor in self.networks.state_dict().items():
            inside = name.startswith(semantic)
            parameters[name.removeprefix(semantic) if inside else BESIDE + name] = tensor
        return parameters

    def write_beside(
        self, folder: Path, encoder: SentenceEncoder, parameters: Mapping[str, Tensor]
    ) -> None:
        """Write the language encoders and the decoders into the folder of the semantic encoder."""
        saving.write(folder, encoder, self.objective, self._text.languages, parameters)

    def state(self) -> State:
        """Return parameters, moments and the place in the epoch."""
        tensors = {f"networks.{k}": v for k, v in self.networks.state_dict().items()}
        tensors |= {f"steps.{k}": v for k, v in self.steps.state().items()}
        return State(tensors, {"place": self._place, "step": self.step})

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        self._place, self.step = state.place["place"], state.place["step"]
        self.networks.load_state_dict(state.part("networks."))
        self.steps.load_state(state.part("steps."), self.step)


def _checked(objective: Objective, texts: Sequence[Pairs]) -> Pairs:
    """Return the text that is trained on; refuse what cannot be."""
    (text,) = texts
    if text.labels is not None or text.passes is not None:
        raise TandemError(
            f"the objective {objective.kind} takes every pair for a translation, once an epoch. "
            "Give a bitext without labels"
        )
    if len({*text.languages}) != 2:
        names = " and ".join(text.languages) or "none"
        raise TandemError(
            f"the objective {objective.kind} learns to write two languages, and those of the text "
            f"are {names}. Give a bitext of two"
        )
    if not len(text.usable):
        raise TandemError("no usable pair: training needs pairs with tokens on both sides")
    return text
