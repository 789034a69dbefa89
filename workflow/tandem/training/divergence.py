"""Trainings that diverge: what they learn is infinite, or not a number."""

from __future__ import annotations

import math

from torch import Tensor

from tandem.errors import SettingsError


class Diverged(SettingsError):
    """What is learned is of no use any more; what was kept before may be."""


def refuse_diverged(what: str, value: float, *parameters: Tensor) -> None:
    """Refuse a value, called `what`, and parameters that are infinite or not a number: Diverged."""
    if not (math.isfinite(value) and all(bool(p.isfinite().all()) for p in parameters)):
        raise Diverged(f"{what} is infinite or not a number: lower `learning_rate` of the recipe")
