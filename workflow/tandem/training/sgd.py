"""Stochastic gradient descent over an embedding table of which a batch touches few rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass
class Rows:
    """Rows of the table on their way through one training step.

    Attributes:
        index: (rows,) int64, distinct.
        values: (rows, dimension) up to date; a leaf that collects the gradient.
        age: (rows,) steps missed since they were last stored.
    """

    index: Tensor
    values: Tensor
    age: Tensor


class RowSgd:
    """SGD for the rows of one table: a row without a gradient stays where it is.

    Other optimisers of rows take another step, and keep moments beside the table.
    """

    def __init__(
        self,
        table: Tensor,
        learning_rate: float,
        total_steps: int,
        factors: Callable[[NDArray[np.int64]], NDArray[np.float64]] = np.ones_like,
    ) -> None:
        """Take over `table` (rows, dimension), to be changed in place over `total_steps` steps.

        `factors` gives the factor of the learning rate in each of some steps, which are counted
        from 1.
        """
        self.table = table
        self.step_count = 0
        self._learning_rate = learning_rate
        self._factors = np.asarray(factors(np.arange(total_steps + 1)), np.float64)

    def fetch(self, index: Tensor) -> Rows:
        """Return the rows."""
        return Rows(index, self.table.index_select(0, index), torch.zeros_like(index))

    def update(self, rows: Rows) -> None:
        """Take one step for rows whose `values.grad` is filled, and store them."""
        self.step_count += 1
        gradient = rows.values.grad
        assert gradient is not None
        moved = rows.values.detach().add_(gradient, alpha=-self.rate())
        self.table.index_copy_(0, rows.index, moved)

    def rate(self) -> float:
        """Return the learning rate of the last step."""
        return self._learning_rate * float(self._factors[self.step_count])

    def settle(self) -> Tensor:
        """Return the table."""
        return self.table

    def state(self) -> dict[str, Tensor]:
        """Return the tensors from which `load_state` continues to the same bytes."""
        return {"embedding": self.table}

    def load_state(self, tensors: dict[str, Tensor], step_count: int) -> None:
        """Continue from what `state` returned at step `step_count`."""
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])
        self.step_count = step_count
