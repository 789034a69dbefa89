"""How training follows the amount of text, where nothing is asked for."""

from __future__ import annotations

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
    rate, dropout = next(values for most, values in _FOLLOWS if pairs <= most)
    recipe = {
        "learning_rate": rate, "dropout": dropout, "epochs": _EPOCHS, "patience": _PATIENCE
    }  # fmt: skip
    return objective or Margin(), Recipe(**(recipe | asked))


_FOLLOWS = (
    (3_000, (0.128, 0.5)),
    (30_000, (0.064, 0.5)),
    (100_000, (0.032, 0.3)),
    (float("inf"), (0.064, 0.3)),
)
"""Learning rate and dropout, each with the most pairs that they are for: few pairs need large
steps, since there are few, and much noise (benchmarks/own_bitext.py)."""
_EPOCHS, _PATIENCE = 30, 3


def said(objective: Objective, recipe: Recipe) -> str:
    """Return them in words."""
    ending = f", or until {recipe.patience} bring nothing" if recipe.patience else ""
    return (
        f"{OBJECTIVES.dump(objective)['kind']} loss, batches of {recipe.batch} pairs, "
        f"learning rate {recipe.learning_rate:g}, dropout {recipe.dropout:g}, at most "
        f"{recipe.epochs} epochs{ending}"
    )
