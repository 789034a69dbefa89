"""The tables of embeddings that encoders and decoders read, and how a step moves them.

On a CPU a step reads and stores the rows that its batch has (`training.row_optimizers`), so that no
step passes over unused parameters; of a softmax it reads those and some that are drawn. A GPU has
the whole tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tandem.training.row_optimizers import RowAdam, Rows

Indices = NDArray[np.int64]


class Tables:
    """Whole tables, by name."""

    def __init__(self, tables: Mapping[str, Tensor]) -> None:
        """Take tables, (types, width) each."""
        self.tables = dict(tables)

    def look(self, name: str, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows to read of a table, and where among them these ids are."""
        return self.tables[name], ids

    def stands_for(self, name: str) -> Tensor | None:
        """Return of how many types each row to read stands for the logarithm; None: one each."""
        return None


class RowTables(Tables):
    """Tables of which a step reads, and moves, some rows.

    Attributes:
        optimizers: by the name of the table.
    """

    def __init__(
        self,
        tables: Mapping[str, Tensor],
        rate: Callable[[str], float],
        steps: int,
        factors: Callable[[NDArray[np.int64]], NDArray[np.float64]],
        betas: tuple[float, float],
    ) -> None:
        """Take tables, to be moved over so many steps; `rate` is that of a table's learning."""
        super().__init__(tables)
        self.optimizers = {
            name: RowAdam(table, rate(name), steps, factors, betas)
            for name, table in tables.items()
        }
        self._places = {name: np.zeros(len(table), np.int64) for name, table in tables.items()}
        self._rows: dict[str, Rows] = {}
        self._weights: dict[str, Tensor] = {}

    def fetch(
        self, name: str, ids: Indices, drawn: int = 0, random: np.random.Generator | None = None
    ) -> None:
        """Bring the rows of a step's ids up to date; with `random` also `drawn` others.

        Those stand for all the others (complementary sum sampling).
        """
        mark = np.zeros(len(self.tables[name]), np.bool_)
        mark[ids] = True
        types, weights = np.flatnonzero(mark), None
        if random is not None:
            others = np.flatnonzero(~mark)
            chosen = np.sort(random.permutation(others)[:drawn])
            share = math.log(len(others) / len(chosen)) if len(chosen) else 0.0
            weights = torch.zeros(len(types) + len(chosen))
            weights[len(types) :] = share
            types = np.concatenate([types, chosen])
            self._weights[name] = weights
        self._places[name][types] = np.arange(len(types))
        rows = self.optimizers[name].fetch(torch.from_numpy(types))
        rows.values.requires_grad_()
        self._rows[name] = rows

    def look(self, name: str, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows that were fetched, and where among them these ids are."""
        places = torch.from_numpy(self._places[name][ids.numpy()])
        return self._rows[name].values, places

    def stands_for(self, name: str) -> Tensor | None:
        """Return of how many types each fetched row stands for the logarithm; None: one each."""
        return self._weights.get(name)

    def gradients(self) -> list[Tensor]:
        """Return the gradients of what was fetched."""
        grads = (rows.values.grad for rows in self._rows.values())
        return [gradient for gradient in grads if gradient is not None]

    def update(self) -> None:
        """Take a step with what was fetched."""
        for name, rows in self._rows.items():
            if rows.values.grad is None:  # where a batch has no sentence that reads it
                rows.values.grad = torch.zeros_like(rows.values)
            self.optimizers[name].update(rows)
        self._rows, self._weights = {}, {}

    def settled(self) -> Tables:
        """Return the whole tables as they are now."""
        return Tables({name: rows.settle() for name, rows in self.optimizers.items()})

    def state(self) -> dict[str, Tensor]:
        """Return the tensors from which `load_state` continues to the same bytes."""
        parts = ((n, k, t) for n, rows in self.optimizers.items() for k, t in rows.state().items())
        return {f"{name}.{key}": tensor for name, key, tensor in parts}

    def load_state(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Take over what `state` returned after so many steps."""
        for name, rows in self.optimizers.items():
            keys = rows.state()
            rows.load_state({key: tensors[f"{name}.{key}"] for key in keys}, step)
