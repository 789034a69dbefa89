"""How an encoder is trained, besides its objective: a recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from tandem.errors import TandemError
from tandem.registry import Settings

if TYPE_CHECKING:
    from tandem.encoders.encoder import Encoder
    from tandem.objectives.objective import Objective

Share = Annotated[float, Field(ge=0, lt=1)]


class Recipe(Settings):
    """How an encoder is trained (wieting2019, section 3.1, where it gives the value)."""

    epochs: PositiveInt = 10
    """Passes over the training pairs; the epoch with the best selection score is kept."""
    patience: NonNegativeInt = 0
    """Training ends after so many epochs without a better selection score; 0: after all."""
    batch: PositiveInt = 128
    """Pairs in a batch: one update is made for each."""
    order: Literal["pairs", "groups"] = "pairs"
    """What is shuffled for an epoch. groups: pairs that share a sentence stay together, at most
    eight, so that a batch of labelled pairs encodes it once; they are each other's negatives."""
    dropout: Share = 0.3
    """Rate of dropout on token embeddings."""
    scramble: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of sentences whose tokens are shuffled."""
    optimizer: Literal["adam", "sgd"] = "adam"
    """Adam, or stochastic gradient descent as in yang2019, section 4.2."""
    learning_rate: PositiveFloat = 0.001
    """Learning rate of the optimizer."""
    embedding_multiplier: PositiveFloat = 1.0
    """Factor of the learning rate for token embeddings. yang2019 multiplies their gradients by 25,
    which is the same for sgd."""
    warmup: NonNegativeInt = 0
    """Updates in which the learning rate rises, linearly, from 0 to its value; at most half of all,
    so that a short training has that rate, too."""
    decay: Literal["none", "linear", "tenth", "root"] = "none"
    """After the rise. linear: the learning rate falls from update to update, to 0 after the last
    one. tenth: it is a tenth after 33 of every 40 updates (yang2019, section 4.2). root: it falls
    as 1 / sqrt(update) (Vaswani et al., 2017, equation 3)."""
    frozen: Literal["none", "embeddings"] = "none"
    """What stays as it was. embeddings: those of tokens, and what a pretrained encoder adds to them
    before its layers (fedorova2024, section III-B)."""
    frozen_layers: NonNegativeInt = 0
    """With frozen embeddings: how many of an encoder's first layers stay as they were, too. A step
    is then faster, since nothing is computed of their gradients."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic of an encoder's matrix products, as PyTorch's autocast does it; parameters, sums
    and losses are float32. auto: bfloat16 where a transformer trains on a GPU, or a pretrained
    encoder on a processor, that has instructions for it."""
    threads: PositiveInt = 1
    """Processor threads; they change the order of sums, and so the last digits of results."""

    @model_validator(mode="after")
    def _freezes_from_below(self) -> Self:
        if self.frozen_layers and self.frozen == "none":
            raise ValueError("frozen_layers needs frozen: embeddings, which come before the layers")
        return self

    def check(self, objective: Objective, encoder: Encoder) -> None:
        """Refuse values, but for the defaults, that an objective or an encoder cannot have.

        Raises:
            TandemError: it does not read them; or the tokens of words would be shuffled, whose
                first ones mark them off.
        """
        if self.scramble and encoder.words:
            raise TandemError(
                f"the encoder {encoder.kind} reads words with their n-grams, whose order tells "
                "them apart. Leave scramble out, or give another segmentation"
            )
        fields = sorted((n, f) for n, f in type(self).model_fields.items() if n in objective.unread)
        if idle := [name for name, field in fields if getattr(self, name) != field.default]:
            raise TandemError(
                f"the objective {objective.kind} does not read {' and '.join(idle)} of a recipe. "
                "Leave that out"
            )

    def factors(self, steps: NDArray[np.int64], total: int) -> NDArray[np.float64]:
        """Return the factor of the learning rate in updates 1 .. total, and 0 later.

        With `root` and without decay it stays above 0.
        """
        warmup = min(self.warmup, total // 2)
        rise = np.minimum(1, steps / warmup) if warmup else np.ones(steps.shape)
        if self.decay == "none":
            return rise
        if self.decay == "root":
            first = max(1, warmup)
            return rise * np.sqrt(first / np.maximum(first, steps))
        if self.decay == "tenth":
            falls = np.where(40 * steps <= 33 * total, 1.0, 0.1)
            return rise * np.where(steps <= total, falls, 0.0)
        fall = (steps - 1 - warmup) / max(1, total - warmup)
        return rise * np.clip(1 - fall, 0, 1)
