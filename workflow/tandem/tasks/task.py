"""The kinds of task: what encoders are scored on, and what figures follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tandem.registry import Kind, Registry

if TYPE_CHECKING:
    from tandem.encoders.model import SentenceEncoder
    from tandem.plan import Plan
    from tandem.statistics.correlation import FloatArray

Items = dict[str, np.ndarray]
"""What a score follows from, item by item: cosines of pairs, hits of sentences ..."""


class Task(Kind):
    """What every kind of task has: items first, then figures and draws that follow from them."""

    metric: ClassVar[str] = ""
    """Unit of its figures: pearson_x100, p_at_1_x100, f1_x100 ..."""

    def inputs(self, plan: Plan, experiment: str) -> dict[str, str]:
        """Return the files and folders that scoring an experiment reads, by a name."""
        return {}

    def score(self, encoder: SentenceEncoder, data: Mapping[str, Path]) -> Items:
        """Score an encoder.

        Args:
            encoder: its `encode(sentences, language=...)` and `languages` are used.
            data: what `inputs` named.
        """
        raise NotImplementedError

    def units(self, items: Items) -> list[str]:
        """Return the names of the figures that the items give."""
        raise NotImplementedError

    def estimate(self, items: Items, unit: str) -> float:
        """Return one figure, x 100."""
        raise NotImplementedError

    def draws(
        self, systems: Sequence[Items], unit: str, resamples: int, seed: int
    ) -> FloatArray:
        """Return bootstrap draws of one figure, (systems, resamples), x 100.

        All systems meet the same resampled items, so differences of their draws are paired.
        """
        raise NotImplementedError

    def details(self, items: Items) -> dict[str, Any]:
        """Return what else a person may want to know, as plain values."""
        return {}


TASKS = Registry("tandem.tasks", Task)
