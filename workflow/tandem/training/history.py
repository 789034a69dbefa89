"""What the epochs of a training came to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Epoch:
    """One line of the history; epoch 0 is before training."""

    epoch: int
    loss: float | None
    validation: float | None

    def shown(self) -> dict[str, str]:
        """Return its figures as text, for a progress bar."""
        figures = {"loss": (self.loss, 4), "validation": (self.validation, 2)}
        return {k: f"{v:.{digits}f}" for k, (v, digits) in figures.items() if v is not None}


def history_lines(history: Iterable[Epoch], validation: str, decimals: int = 4) -> list[str]:
    """Return a history as lines of CSV; `validation` heads the column of the scores."""
    lines = [f"epoch,loss,{validation}"]
    for entry in history:
        loss = "" if entry.loss is None else f"{entry.loss:.6f}"
        score = "" if entry.validation is None else f"{entry.validation:.{decimals}f}"
        lines.append(f"{entry.epoch},{loss},{score}")
    return lines
