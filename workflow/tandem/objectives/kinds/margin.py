"""The margin loss with the hardest negatives of mega-batches (wieting2019, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from tandem.machine import has_compiled_loops
from tandem.objectives.contrastive import Contrastive, Pool

if TYPE_CHECKING:
    from torch import Tensor

    from tandem.objectives.negatives import Negatives

ROUNDING = 1e-9
"""What a quotient may lack of a whole number for its last bits."""


class Margin(Contrastive):
    """Margin loss; negatives are the most similar sentences of a mega-batch."""

    fixed_shapes: ClassVar[bool] = True

    margin: PositiveFloat = 0.4
    """How much closer a translation must be than a negative, in cosine; the paper's value."""
    megabatch: PositiveInt = 120
    """Batches in a full mega-batch, from which negatives are chosen."""
    anneal: NonNegativeInt = 150
    """Updates after which the mega-batch grows by one batch; 0: full size from the start."""
    full_at: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the training after which the mega-batch is full, however many updates there are: it
    grows evenly until then, and `anneal` is not read; null: it grows by `anneal`."""

    @property
    def compares(self) -> bool:
        """Negatives are the most similar sentences."""
        return True

    def batches(self, step: int, total: int) -> int:
        """Return how many batches the mega-batch that begins at `step` has.

        One more after every `anneal` batches, from 1 (wieting2019, section 3.1, note 3); or evenly
        from 1 to all after a share of the `total` updates.
        """
        if self.full_at is not None:
            grown = (self.megabatch - 1) * step / (self.full_at * total)
            return min(self.megabatch, 1 + int(grown + ROUNDING))
        return min(self.megabatch, 1 + step // self.anneal) if self.anneal else self.megabatch

    def choose(self, pool: Pool) -> Negatives:
        """Choose the hardest negative of every sentence; see `negatives.hardest`."""
        from tandem.objectives.negatives import hardest

        assert pool.vectors is not None
        return hardest(pool.vectors, pool.keys, pool.monolingual)

    def rows(self, pairs: Tensor, chosen: Negatives) -> list[Tensor]:
        """Return the pairs' sentences, then the negatives of the left and of the right ones."""
        return [pairs, pairs + len(pairs), chosen.for_left, chosen.for_right]

    def part(self, chosen: Negatives, batch: slice) -> tuple[Tensor, ...]:
        """Return which sentences of a batch have negatives, (2, pairs)."""
        return (chosen.mask[:, batch],)

    def loss(self, vectors: Tensor, *part: Tensor) -> Tensor:
        """Return the mean margin loss, both directions (wieting2019, section 2, Training).

        For a pair (s, t), a negative t' for s and a negative s' for t:

            [margin - cos(s, t) + cos(s, t')]+ + [margin - cos(s, t) + cos(t, s')]+

        `vectors` are s, t, t' and s'. A sentence without a negative adds nothing.
        """
        (mask,) = part
        if has_compiled_loops(vectors):
            from tandem.kernels.margin import MarginLoss
        else:
            from tandem.objectives.margin_products import MarginLoss  # type: ignore[assignment]
        loss: Tensor = MarginLoss.apply(vectors, mask, self.margin)
        return loss
