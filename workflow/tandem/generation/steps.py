"""The steps of generative training: what moves networks and tables, on a CPU and on a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch import Tensor

from tandem.generation.networks import SEMANTIC, Networks
from tandem.generation.tables import RowTables, Tables
from tandem.training.checkpoint import load_optimizer, optimizer_tensors
from tandem.training.course import part_of
from tandem.training.divergence import refuse_diverged
from tandem.training.gpu_optimizer import GpuAdam

if TYPE_CHECKING:
    from tandem.generation.batches import Text
    from tandem.training.recipe import Recipe

BETAS = 0.9, 0.98
"""Decay of Adam's moments (wieting2020, section 4.2)."""


class Steps:
    """Adam for networks and tables, whose gradients a batch has filled.

    Attributes:
        tables: what a batch reads.
    """

    tables: Tables

    def fetch(self, texts: Sequence[Sequence[Text]], random: np.random.Generator) -> None:
        """Prepare the tables for a batch: its parts, and the sides of each."""

    def move(self, step: int) -> None:
        """Clip the gradients and take a step, counted from 1.

        Raises:
            Diverged: a gradient is infinite or not a number, where that can be seen.
        """
        raise NotImplementedError

    def whole(self) -> Tables:
        """Return the whole tables as they are now."""
        return self.tables

    def state(self) -> dict[str, Tensor]:
        """Return the tensors, beside the networks, from which it goes on to the same bytes."""
        raise NotImplementedError

    def load_state(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Take over what `state` returned after so many steps."""
        raise NotImplementedError


class HostSteps(Steps):
    """Steps of a CPU, which move the rows that a batch has."""

    def __init__(
        self, networks: Networks, tables: Mapping[str, Tensor], recipe: Recipe, steps: int
    ) -> None:
        """Take over parameters and tables, to be changed in place over so many steps."""
        self._networks, self._recipe = networks, recipe
        self._factors = recipe.factors(np.arange(steps + 1), steps)
        factors, rate = partial(recipe.factors, total=steps), partial(_rate, recipe)
        self._rows = self.tables = RowTables(tables, rate, steps, factors, BETAS)
        self._adam = torch.optim.Adam(
            networks.parameters(), recipe.learning_rate, BETAS, fused=True
        )

    def fetch(self, texts: Sequence[Sequence[Text]], random: np.random.Generator) -> None:
        """Fetch the rows of a batch, its parts and the sides of each, and draw some for softmax."""
        for name in self._rows.tables:
            network, _, use = name.partition(".")
            sides = self._networks.sides() if network == SEMANTIC else [int(network[-1])]
            field = {"": "ids", "inputs": "inputs", "outputs": "labels"}[use]
            ids = [getattr(part[side], field).ravel() for part in texts for side in sides]
            drawn = self._networks.objective.drawn or len(self._rows.tables[name])
            self._rows.fetch(
                name, np.concatenate(ids), drawn, random if use == "outputs" else None
            )

    def move(self, step: int) -> None:
        """Clip the gradients and take a step, counted from 1; see `Steps`."""
        dense = [p.grad for p in self._networks.parameters() if p.grad is not None]
        gradients, clip = [*dense, *self._rows.gradients()], self._networks.objective.clip
        norm = float(torch.nn.utils.get_total_norm(gradients))
        refuse_diverged("a gradient", norm)
        if norm > clip:
            torch._foreach_mul_(gradients, clip / norm)
        self._rows.update()
        self._adam.param_groups[0]["lr"] = self._recipe.learning_rate * float(self._factors[step])
        self._adam.step()
        self._adam.zero_grad()

    def whole(self) -> Tables:
        """Return the whole tables as they are now."""
        return self._rows.settled()

    def state(self) -> dict[str, Tensor]:
        """Return the tables with their moments, and those of the networks."""
        rows = {f"rows.{name}": tensor for name, tensor in self._rows.state().items()}
        moments = optimizer_tensors(self._adam).items()
        return rows | {f"moments.{name}": tensor for name, tensor in moments}

    def load_state(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Take over what `state` returned after so many steps."""
        self._rows.load_state(part_of(tensors, "rows."), step)
        load_optimizer(self._adam, part_of(tensors, "moments."))


class GpuSteps(Steps):
    """Steps of a GPU, which move whole tables and are never waited for."""

    def __init__(
        self, networks: Networks, tables: Mapping[str, Tensor], recipe: Recipe, steps: int
    ) -> None:
        """Take over parameters and tables, to be changed in place over so many steps."""
        self._clip = networks.objective.clip
        sent = {n: t.to(networks.device, copy=True).requires_grad_() for n, t in tables.items()}
        self.tables = Tables(sent)
        rates = {_rate(recipe, name) for name in sent} | {recipe.learning_rate}
        self._moved = [
            (rate, [t for n, t in sent.items() if _rate(recipe, n) == rate])
            for rate in sorted(rates)
        ]
        for rate, tensors in self._moved:
            if rate == recipe.learning_rate:
                tensors.extend(networks.parameters())
        self._adams = [GpuAdam(tensors, BETAS) for _, tensors in self._moved]
        factors = recipe.factors(np.arange(steps + 1), steps).astype(np.float32)
        self._factors = torch.from_numpy(factors).to(networks.device)

    def move(self, step: int) -> None:
        """Clip the gradients and take a step, counted from 1."""
        tensors = [tensor for _, group in self._moved for tensor in group]
        for tensor in tensors:
            if tensor.grad is None:  # nothing reads it: a variance without a prior
                tensor.grad = torch.zeros_like(tensor)
        gradients = [cast("Tensor", tensor.grad) for tensor in tensors]
        norm = torch.nn.utils.get_total_norm(gradients)
        torch._foreach_mul_(gradients, (self._clip / norm).clamp(max=1.0))
        factor = self._factors[step]
        for adam, (rate, group) in zip(self._adams, self._moved, strict=True):
            adam.update([cast("Tensor", tensor.grad) for tensor in group], factor * rate)
        for tensor in tensors:
            tensor.grad = None

    def state(self) -> dict[str, Tensor]:
        """Return the tables and the moments of all."""
        tables = {f"tables.{name}": t.detach() for name, t in self.tables.tables.items()}
        states = ((n, k, t) for n, adam in enumerate(self._adams) for k, t in adam.state().items())
        return tables | {f"moments.{number}.{key}": tensor for number, key, tensor in states}

    @torch.no_grad()
    def load_state(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Take over what `state` returned."""
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])


def _rate(recipe: Recipe, table: str) -> float:
    """Return the learning rate of a table: that of scores is as that of the networks."""
    multiplier = 1.0 if table.endswith("outputs") else recipe.embedding_multiplier
    return recipe.learning_rate * multiplier
