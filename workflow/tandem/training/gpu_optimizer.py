"""Adam and SGD of all parameters on a GPU, which counts the steps itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.optim.adam import adam

from tandem.training.recipe import Recipe
from tandem.training.row_optimizers import BETA1, BETA2, EPSILON


class GpuOptimizer:
    """Takes dense steps: all of the table moves, as `row_optimizers` brings about too, if later.

    Going through a table of 64,000 x 768 with its moments takes an H100 half a millisecond. Nothing
    that changes from step to step is on the host, so that a step can be replayed.
    """

    def __init__(
        self, table: Tensor, weights: Sequence[Tensor], recipe: Recipe, steps: int
    ) -> None:
        """Take over parameters, to be changed in place over so many steps."""
        factors = recipe.factors(np.arange(1, steps + 1), steps).astype(np.float32)
        device, self.adam = table.device, recipe.optimizer == "adam"
        self._factors = torch.from_numpy(factors).to(device)
        self._taken = torch.zeros(1, dtype=torch.int64, device=device)
        rate = recipe.learning_rate
        self._groups = [([table], rate * recipe.embedding_multiplier)]
        if weights:
            self._groups.append((list(weights), rate))
        moments = [table, *weights] if self.adam else []
        self._first, self._second = ([torch.zeros_like(p) for p in moments] for _ in range(2))
        self._steps = [torch.zeros((), device=device) for _ in moments]

    @torch.no_grad()
    def update(self, gradients: Sequence[Tensor]) -> None:
        """Take a step; the gradients are of the table and the weights, in their order."""
        factor = self._factors[self._taken].squeeze(0)
        self._taken += 1
        start = 0
        for parameters, rate in self._groups:
            part = slice(start, start + len(parameters))
            start = part.stop
            if not self.adam:
                for parameter, gradient in zip(parameters, gradients[part], strict=True):
                    parameter.sub_(gradient * (factor * rate))
                continue
            moments = self._first[part], self._second[part]
            adam(
                parameters, list(gradients[part]), *moments, [], self._steps[part],
                fused=True, capturable=True, amsgrad=False, beta1=BETA1, beta2=BETA2,
                lr=factor * rate, weight_decay=0.0, eps=EPSILON, maximize=False,
            )  # fmt: skip

    def state(self) -> dict[str, Tensor]:
        """Return the moments and the steps taken."""
        moments = {"first": self._first, "second": self._second}
        tensors = {f"{k}.{n}": t for k, v in moments.items() for n, t in enumerate(v)}
        return tensors | {"taken": self._taken}

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `state` returned."""
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])
        for step in self._steps:
            step.fill_(int(tensors["taken"]))
