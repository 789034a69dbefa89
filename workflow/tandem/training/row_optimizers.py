"""Optimisers of an embedding table of which a batch touches few rows: SGD and Adam.

A dense Adam reads and writes the whole table and both moments at every step: for 20,000 x 300
floats over 150 MB, to change about 1,500 rows. Here a row is brought up to date only when it is
read, and stored only when its gradient is not zero. The steps it missed had a zero gradient, so
their sum has a closed form and the result is that of the dense optimiser (Kingma and Ba, 2014,
Algorithm 1) to rounding, not that of a "sparse Adam" which lets the moments of untouched rows stand
still.

With m, v the moments after step t and zero gradients in steps t+1 .. t+k, the parameter moves by

    -lr * m / sqrt(v) * sum_{j=1..k} r^j * c(t+j),  r = b1 / sqrt(b2),
    c(s) = sqrt(1 - b2^s) / (1 - b1^s),

where eps, scaled as at step t, is left out here. With T(t) = sum_{j>=1} r^j c(t+j), a number per
step that a recurrence gives, the sum is T(t) - r^k T(t+k). A learning rate that changes from step
to step is a factor of c.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tandem.kernels.adam import adam_read, adam_update
from tandem.machine import has_compiled_loops

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
"""Kingma and Ba's (2014) defaults."""


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


class RowOptimizer:
    """Takes the steps of one table, for the rows that a batch reads."""

    horizon: ClassVar[int] = 0
    """Steps after the last one whose learning rates are asked for."""

    def __init__(
        self,
        table: Tensor,
        learning_rate: float,
        total_steps: int,
        factors: Callable[[NDArray[np.int64]], NDArray[np.float64]] = np.ones_like,
        betas: tuple[float, float] = (BETA1, BETA2),
    ) -> None:
        """Take over `table` (rows, dimension), to be changed in place over `total_steps` steps.

        `factors` gives the factors of the learning rate in some steps, counted from 1; `betas` are
        the decays of moments, where it keeps any.
        """
        self.table = table
        self.step_count = 0
        self._learning_rate, self._betas = learning_rate, betas
        steps = np.arange(total_steps + self.horizon + 1)
        self._factors = np.asarray(factors(steps), np.float64)
        self._prepare(total_steps)

    def _prepare(self, total_steps: int) -> None:
        """Make what is kept beside the table."""

    def fetch(self, index: Tensor) -> Rows:
        """Return the rows."""
        return Rows(index, self.table.index_select(0, index), torch.zeros_like(index))

    def update(self, rows: Rows) -> None:
        """Take one step for rows whose `values.grad` is filled, and store them."""
        raise NotImplementedError

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


class FrozenRows(RowOptimizer):
    """Leaves the table as it is, and counts the steps."""

    def update(self, rows: Rows) -> None:
        """Count a step."""
        self.step_count += 1

    def state(self) -> dict[str, Tensor]:
        """Return nothing: what does not change is where training starts from."""
        return {}


class RowSgd(RowOptimizer):
    """SGD for the rows of one table: a row without a gradient stays where it is."""

    def update(self, rows: Rows) -> None:
        """Take one step for rows whose `values.grad` is filled, and store them."""
        self.step_count += 1
        gradient = rows.values.grad
        assert gradient is not None
        moved = rows.values.detach().add_(gradient, alpha=-self.rate())
        self.table.index_copy_(0, rows.index, moved)


class RowAdam(RowOptimizer):
    """Adam for the rows of one table."""

    horizon: ClassVar[int] = 400
    """Steps after which r^k, hence what a missed step still moves, is below 1e-18."""

    def _prepare(self, total_steps: int) -> None:
        """Make the moments, and what follows from the number of a step or of missed steps."""
        table = self.table
        self.first, self.second = torch.zeros_like(table), torch.zeros_like(table)
        self.touched = torch.zeros(len(table), dtype=torch.int64, device=table.device)
        # by step, or by the number of steps missed: T, r^k, and eps as it stands to the
        # bias-corrected sqrt(v) of the step that a row was last stored at
        steps = np.arange(total_steps + 1, dtype=np.float64)
        beta1, beta2 = self._betas
        epsilons = EPSILON * np.sqrt(1 - beta2**steps)
        epsilons[0] = 1.0  # a row never touched has no moments: anything but zero
        tails = _tails(self._factors, total_steps, self._betas)
        powers = (beta1 / math.sqrt(beta2)) ** steps
        by_step = tails, powers, epsilons.astype(np.float32)
        self._by_step = [torch.from_numpy(values).to(table.device) for values in by_step]
        self._read = table[:0].clone()
        self._compiled = has_compiled_loops(table)

    def fetch(self, index: Tensor) -> Rows:
        """Return the rows up to date, without storing anything.

        Where no gradient is wanted, they are valid until the next such call.
        """
        touched = self.touched.index_select(0, index)
        age = self.step_count - touched
        tails, powers, epsilons = self._by_step
        moved = self._learning_rate * (tails[touched] - powers[age] * tails[self.step_count])
        # a row never touched has no moments and stays where it is
        moved = moved.masked_fill_(touched == 0, 0).to(self.table.dtype)
        epsilon = epsilons[touched].to(self.table.dtype)
        if self._compiled:
            values = self._room(len(index))
            tensors = self.table, self.first, self.second, index, moved, epsilon, values
            adam_read(*(tensor.numpy() for tensor in tensors))
            return Rows(index, values, age)
        values, first, second = (
            tensor.index_select(0, index) for tensor in (self.table, self.first, self.second)
        )
        denominator = second.sqrt_().add_(epsilon.unsqueeze(1))
        values.addcdiv_(first.mul_(moved.unsqueeze(1)), denominator, value=-1)
        return Rows(index, values, age)

    def _room(self, rows: int) -> Tensor:
        """Return memory for rows: the same again where no gradient is wanted.

        What is read to choose negatives is large, and new memory costs as much as the reading.
        """
        if torch.is_grad_enabled():
            return self.table.new_empty(rows, self.table.shape[1])
        if len(self._read) < rows:
            self._read = self.table.new_empty(rows, self.table.shape[1])
        return self._read[:rows]

    def update(self, rows: Rows) -> None:
        """Take one step for rows whose `values.grad` is filled, and store them."""
        self.step_count += 1
        beta1, beta2 = self._betas
        bias2 = math.sqrt(1 - beta2**self.step_count)
        rate = self.rate() / (1 - beta1**self.step_count) * bias2
        gradient, values = rows.values.grad, rows.values.detach()
        assert gradient is not None
        steps = (rows.age + 1).to(values.dtype)
        decay1, decay2 = beta1**steps, beta2**steps
        if self._compiled:
            stored = self.table, self.first, self.second, self.touched
            tensors = *stored, rows.index, values, gradient, decay1, decay2
            numbers = map(np.float32, (beta1, beta2, rate, EPSILON * bias2))
            adam_update(*(tensor.numpy() for tensor in tensors), self.step_count, *numbers)
        else:
            first, second = (t.index_select(0, rows.index) for t in (self.first, self.second))
            first.mul_(decay1.unsqueeze(1)).add_(gradient, alpha=1 - beta1)
            second.mul_(decay2.unsqueeze(1)).addcmul_(gradient, gradient, value=1 - beta2)
            values.addcdiv_(first, second.sqrt().add_(EPSILON * bias2), value=-rate)
            for table, new in ((self.table, values), (self.first, first), (self.second, second)):
                table.index_copy_(0, rows.index, new)
            self.touched.index_fill_(0, rows.index, self.step_count)

    def settle(self, rows_at_once: int = 65_536) -> Tensor:
        """Bring every row up to date, as the dense optimiser would hold it; return the table."""
        for start in range(0, len(self.table), rows_at_once):
            end = min(start + rows_at_once, len(self.table))
            rows = self.fetch(torch.arange(start, end, device=self.table.device))
            missed = rows.age.unsqueeze(1).to(rows.values.dtype)
            self.table[start:end] = rows.values
            self.first[start:end] *= self._betas[0] ** missed
            self.second[start:end] *= self._betas[1] ** missed
        self.touched.fill_(self.step_count)
        return self.table

    def state(self) -> dict[str, Tensor]:
        """Return the tensors from which `load_state` continues to the same bytes."""
        moments = {"first": self.first, "second": self.second, "touched": self.touched}
        return super().state() | moments


def _tails(
    factors: NDArray[np.float64], total_steps: int, betas: tuple[float, float]
) -> NDArray[np.float64]:
    """Return T(t) for t = 0 .. total_steps, float64 (T(0) is 0: moments are then zero)."""
    steps = np.arange(1, len(factors), dtype=np.float64)
    beta1, beta2 = betas
    ratio = beta1 / math.sqrt(beta2)
    correction = factors[1:] * np.sqrt(1 - beta2**steps) / (1 - beta1**steps)
    tails = np.empty(total_steps + 1)
    tail = 0.0
    for step in range(len(correction) - 1, -1, -1):
        tail = ratio * (correction[step] + tail)
        if step <= total_steps:
            tails[step] = tail
    tails[0] = 0.0
    return tails
