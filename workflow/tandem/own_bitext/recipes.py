"""How training follows the amount of text, where nothing is asked for."""

from __future__ import annotations

import math
from typing import Any

from tandem.objectives.margin import Margin
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.training.recipe import Recipe


def followed(
    pairs: int,
    objective: Objective | None = None,
    **asked: Any,  # noqa: ANN401
) -> tuple[Objective, Recipe]:
    """Return the objective and the recipe for a number of training pairs.

    Args:
        pairs: to train on.
        objective: instead of the margin loss with its own settings.
        asked: settings of the recipe that replace those that follow.
    """
    names = ("learning_rate", "dropout", "epochs", "patience")
    recipe = dict(zip(names, next(v for most, v in _FOLLOWS if pairs <= most), strict=True))
    return objective or Margin(), Recipe(**(recipe | asked))


_FOLLOWS: tuple[tuple[float, tuple[float, float, int, int]], ...] = (
    (3_000, (0.128, 0.7, 60, 20)),
    (30_000, (0.064, 0.5, 30, 5)),
    (100_000, (0.032, 0.3, 30, 3)),
    (math.inf, (0.064, 0.3, 30, 3)),
)
"""Learning rate, dropout, epochs and patience, each with the most pairs that they are for.

Few pairs need large steps, since there are few, and much noise; an epoch of them takes a fraction
of a second, and the P@1 of few held-out pairs often stands still before it rises again. Chosen on
German and Turkish (docs/own-bitext.md).
"""


def said(objective: Objective, recipe: Recipe) -> str:
    """Return them in words."""
    ending = f", or until {recipe.patience} bring nothing" if recipe.patience else ""
    return (
        f"{OBJECTIVES.dump(objective)['kind']} loss, batches of {recipe.batch} pairs, "
        f"learning rate {recipe.learning_rate:g}, dropout {recipe.dropout:g}, at most "
        f"{recipe.epochs} epochs{ending}"
    )
