"""Adam and SGD of all parameters on a GPU, which counts the steps itself.

Nothing that changes from step to step is on the host, so that a step can be recorded and replayed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.optim.adam import adam

from tandem.training.recipe import Recipe
from tandem.training.row_optimizers import BETA1, BETA2, EPSILON


class GpuSgd:
    """Stochastic gradient descent; other optimisers take another step, and keep moments."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        """Take over parameters, to be changed in place."""
        self.parameters = list(parameters)

    @torch.no_grad()
    def update(self, gradients: Sequence[Tensor], rate: Tensor) -> None:
        """Take a step; `rate` is of no dimension, float32."""
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.sub_(gradient * rate)

    def state(self) -> dict[str, Tensor]:
        """Return the tensors, beside the parameters, from which it goes on to the same bytes."""
        return {}

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `state` returned."""
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])


class GpuAdam(GpuSgd):
    """Adam, dense and fused, as PyTorch has it for a GPU."""

    def __init__(
        self, parameters: Sequence[Tensor], betas: tuple[float, float] = (BETA1, BETA2)
    ) -> None:
        """Take over parameters, as `GpuSgd` does."""
        super().__init__(parameters)
        self._betas = betas
        self._first, self._second = ([torch.zeros_like(p) for p in parameters] for _ in range(2))
        self._steps = [torch.zeros((), device=parameter.device) for parameter in parameters]

    @torch.no_grad()
    def update(self, gradients: Sequence[Tensor], rate: Tensor) -> None:
        """Take a step; `rate` is of no dimension, float32."""
        adam(
            self.parameters, list(gradients), self._first, self._second, [], self._steps,
            fused=True, capturable=True, amsgrad=False, beta1=self._betas[0], beta2=self._betas[1],
            lr=rate, weight_decay=0.0, eps=EPSILON, maximize=False,
        )  # fmt: skip

    def state(self) -> dict[str, Tensor]:
        """Return the moments and the steps taken."""
        tensors = {"first": self._first, "second": self._second, "steps": self._steps}
        return {f"{k}.{n}": t for k, v in tensors.items() for n, t in enumerate(v)}


class GpuOptimizer:
    """Takes the steps of a recipe: all of the table moves, not as in `row_optimizers` its rows.

    Going through a table of 64,000 x 768 with its moments takes an H100 half a millisecond.
    """

    def __init__(
        self, tables: Sequence[Tensor], weights: Sequence[Tensor], recipe: Recipe, steps: int
    ) -> None:
        """Take over parameters, to be changed in place over so many steps.

        `tables` holds the table, or nothing where it is frozen.
        """
        device = [*tables, *weights][0].device
        factors = recipe.factors(np.arange(1, steps + 1), steps).astype(np.float32)
        self._factors = torch.from_numpy(factors).to(device)
        self._taken = torch.zeros(1, dtype=torch.int64, device=device)
        kind = GpuAdam if recipe.optimizer == "adam" else GpuSgd
        rate = recipe.learning_rate
        self._tables, self._table_rate = kind(tables), rate * recipe.embedding_multiplier
        self._weights, self._rate = kind(weights), rate

    @torch.no_grad()
    def update(self, gradients: Sequence[Tensor]) -> None:
        """Take a step; the gradients are of the tables and the weights, in their order."""
        factor = self._factors[self._taken].squeeze(0)
        self._taken += 1
        of_tables = len(self._tables.parameters)
        if of_tables:
            self._tables.update(gradients[:of_tables], factor * self._table_rate)
        if len(gradients) > of_tables:
            self._weights.update(gradients[of_tables:], factor * self._rate)

    def state(self) -> dict[str, Tensor]:
        """Return the moments and the steps taken."""
        parts = {"table": self._tables, "weights": self._weights}
        moments = {f"{k}.{n}": t for k, part in parts.items() for n, t in part.state().items()}
        return moments | {"taken": self._taken}

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `state` returned."""
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])
