"""Objectives, recipes and segmentations for an amount of text, where no others are asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tandem.encoders.encoder import Encoder
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.segmentation.segmentation import SEGMENTATIONS, Segmentation, TextSize
from tandem.training.recipe import Recipe


def followed(
    pairs: int,
    encoder: Encoder | None = None,
    objective: Objective | None = None,
    **asked: Any,  # noqa: ANN401
) -> tuple[Objective, Recipe]:
    """Return the objective and the recipe for a number of training pairs.

    Args:
        pairs: to train on.
        encoder: the one to train; None: the mean of its embeddings.
        objective: takes the place of the margin loss for so many pairs.
        asked: settings of the recipe that take the place of those for so many pairs.
    """
    names = ("learning_rate", "dropout", "epochs", "patience")
    values = next(v for most, v in _FOLLOWS if pairs <= most)
    recipe: dict[str, Any] = dict(zip(names, values, strict=True))
    much = pairs > _MUCH
    if much:
        recipe["decay"] = "linear"
    if encoder and encoder.weight_shapes():
        recipe |= _LAYERS
    return objective or Margin(**{"megabatch": 16} if much else {}), Recipe(**recipe | asked)


_LAYERS = {"learning_rate": 0.0005, "embedding_multiplier": 64.0, "dropout": 0.0}
"""For encoders with parameters besides their embeddings. The rates of averaging encoders make all
their vectors alike; embeddings still need large steps (docs/fidelity.md)."""
_MUCH = 100_000
"""Above this number of pairs, negatives are chosen from smaller mega-batches, which cost
less and lose nothing, and the learning rate falls (the joint encoder's values: docs/fidelity.md).
"""
_FOLLOWS: tuple[tuple[float, tuple[float, float, int, int]], ...] = (
    (3_000, (0.128, 0.7, 60, 20)),
    (30_000, (0.064, 0.5, 30, 5)),
    (_MUCH, (0.032, 0.3, 30, 3)),
    (math.inf, (0.032, 0.0, 6, 3)),
)
"""Learning rate, dropout, epochs and patience, after the largest number of pairs they are for.

Few pairs need large steps, since there are few, and much noise; an epoch of them takes a fraction
of a second, and the P@1 of few held-out pairs often stands still before it rises again. Chosen on
German and Turkish (docs/own-bitext.md).
"""


def segmentation(text: TextSize, settings: Mapping[str, Any]) -> Segmentation:
    """Return the segmentation for an amount of text, with the settings that are asked for.

    Without `kind` among them it is sentencepiece.
    """
    others = {key: value for key, value in settings.items() if key != "kind"}
    return SEGMENTATIONS.kind(settings.get("kind", "sentencepiece")).for_text(text, others)


def in_words(tokens: int, objective: Objective, recipe: Recipe) -> str:
    """Describe a training with so many kinds of tokens."""
    ending = f", or until {recipe.patience} bring nothing" if recipe.patience else ""
    rate = f"{recipe.learning_rate:g}"
    if recipe.embedding_multiplier != 1:
        rate += f" ({recipe.embedding_multiplier:g} times that for embeddings)"
    if recipe.decay != "none":
        rate += f", {recipe.decay} decay"
    return (
        f"{tokens:,} kinds of tokens, {OBJECTIVES.dump(objective)['kind']} loss, batches of "
        f"{recipe.batch} pairs, learning rate {rate}, dropout "
        f"{recipe.dropout:g}, at most {recipe.epochs} epochs{ending}"
    )
